"""What releases require and nobody named; what their metadata pins to one version comes along with them.

With vLLM 0.20.2 comes PyTorch 2.11.0, and with that the need for a driver for CUDA 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from packaging.specifiers import SpecifierSet

from envlock.judging.declared import required_on
from envlock.judging.implied import implied_components, machine_of
from envlock.judging.published_files import admitted_pythons
from envlock.model.component import PYTHON, Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.finding import Assignment, Chosen, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration


@dataclass(frozen=True, slots=True)
class DependencyPin:
    """The only release that another one's metadata admits.

    Attributes:
        version: the release.
        by: who requires it, with its version, in words.
    """

    version: str
    by: str

    @property
    def chosen(self) -> Chosen:
        """The release as part of a combination: it comes as the index publishes it."""
        return Chosen(version=self.version, via=Via.WHEEL)


@dataclass(frozen=True, slots=True)
class UnnamedRequirement:
    """A requirement of a release on something that nobody named.

    Attributes:
        component: the distribution that is required.
        specifiers: the acceptable versions, on each interpreter in question.
        dependent: the distribution that requires it.
        declaration: the declaration of that release.
    """

    component: str
    specifiers: tuple[SpecifierSet, ...]
    dependent: str
    declaration: Declaration

    @property
    def by(self) -> str:
        """Who requires it, with its version, in words."""
        return f"{self.dependent} {self.declaration.version}"


def pinned_dependencies(
    assignment: Assignment, declarations: Mapping[str, Declaration], knowledge: Knowledge
) -> Mapping[str, DependencyPin]:
    """Return the pinned components that a combination cannot do without but that nobody named.

    Only what is required on every interpreter in question counts, and only if all who require it agree.

    Args:
        assignment: the combination.
        declarations: component -> its declaration.
        knowledge: the meaning of names.
    """
    found: dict[str, set[DependencyPin]] = {}
    for requirement in unnamed_requirements(assignment, declarations, knowledge):
        versions = set(map(only_version, requirement.specifiers))
        if len(versions) == 1 and (version := versions.pop()):
            found.setdefault(requirement.component, set()).add(DependencyPin(version, requirement.by))
    return {
        other: min(pins, key=lambda pin: pin.by)
        for other, pins in found.items()
        if len({pin.version for pin in pins}) == 1
    }


def unnamed_requirements(
    assignment: Assignment, declarations: Mapping[str, Declaration], knowledge: Knowledge
) -> Iterator[UnnamedRequirement]:
    """Yield what releases require on every interpreter in question but nobody named.

    A distribution is not missing if another flavour or a stand-in of it is present. Libraries that a
    framework's wheel requires (``nvidia-nccl-cu12``) are known from its build; they count in their own right
    only beside the same library of another distribution (``nvidia-nccl-cu11``), since both install into one
    folder.

    Args:
        assignment: the combination.
        declarations: component -> its declaration.
        knowledge: the meaning of names.
    """
    named = [chosen.version for chosen in assignment.get(PYTHON, ())]
    machine = machine_of(assignment)
    there = _there(assignment, knowledge)
    libraries = {carrier.component for name in assignment for carrier in knowledge.carriers_of(name)}
    for component, declaration in declarations.items():
        pythons = named[:1] or admitted_pythons(declaration)
        required = [required_on(python, declaration, knowledge, machine=machine) for python in pythons]
        for other in sorted(set.intersection(*map(set, required))) if required else ():
            carried = {carrier.component for carrier in knowledge.carriers_of(other)}
            if not {other, knowledge.flavour_of(other)} & there and (not carried or carried & libraries):
                yield UnnamedRequirement(
                    other, tuple(admitted[other] for admitted in required), component, declaration
                )


def naming_pinners(
    findings: Iterable[Finding], pinned: Mapping[str, DependencyPin], knowledge: Knowledge, machine: str
) -> tuple[Finding, ...]:
    """Return findings whose messages name who pins an unnamed component, or what bundles it."""
    inside = {
        name: {
            name: one.version,
            **implied_components(name, one.version, one.chosen.via, knowledge, machine),
        }
        for name, one in pinned.items()
    }
    return tuple(
        replace(finding, message=f"{finding.message}{_pinners(finding, pinned, inside)}")
        for finding in findings
    )


def only_version(specifier: SpecifierSet) -> str:
    """Return the one version that a specifier leaves; empty where it leaves several or none."""
    exact = {part.version for part in specifier if part.operator == "==" and not part.version.endswith(".*")}
    bounds = [{part.version for part in specifier if part.operator == operator} for operator in (">=", "<=")]
    for version in sorted(exact or bounds[0] & bounds[1]):
        if specifier.contains(version, prereleases=True):
            return version
    return ""


def _there(assignment: Assignment, knowledge: Knowledge) -> set[str]:
    """Return all that need not come along: what is named, its base flavours, what it stands in for."""
    there = set(assignment) | {knowledge.flavour_of(component) for component in assignment}
    stood_for = (stand_in.replaces for stand_in in knowledge.stand_ins if stand_in.distribution in assignment)
    return there.union(*stood_for)


def _pinners(
    finding: Finding, pinned: Mapping[str, DependencyPin], inside: Mapping[str, Mapping[str, str]]
) -> str:
    parts = [
        f"{one.by} pins {name} {one.version}"
        for name, one in pinned.items()
        if inside[name].items() & finding.components.items()
    ]
    return f" ({'; '.join(parts)})" if parts else ""
