"""Which files of a release an interpreter on a node can use, by their names and the index's data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from packaging.utils import parse_wheel_filename
from packaging.version import Version

from envlock.judging.implied import machine_of
from envlock.judging.metadata_findings import REQUIRES_PYTHON, WHEELS, metadata_finding
from envlock.judging.tags import tags_of
from envlock.model.component import PYTHON, USUAL_MACHINE
from envlock.model.cpython import requires_python_admits, usual_abi
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Finding, Fix
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration

PYTHONS = (*(f"3.{minor}" for minor in range(15, 4, -1)), "2.7")
"""The interpreters that may be meant where none is named, newest first."""
_ANY_GLIBC = "2.99"


@dataclass(frozen=True, slots=True)
class Node:
    """What decides which wheels are usable: the processor's architecture and the C library."""

    machine: str = USUAL_MACHINE
    glibc: str = _ANY_GLIBC


def node_of(assignment: Assignment) -> Node:
    """The node that a combination is meant for; if it names no C library, any is accepted."""
    glibc = next((chosen.version for chosen in assignment.get("glibc", ())), _ANY_GLIBC)
    return Node(machine_of(assignment), glibc)


def admitted_pythons(declaration: Declaration) -> tuple[str, ...]:
    """Return the interpreters for which a release has a file, newest first."""
    return tuple(
        python
        for python in PYTHONS
        if any(
            _admits(file.requires_python, python)
            and (not file.filename.endswith(".whl") or _usable(file.filename, python, Node()))
            for file in declaration.files
        )
    )


def has_wheel(declaration: Declaration, python: str, node: Node) -> bool:
    """Whether a release has a wheel that an interpreter on a node can use."""
    return any(
        file.filename.endswith(".whl")
        and _admits(file.requires_python, python)
        and _usable(file.filename, python, node)
        for file in declaration.files
    )


def file_findings(
    component: str, declaration: Declaration, python: str, node: Node, knowledge: Knowledge
) -> Iterator[Finding]:
    """Report a release that has no file for the interpreter on the node."""
    admitted = [file for file in declaration.files if _admits(file.requires_python, python)]
    release = f"{component} {declaration.version}"
    if not admitted:
        stated = next((file.requires_python for file in declaration.files), "")
        if stated:
            yield metadata_finding(
                REQUIRES_PYTHON,
                {component: declaration.version, PYTHON: python},
                f"{release} is for Python {stated}, not {python}",
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
    pythons = tuple(one for one in reversed(PYTHONS) if any(_usable(wheel, one, node) for wheel in wheels))
    yield metadata_finding(
        WHEELS,
        components,
        f"{release} has no wheel for {place} on {node.machine}, and {rest}",
        declaration,
        (Fix(component=PYTHON, range="", versions=pythons),) if PYTHON in components and pythons else (),
        severity=Severity.WARN if has_sdist or has_more else Severity.REFUSE,
    )


def _for_machine(wheels: Sequence[str], node: Node) -> bool:
    return any(_usable(wheel, python, Node(node.machine)) for wheel in wheels for python in PYTHONS)


def _admits(requires_python: str, python: str) -> bool:
    return not requires_python or requires_python_admits(requires_python, full_version(python))


@cache
def _usable(filename: str, python: str, node: Node) -> bool:
    release = Version(python).release[:2]
    major, minor = release[0], release[1] if len(release) > 1 else 0
    tags = tags_of((major, minor), usual_abi((major, minor)), node.machine, node.glibc)
    return any(tags.rank(tag) is not None for tag in parse_wheel_filename(filename)[3])


@cache
def full_version(python: str) -> str:
    """Take a series (``3.9``) as its last release: whoever names no patch does not mean an early one."""
    named = Version(python)
    if len(named.release) > 2:  # noqa: PLR2004 - major and minor
        return python
    rest = str(named).removeprefix(named.base_version)  # rc1
    return f"{named.base_version}.0{rest}" if rest else f"{python}.99"
