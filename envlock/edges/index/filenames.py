"""What a file's name says: version, tags, build number; by packaging's rules, thousands at a time.

``packaging.utils.parse_wheel_filename`` reads name, version and tags afresh for each of the 4,000 wheels of a
large project, although they repeat; here each distinct text is read once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from packaging.tags import Tag, parse_tag
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

_SDIST_ENDINGS = (".tar.gz", ".zip")
_BUILD = re.compile(r"(\d+)(.*)", re.ASCII)
_TAGS = 3
"""Interpreters, ABIs and platforms end a wheel's name; a build tag may come before them (PEP 427)."""

BuildTag = tuple[int, str] | tuple[()]


class NamedFile(NamedTuple):
    """What the name of a wheel or an sdist says; an sdist has neither tags nor a build tag."""

    version: Version
    tags: frozenset[Tag]
    build: BuildTag


def read_filename(filename: str, distribution: str) -> NamedFile | None:
    """What a name says; ``None`` for files of other distributions and of other kinds.

    ``distribution`` is a canonical name.
    """
    if filename.endswith(".whl"):
        name, _, rest = filename[:-4].partition("-")
        text, _, ending = rest.partition("-")
        version = _version(name, text, distribution)
        tags = _wheel_ending(ending)
        return NamedFile(version, *tags) if version and tags and "__" not in name else None
    for ending in _SDIST_ENDINGS:
        if filename.endswith(ending):
            name, _, text = filename.removesuffix(ending).rpartition("-")
            version = _version(name, text, distribution)
            return NamedFile(version, frozenset(), ()) if version else None
    return None


@lru_cache(maxsize=16384)
def _version(name: str, text: str, distribution: str) -> Version | None:
    """The version, if the name is the distribution's and the version is one."""
    if canonicalize_name(name) != distribution:
        return None
    try:
        return Version(text)
    except InvalidVersion:
        return None


@lru_cache(maxsize=16384)
def _wheel_ending(text: str) -> tuple[frozenset[Tag], BuildTag] | None:
    """Tags and build tag; ``None`` where they are not as they should be."""
    parts = text.split("-")
    build = _BUILD.fullmatch(parts[0]) if len(parts) == _TAGS + 1 else None
    if "/" in text or not (len(parts) == _TAGS or build):
        return None
    try:
        tags = parse_tag("-".join(parts[-_TAGS:]))
    except ValueError:
        return None
    return tags, (int(build[1]), build[2]) if build else ()
