"""What comes along though nobody names it: what a distribution's own metadata pins to one version.

Whoever has vLLM 0.20.2 has PyTorch 2.11.0, and with it the need of a driver for CUDA 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from packaging.specifiers import SpecifierSet

from envlock.judging.declared import asked_on
from envlock.judging.implied import implied_components, machine_of
from envlock.judging.published_files import admitted_pythons
from envlock.model.component import PYTHON, Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.finding import Assignment, Chosen, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration


@dataclass(frozen=True, slots=True)
class Pinned:
    """A release that another one's metadata asks for, and no other.

    Attributes:
        version: the release.
        by: who asks for it, with its version, as people read it.
    """

    version: str
    by: str

    @property
    def chosen(self) -> Chosen:
        """As a part of a combination: it comes as the index publishes it."""
        return Chosen(version=self.version, via=Via.WHEEL)


@dataclass(frozen=True, slots=True)
class Ask:
    """What one release asks for, and nobody named.

    Attributes:
        component: the distribution that is asked for.
        specifiers: the versions that will do, on each interpreter in question.
        asking: who asks.
        declaration: what that says of itself.
    """

    component: str
    specifiers: tuple[SpecifierSet, ...]
    asking: str
    declaration: Declaration

    @property
    def by(self) -> str:
        """Who asks, with its version, as people read it."""
        return f"{self.asking} {self.declaration.version}"


def brought_along(
    assignment: Assignment, declarations: Mapping[str, Declaration], knowledge: Knowledge
) -> Mapping[str, Pinned]:
    """The components that a combination cannot be without, and that nobody named.

    Only what is asked for on every interpreter in question counts, and what all who ask for it agree on.

    Args:
        assignment: the combination.
        declarations: component -> what it says of itself.
        knowledge: what the names mean.
    """
    found: dict[str, set[Pinned]] = {}
    for ask in unnamed_asks(assignment, declarations, knowledge):
        versions = set(map(only_version, ask.specifiers))
        if len(versions) == 1 and (version := versions.pop()):
            found.setdefault(ask.component, set()).add(Pinned(version, ask.by))
    return {
        other: min(pins, key=lambda one: one.by)
        for other, pins in found.items()
        if len({one.version for one in pins}) == 1
    }


def unnamed_asks(
    assignment: Assignment, declarations: Mapping[str, Declaration], knowledge: Knowledge
) -> Iterator[Ask]:
    """What releases ask for on every interpreter in question, and nobody named.

    What is there in another flavour, or has a stand-in there, is not missing; libraries that a framework's
    wheel asks for (``nvidia-nccl-cu12``) are known from its build, and count by themselves only beside the
    same library of another distribution (``nvidia-nccl-cu11``): both lay their files into one folder.

    Args:
        assignment: the combination.
        declarations: component -> what it says of itself.
        knowledge: what the names mean.
    """
    named = [chosen.version for chosen in assignment.get(PYTHON, ())]
    machine = machine_of(assignment)
    there = _there(assignment, knowledge)
    libraries = {one.component for name in assignment for one in knowledge.carriers_of(name)}
    for component, declaration in declarations.items():
        pythons = named[:1] or admitted_pythons(declaration)
        asked = [asked_on(python, declaration, knowledge, machine=machine) for python in pythons]
        for other in sorted(set.intersection(*map(set, asked))) if asked else ():
            carried = {one.component for one in knowledge.carriers_of(other)}
            if not {other, knowledge.flavour_of(other)} & there and (not carried or carried & libraries):
                yield Ask(other, tuple(one[other] for one in asked), component, declaration)


def with_pinned_told(
    findings: Iterable[Finding], pinned: Mapping[str, Pinned], knowledge: Knowledge, machine: str
) -> tuple[Finding, ...]:
    """Findings that say who brought what nobody named: itself, or what is inside of it for a machine."""
    inside = {
        name: {
            name: one.version,
            **implied_components(name, one.version, one.chosen.via, knowledge, machine),
        }
        for name, one in pinned.items()
    }
    return tuple(replace(one, message=f"{one.message}{_told(one, pinned, inside)}") for one in findings)


def only_version(specifier: SpecifierSet) -> str:
    """The one version that a specifier leaves; empty where it leaves several, or none."""
    exact = {one.version for one in specifier if one.operator == "==" and not one.version.endswith(".*")}
    bounds = [{one.version for one in specifier if one.operator == operator} for operator in (">=", "<=")]
    for version in sorted(exact or bounds[0] & bounds[1]):
        if specifier.contains(version, prereleases=True):
            return version
    return ""


def _there(assignment: Assignment, knowledge: Knowledge) -> set[str]:
    """All that need not be brought: what is named, what that is a flavour of, what it stands in for."""
    there = set(assignment) | {knowledge.flavour_of(component) for component in assignment}
    stood_for = (one.replaces for one in knowledge.stand_ins if one.distribution in assignment)
    return there.union(*stood_for)


def _told(finding: Finding, pinned: Mapping[str, Pinned], inside: Mapping[str, Mapping[str, str]]) -> str:
    parts = [
        f"{one.by} pins {name} {one.version}"
        for name, one in pinned.items()
        if inside[name].items() & finding.components.items()
    ]
    return f" ({'; '.join(parts)})" if parts else ""
