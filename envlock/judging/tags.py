"""Which wheels an interpreter of a target can use, best first (PEP 425, PEP 600)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from packaging.tags import Tag, compatible_tags, cpython_tags

from envlock.model.component import parse_version
from envlock.model.project.target import Interpreter, Target

# The legacy names of PEP 513, 571 and 599 and the glibc versions that they stand for (PEP 600).
_LEGACY = {(2, 5): "manylinux1", (2, 12): "manylinux2010", (2, 17): "manylinux2014"}
_OLDEST_MINOR = 5
_ANY = "any"
_LINUX = re.compile(r"(?:manylinux(?:1|2010|2014|_\d+_\d+)|musllinux_\d+_\d+|linux)_(.+)")
_GLIBC = re.compile(r"manylinux_(\d+)_(\d+)_")
MUSL = "musllinux_"
"""Begins the platform names of wheels for musl in place of glibc (PEP 656)."""
_SHOWN = 4
"""Up to how many interpreters are listed one by one."""


class SupportedTags:
    """Tags in order of preference.

    Every pair of interpreter and ABI combines with every platform, which makes some four thousand tags, so
    each half is ranked by itself and no tag is made unless somebody asks for it.
    """

    def __init__(self, halves: Iterable[Tag], platforms: Sequence[str]) -> None:
        self._platforms = {platform: rank for rank, platform in reversed(list(enumerate(platforms)))}
        newest = next((found for platform in platforms if (found := _GLIBC.match(platform))), None)
        self._glibc = f"{newest[1]}.{newest[2]}" if newest else "none"
        self.machine = next(filter(None, map(_linux_machine, platforms)), "")
        self._halves: dict[tuple[str, str, bool], int] = {}
        self._fitting: dict[frozenset[Tag], bool] = {}
        for tag in halves:
            self._halves.setdefault(_half(tag), len(self._halves) * len(platforms))

    def fit(self, tags: frozenset[Tag]) -> bool:
        """Whether one of a wheel's tags is supported; cached, as the same few sets recur."""
        if tags not in self._fitting:
            self._fitting[tags] = any(self.rank(tag) is not None for tag in tags)
        return self._fitting[tags]

    def missed(self, tags: Iterable[Tag]) -> str:
        """Describe what unsupported wheels are for, as far as that tells what would have to change."""
        found = frozenset(tags)
        of_machine = [tag for tag in found if tag.platform == _ANY or self._of_machine(tag.platform)]
        if not of_machine:
            systems = sorted({tag.platform.partition("_")[0].rstrip("0123456789") for tag in found})
            machines = sorted({one for tag in found if (one := _linux_machine(tag.platform))})
            return f"its wheels are for {', '.join(machines or systems)}" if systems else ""
        needed = (glibc_of(tag.platform) for tag in of_machine if _half(tag) in self._halves)
        if newer := [version for version in needed if version]:
            return "its wheels need glibc {}.{}, the target has {}".format(*min(newer), self._glibc)
        if any(tag.platform.startswith(MUSL) and _half(tag) in self._halves for tag in of_machine):
            return f"its wheels need musl, the target has glibc {self._glibc}"
        own = next(iter(self._halves))[0]
        names = {  # one that only differs in the ABI is shown with it: cp313-cp313t
            f"{tag.interpreter}-{tag.abi}" if tag.interpreter == own else tag.interpreter
            for tag in of_machine
        }
        pythons = sorted(names, key=lambda text: (len(text), text))
        shown = pythons if len(pythons) <= _SHOWN else [f"{pythons[0]} to {pythons[-1]}"]
        return f"its wheels are for {', '.join(shown)}"

    def _of_machine(self, platform: str) -> bool:
        """Whether a platform is Linux on this machine, whatever its C library."""
        return bool(self.machine) and _linux_machine(platform) == self.machine

    def rank(self, tag: Tag) -> int | None:
        """Return the rank of a tag, 0 for the best; ``None`` if it is not supported."""
        half = self._halves.get(_half(tag))
        place = 0 if tag.platform == _ANY else self._platforms.get(tag.platform)
        return None if half is None or place is None else half + place


def supported_tags(target: Target, interpreter: Interpreter) -> SupportedTags:
    """Return the supported tags with their ranks.

    The platform is the target's, not that of the machine that solves.
    """
    return tags_of(interpreter.release, interpreter.abi, target.machine, target.glibc)


@lru_cache(maxsize=64)
def tags_of(release: tuple[int, int], abi: str, machine: str, glibc: str) -> SupportedTags:
    """Return the tags that an interpreter with this ABI supports on this architecture and C library."""
    platforms = list(_platforms(machine, glibc))
    short, one = f"cp{release[0]}{release[1]}", platforms[:1]
    halves = [
        *cpython_tags(release, abis=[abi], platforms=one),
        *compatible_tags(release, interpreter=short, platforms=one),
    ]
    return SupportedTags(halves, platforms)


def glibc_of(platform: str) -> tuple[int, int] | None:
    """The version of glibc that a platform's name asks for at least; ``None`` if it asks for none."""
    if found := _GLIBC.match(platform):
        return int(found[1]), int(found[2])
    return next((glibc for glibc, name in _LEGACY.items() if platform.startswith(f"{name}_")), None)


def _linux_machine(platform: str) -> str:
    """The machine in a Linux platform's name; empty for other systems."""
    found = _LINUX.fullmatch(platform)
    return found[1] if found else ""


def _half(tag: Tag) -> tuple[str, str, bool]:
    return (tag.interpreter, tag.abi, tag.platform == _ANY)


def _platforms(machine: str, glibc: str) -> Iterator[str]:
    if glibc:
        major, minor = (*parse_version(glibc).release, 0)[:2]
        for lower in range(minor, _OLDEST_MINOR - 1, -1):
            yield f"manylinux_{major}_{lower}_{machine}"
            if (major, lower) in _LEGACY and machine in {"x86_64", "i686"}:
                yield f"{_LEGACY[major, lower]}_{machine}"
            elif (major, lower) == (2, 17):
                yield f"manylinux2014_{machine}"
    yield f"linux_{machine}"
