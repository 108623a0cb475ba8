"""What the lines of a requirements file, and of the constraints that it names, ask together of versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.model.frozen import dataclass
from envlock.model.published.listing import Contradiction, Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One requirement.

    Attributes:
        requirement: what is asked for.
        place: the file and the line.
        narrows: whether it stands among constraints, which install nothing.
    """

    requirement: Requirement
    place: str
    narrows: bool


def pins_of(asked: Iterable[Asked]) -> dict[str, tuple[Listed, ...]]:
    """What is pinned to one version, by its own line or by a constraint: normalized name -> its pins.

    Of several one counts that meets all that is asked (``2.1.0+cu118`` beside ``2.1.0``), if there is one.
    """
    pins: dict[str, tuple[Listed, ...]] = {}
    for name, lines in _by_name(asked).items():
        own = [one.requirement.name for one in lines if not one.narrows]
        exact = dict.fromkeys(filter(None, (_exact(one.requirement) for one in lines)))
        agreed = [version for version in exact if all(_takes(one.requirement, version) for one in lines)]
        if own and exact:
            pins[name] = tuple(Listed(name=own[0], version=version) for version in agreed[:1] or exact)
    return pins


def contradictions_of(asked: Iterable[Asked]) -> tuple[Contradiction, ...]:
    """Pins beside which something else is asked that no pinned version meets: nothing installs them."""
    return tuple(found for lines in _by_name(asked).values() for found in _contradiction(lines))


def _contradiction(lines: Sequence[Asked]) -> Iterator[Contradiction]:
    if all(one.narrows for one in lines):
        return
    pinned = [(one, version) for one in lines if (version := _exact(one.requirement))]
    if any(all(_takes(one.requirement, version) for one in lines) for _, version in pinned):
        return
    for pin, version in pinned[:1]:
        other = next(one for one in lines if not _takes(one.requirement, version))
        yield Contradiction(
            name=pin.requirement.name,
            version=version,
            place=pin.place,
            other=str(other.requirement),
            other_place=other.place,
        )


def _by_name(asked: Iterable[Asked]) -> dict[str, list[Asked]]:
    named: dict[str, list[Asked]] = {}
    for one in asked:
        named.setdefault(canonicalize_name(one.requirement.name), []).append(one)
    return named


def _exact(requirement: Requirement) -> str:
    """The version that a requirement pins; empty where it pins none."""
    exact = [one.version for one in requirement.specifier if one.operator in {"==", "==="}]
    return exact[0] if exact and not exact[0].endswith(".*") else ""


def _takes(requirement: Requirement, version: str) -> bool:
    return requirement.specifier.contains(version, prereleases=True)
