"""What the lines of a requirements file and its constraints files together ask of versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from envlock.model.frozen import dataclass
from envlock.model.published.listing import Contradiction, Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementLine:
    """One requirement.

    Attributes:
        requirement: what is required.
        place: the file and the line.
        narrows: whether it is a constraint, which installs nothing.
    """

    requirement: Requirement
    place: str
    narrows: bool


def pins_of(asked: Iterable[RequirementLine]) -> dict[str, tuple[Listed, ...]]:
    """Map normalised names to the pins of what a requirement or a constraint pins to one version.

    Of several pins, one that meets everything asked counts (``2.1.0+cu118`` beside ``2.1.0``), if there is
    one.
    """
    pins: dict[str, tuple[Listed, ...]] = {}
    for name, lines in _by_name(asked).items():
        own = [line.requirement.name for line in lines if not line.narrows]
        exact = dict.fromkeys(filter(None, (_exact(line.requirement) for line in lines)))
        agreed = [version for version in exact if all(_takes(line.requirement, version) for line in lines)]
        if own and exact:
            pins[name] = tuple(Listed(name=own[0], version=version) for version in agreed[:1] or exact)
    return pins


def ranges_of(asked: Iterable[RequirementLine]) -> tuple[str, ...]:
    """Return what is required and not pinned, narrowed by constraints, as requirements without markers."""
    found = []
    for lines in _by_name(asked).values():
        own = [line.requirement for line in lines if not line.narrows]
        if not own or any(_exact(line.requirement) for line in lines):
            continue
        extras = ",".join(sorted({extra for requirement in own for extra in requirement.extras}))
        specifier = SpecifierSet()
        for line in lines:
            specifier &= line.requirement.specifier
        found.append(f"{own[0].name}{f'[{extras}]' if extras else ''}{specifier}")
    return tuple(found)


def contradictions_of(asked: Iterable[RequirementLine]) -> tuple[Contradiction, ...]:
    """Return requirements that no version can meet together, so that nothing can be installed."""
    return tuple(found for lines in _by_name(asked).values() for found in _contradiction(lines))


def _contradiction(lines: Sequence[RequirementLine]) -> Iterator[Contradiction]:
    if all(line.narrows for line in lines):
        return
    pinned = [(line, version) for line in lines if (version := _exact(line.requirement))]
    if not pinned:
        yield from islice(_apart(lines), 1)
        return
    if any(all(_takes(line.requirement, version) for line in lines) for _, version in pinned):
        return
    for pin, version in pinned[:1]:
        other = next(line for line in lines if not _takes(line.requirement, version))
        yield _contradiction_of(pin, other, version)


def _apart(lines: Sequence[RequirementLine]) -> Iterator[Contradiction]:
    """Yield ranges of one distribution that have no version in common."""
    for one, other in combinations(lines, 2):
        if (one.requirement.specifier & other.requirement.specifier).is_unsatisfiable():
            yield _contradiction_of(one, other)


def _contradiction_of(one: RequirementLine, other: RequirementLine, version: str = "") -> Contradiction:
    return Contradiction(
        name=one.requirement.name,
        version=version,
        asked=version or str(one.requirement.specifier),
        place=one.place,
        other=str(other.requirement),
        other_place=other.place,
    )


def _by_name(asked: Iterable[RequirementLine]) -> dict[str, list[RequirementLine]]:
    named: dict[str, list[RequirementLine]] = {}
    for line in asked:
        named.setdefault(canonicalize_name(line.requirement.name), []).append(line)
    return named


def _exact(requirement: Requirement) -> str:
    """Return the version that a requirement pins; empty if it pins none."""
    exact = (part.version for part in requirement.specifier if part.operator in {"==", "==="})
    return next((version for version in exact if not version.endswith(".*")), "")


def _takes(requirement: Requirement, version: str) -> bool:
    return requirement.specifier.contains(version, prereleases=True)
