"""Judging a combination by what its distributions say of themselves: dependencies, interpreters, wheels.

The knowledge base holds what metadata omits or gets wrong; what metadata does say needs no fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from types import MappingProxyType

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from envlock.model.component import parse_version
from envlock.model.cpython import cpython_markers, usual_abi
from envlock.model.declaration import Declaration
from envlock.model.fact import Severity, Source
from envlock.model.finding import Assignment, Finding, Fix
from envlock.model.frozen import dataclass
from envlock.model.knowledge import Knowledge
from envlock.model.target import USUAL_MACHINE
from envlock.solve.candidates import PYTHON
from envlock.solve.implied import machine_of
from envlock.solve.labels import has_label, of_what_is_published
from envlock.solve.tags import tags_of

REQUIRES_DIST, REQUIRES_PYTHON, WHEELS = "requires-dist", "requires-python", "wheels"
"""Identifiers of such findings, after the fields of metadata that they rest on."""

_PYTHONS = (*(f"3.{minor}" for minor in range(15, 4, -1)), "2.7")
"""Where nobody names an interpreter, any of these may be meant, a newer one rather than an older."""
_ANY_GLIBC = "2.99"


@dataclass(frozen=True, slots=True)
class Node:
    """What decides about wheels: the processor's architecture and the C library."""

    machine: str = USUAL_MACHINE
    glibc: str = _ANY_GLIBC


@dataclass(frozen=True, slots=True)
class _Asking:
    """One release that asks for another distribution."""

    component: str
    declaration: Declaration
    specifier: SpecifierSet


def declared_findings(
    assignment: Assignment, declarations: Mapping[str, Declaration], knowledge: Knowledge
) -> tuple[Finding, ...]:
    """Where distributions of a combination do not take each other, the interpreter or the node, as they say.

    Where no interpreter is named, the one on which least is wrong counts.

    Args:
        assignment: the combination.
        declarations: component -> what it says of itself, as far as that is known.
        knowledge: what the names mean.
    """
    named = [chosen.version for chosen in assignment.get(PYTHON, ())]
    glibc = next((chosen.version for chosen in assignment.get("glibc", ())), _ANY_GLIBC)
    node = Node(machine_of(assignment), glibc)
    found = (tuple(_on(one, node, assignment, declarations, knowledge)) for one in named[:1] or _PYTHONS)
    return min(found, key=weight)


def weight(findings: Sequence[Finding]) -> tuple[int, int]:
    """How much is wrong: refusals, then everything."""
    refusals = sum(finding.severity is Severity.REFUSE for finding in findings)
    return refusals, len(findings)


def _on(
    python: str,
    node: Node,
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
) -> Iterator[Finding]:
    asked: dict[str, list[_Asking]] = {}
    for component, declaration in declarations.items():
        yield from _of_files(component, declaration, python, node, knowledge)
        listed_of = {other: declarations[other].versions for other in declarations}
        wanted = asked_on(python, declaration, knowledge, machine=node.machine, listed=listed_of)
        for other, specifier in wanted.items():
            if other not in assignment:
                asked.setdefault(other, []).append(_Asking(component, declaration, specifier))
            for chosen in assignment.get(other, ()):
                if not chosen.bundled_in and not _takes(specifier, chosen.version):
                    listed = listed_of.get(other, ())
                    yield _unmet(component, declaration, specifier, other, chosen.version, listed)
    for other, askings in asked.items():
        for one, another in combinations(askings, 2):
            if (one.specifier & another.specifier).is_unsatisfiable():
                yield _apart(other, one, another)


def asked_on(
    python: str,
    declaration: Declaration,
    knowledge: Knowledge,
    *,
    machine: str,
    listed: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, SpecifierSet]:
    """What a release asks of other distributions on one interpreter: component -> versions.

    Args:
        python: the interpreter.
        declaration: what the release says of itself.
        knowledge: what the names mean.
        machine: the architecture of the nodes.
        listed: component -> the releases that an index lists, as far as that is known.
    """
    found: dict[str, SpecifierSet] = {}
    for requirement in _applying(declaration.requires_dist, declaration.extras, python, machine):
        other = knowledge.distribution(requirement.name)
        label = parse_version(declaration.version).local
        if label is not None and knowledge.carriers_of(other):
            continue  # the labelled build was not read, and this is what builds differ in
        specifier = requirement.specifier
        if has_label(str(specifier)):
            specifier = of_what_is_published(specifier, listed.get(other, ()))
        found[other] = found[other] & specifier if other in found else specifier
    return found


def admitted_pythons(declaration: Declaration) -> tuple[str, ...]:
    """The interpreters that a release has a file for, newest first."""
    return tuple(
        python
        for python in _PYTHONS
        if any(
            _admits(file.requires_python, python)
            and (not file.filename.endswith(".whl") or _usable(file.filename, python, Node()))
            for file in declaration.files
        )
    )


