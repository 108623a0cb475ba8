"""Which wheels an interpreter of a target can use, best first (PEP 425, PEP 600)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from packaging.tags import Tag, compatible_tags, cpython_tags

from envlock.model.target import Interpreter, Target

# The legacy names of PEP 513, 571 and 599 and the glibc that they stand for (PEP 600).
_LEGACY = {(2, 5): "manylinux1", (2, 12): "manylinux2010", (2, 17): "manylinux2014"}
_OLDEST_MINOR = 5
_ANY = "any"


class SupportedTags:
    """Tags in the order of preference.

    Every interpreter and ABI goes with every platform in turn, some four thousand tags in all, so that each
    half is ranked by itself and no tag made that nobody asks about.
    """

    def __init__(self, halves: Iterable[Tag], platforms: Sequence[str]) -> None:
        self._platforms = {platform: rank for rank, platform in reversed(list(enumerate(platforms)))}
        self._halves: dict[tuple[str, str, bool], int] = {}
        self._fitting: dict[frozenset[Tag], bool] = {}
        for tag in halves:
            self._halves.setdefault(_half(tag), len(self._halves) * len(platforms))

    def fit(self, tags: frozenset[Tag]) -> bool:
        """Whether one of a wheel's tags is supported; asked for the same few sets of them again and again."""
        if tags not in self._fitting:
            self._fitting[tags] = any(self.rank(tag) is not None for tag in tags)
        return self._fitting[tags]

    def rank(self, tag: Tag) -> int | None:
        """The place of a tag, 0 the best; ``None`` for one that is not supported."""
        half = self._halves.get(_half(tag))
        place = 0 if tag.platform == _ANY else self._platforms.get(tag.platform)
        return None if half is None or place is None else half + place


def supported_tags(target: Target, interpreter: Interpreter) -> SupportedTags:
    """Every supported tag with its rank.

    The platform is the target's, not that of the machine that solves.
    """
    return tags_of(interpreter.release, interpreter.abi, target.machine, target.glibc)


@lru_cache(maxsize=64)
def tags_of(release: tuple[int, int], abi: str, machine: str, glibc: str) -> SupportedTags:
    """Every tag that an interpreter with this ABI supports on this architecture and C library."""
    platforms = list(_platforms(machine, glibc))
    short, one = f"cp{release[0]}{release[1]}", platforms[:1]
    halves = [
        *cpython_tags(release, abis=[abi], platforms=one),
        *compatible_tags(release, interpreter=short, platforms=one),
    ]
    return SupportedTags(halves, platforms)


def _half(tag: Tag) -> tuple[str, str, bool]:
    return (tag.interpreter, tag.abi, tag.platform == _ANY)


def _platforms(machine: str, glibc: str) -> Iterator[str]:
    if glibc:
        major, minor = (int(part) for part in glibc.split(".")[:2])
        for lower in range(minor, _OLDEST_MINOR - 1, -1):
            yield f"manylinux_{major}_{lower}_{machine}"
            if (major, lower) in _LEGACY and machine in {"x86_64", "i686"}:
                yield f"{_LEGACY[major, lower]}_{machine}"
            elif (major, lower) == (2, 17):
                yield f"manylinux2014_{machine}"
    yield f"linux_{machine}"
