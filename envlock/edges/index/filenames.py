"""What a file's name says: version, tags, build number; by packaging's rules, thousands at a time.

``packaging.utils.parse_wheel_filename`` reads name, version and tags afresh for each of the 4,000 wheels of a
large project, although they repeat; here each distinct text is read once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from packaging.tags import Tag, parse_tag
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

_SDIST_ENDINGS = (".tar.gz", ".zip")
_BUILD = re.compile(r"(\d+)(.*)", re.ASCII)
_WHEEL_NAME = re.compile(r"[\w.]+", re.UNICODE)
_PARTS = 5
"""Name, version, and the three tags; a build tag makes it one more (PEP 427)."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """What the name of a wheel or an sdist says; an sdist has neither tags nor a build number."""

    version: Version
    tags: frozenset[Tag]
    build: tuple[int, str] | tuple[()]


def read_filename(filename: str, distribution: str) -> NamedFile | None:
    """What a name says; ``None`` for files of other distributions and of other kinds.

    ``distribution`` is a canonical name.
    """
    if "/" in filename:
        return None
    if filename.endswith(".whl"):
        return _read_wheel(filename, distribution)
    for ending in _SDIST_ENDINGS:
        if filename.endswith(ending):
            name, _, version = filename.removesuffix(ending).rpartition("-")
            return _named(name, version, distribution, frozenset(), ())
    return None


def _read_wheel(filename: str, distribution: str) -> NamedFile | None:
    name, *rest = filename.removesuffix(".whl").split("-")
    if len(rest) not in (_PARTS - 1, _PARTS) or "__" in name or not _WHEEL_NAME.fullmatch(name):
        return None
    version, *build_tag, interpreters, abis, platforms = rest
    build: tuple[int, str] | tuple[()] = ()
    if build_tag:
        match = _BUILD.fullmatch(build_tag[0])
        if not match:
            return None
        build = (int(match[1]), match[2])
    tags = _tags(f"{interpreters}-{abis}-{platforms}")
    return _named(name, version, distribution, tags, build) if tags else None


def _named(
    name: str,
    version: str,
    distribution: str,
    tags: frozenset[Tag],
    build: tuple[int, str] | tuple[()],
) -> NamedFile | None:
    if _canonical(name) != distribution:
        return None
    read = _version(version)
    return None if read is None else NamedFile(read, tags, build)


_canonical = lru_cache(maxsize=4096)(canonicalize_name)


@lru_cache(maxsize=16384)
def _tags(text: str) -> frozenset[Tag]:
    try:
        return parse_tag(text)
    except ValueError:
        return frozenset()


@lru_cache(maxsize=16384)
def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None
