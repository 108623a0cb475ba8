"""Which wheels an interpreter of a target can use, best first (PEP 425, PEP 600)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from packaging.tags import Tag, compatible_tags, cpython_tags

from envlock.model.target import Interpreter, Target

# The legacy names of PEP 513, 571 and 599 and the glibc that they stand for (PEP 600).
_LEGACY = {(2, 5): "manylinux1", (2, 12): "manylinux2010", (2, 17): "manylinux2014"}
_OLDEST_MINOR = 5


def supported_tags(target: Target, interpreter: Interpreter) -> Mapping[Tag, int]:
    """Every supported tag with its rank, 0 the best.

    The platform is the target's, not that of the machine that solves.
    """
    return _ranks(interpreter.release, interpreter.abi, target.machine, target.glibc)


@lru_cache(maxsize=16)
def _ranks(release: tuple[int, int], abi: str, machine: str, glibc: str) -> Mapping[Tag, int]:
    platforms = list(_platforms(machine, glibc))
    short = f"cp{release[0]}{release[1]}"
    tags = [
        *cpython_tags(release, abis=[abi], platforms=platforms),
        *compatible_tags(release, interpreter=short, platforms=platforms),
    ]
    return {tag: rank for rank, tag in reversed(list(enumerate(tags)))}


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