def _of_files(
    component: str, declaration: Declaration, python: str, node: Node, knowledge: Knowledge
) -> Iterator[Finding]:
    """Whether a release has a file for the interpreter on the node."""
    admitted = [file for file in declaration.files if _admits(file.requires_python, python)]
    told = f"{component} {declaration.version}"
    if not admitted:
        stated = next((file.requires_python for file in declaration.files), "")
        if stated:
            yield _finding(
                REQUIRES_PYTHON,
                {component: declaration.version, PYTHON: python},
                f"{told} is for Python {stated}, not {python}",
                declaration,
                (Fix(component=PYTHON, range=stated),),
            )
        return
    wheels = [file.filename for file in admitted if file.filename.endswith(".whl")]
    if not wheels or any(_usable(wheel, python, node) for wheel in wheels):
        return
    components = {component: declaration.version, PYTHON: python}
    place = f"Python {python}"
    if node.glibc != _ANY_GLIBC and any(_usable(wheel, python, Node(node.machine)) for wheel in wheels):
        components = {component: declaration.version, "glibc": node.glibc}
        place = f"glibc {node.glibc}"
    has_sdist = len(wheels) < len(admitted)
    rest = "its sdist would have to be built" if has_sdist else "there is no sdist"
    elsewhere = knowledge.kept_at.get(component)
    has_more = elsewhere is not None and elsewhere.more_files and not _for_machine(wheels, node)
    if elsewhere is not None and has_more:
        rest = f"its publisher keeps more files elsewhere: {elsewhere.address}"
    pythons = tuple(one for one in reversed(_PYTHONS) if any(_usable(wheel, one, node) for wheel in wheels))
    yield _finding(
        WHEELS,
        components,
        f"{told} has no wheel for {place} on {node.machine}, and {rest}",
        declaration,
        (Fix(component=PYTHON, range="", versions=pythons),) if PYTHON in components and pythons else (),
        severity=Severity.WARN if has_sdist or has_more else Severity.REFUSE,
    )


def _for_machine(wheels: Sequence[str], node: Node) -> bool:
    return any(_usable(wheel, python, Node(node.machine)) for wheel in wheels for python in _PYTHONS)


def _apart(other: str, one: _Asking, another: _Asking) -> Finding:
    """What two releases ask of a third that nobody named, where no version can be both."""
    parts = [f"{asking.component} {asking.declaration.version}" for asking in (one, another)]
    asks = f"{parts[0]} requires {other} {one.specifier} and {parts[1]} {other} {another.specifier}"
    finding = _finding(
        REQUIRES_DIST,
        {asking.component: asking.declaration.version for asking in (one, another)},
        f"{asks}: no version is both",
        one.declaration,
        (),
    )
    return replace(finding, sources=(*finding.sources, metadata_source(another.declaration)))


def _unmet(
    component: str,
    declaration: Declaration,
    specifier: SpecifierSet,
    other: str,
    version: str,
    listed: Sequence[str],
) -> Finding:
    return _finding(
        REQUIRES_DIST,
        {component: declaration.version, other: version},
        f"{component} {declaration.version} requires {other} {specifier}, not {version}",
        declaration,
        (
            Fix(
                component=other,
                range=str(specifier),
                versions=_nearest(version, specifier, listed),
            ),
        ),
    )


def _nearest(version: str, specifier: SpecifierSet, listed: Sequence[str]) -> tuple[str, ...]:
    """The nearest versions below and above that are asked for; a pre-release is nobody's way out."""
    here = parse_version(version)
    fine = sorted(one for one in map(parse_version, listed) if specifier.contains(one, prereleases=False))
    below = [str(one) for one in fine if one < here][-1:]
    above = [str(one) for one in fine if one > here][:1]
    return (*below, *above)


def _finding(
    fact: str,
    components: Mapping[str, str],
    message: str,
    declaration: Declaration,
    fixes: tuple[Fix, ...],
    severity: Severity = Severity.REFUSE,
) -> Finding:
    return Finding(
        fact=fact,
        severity=severity,
        components=components,
        message=message,
        cause="",
        sources=(metadata_source(declaration),),
        fixes=fixes,
    )


def metadata_source(declaration: Declaration) -> Source:
    """What a release says of itself, as a source of a finding."""
    title = f"metadata of {declaration.distribution} {declaration.version}"
    return Source(title=title, checked=declaration.read)


@cache
def _applying(
    requires_dist: tuple[str, ...], extras: frozenset[str], python: str, machine: str
) -> tuple[Requirement, ...]:
    """The requirements whose markers hold: a release meets many combinations, and is the same in each."""
    markers = markers_on(python, machine)
    environments = [{**markers, "extra": extra} for extra in ("", *extras)]
    return tuple(
        requirement
        for requirement in map(_requirement, requires_dist)
        if requirement.marker is None or any(map(requirement.marker.evaluate, environments))
    )


@cache
def _requirement(text: str) -> Requirement:
    return Requirement(text)


def _takes(specifier: SpecifierSet, version: str) -> bool:
    return specifier.contains(parse_version(version), prereleases=True)


@cache
def _admits(requires_python: str, python: str) -> bool:
    return not requires_python or SpecifierSet(requires_python).contains(_full(python), prereleases=True)


@cache
def _usable(filename: str, python: str, node: Node) -> bool:
    release = Version(python).release[:2]
    major, minor = release[0], release[1] if len(release) > 1 else 0
    tags = tags_of((major, minor), usual_abi((major, minor)), node.machine, node.glibc)
    return any(tags.rank(tag) is not None for tag in parse_wheel_filename(filename)[3])


def _full(python: str) -> str:
    """A series (``3.9``) stands for its last release: whoever names no patch does not mean an early one."""
    return python if len(Version(python).release) > 2 else f"{python}.99"  # noqa: PLR2004 - major and minor


def markers_on(python: str, machine: str = USUAL_MACHINE) -> dict[str, str]:
    """What markers are evaluated with on an interpreter, with no extra."""
    full = _full(python)
    return {**cpython_markers(full, Version(full).release, machine), "extra": ""}
