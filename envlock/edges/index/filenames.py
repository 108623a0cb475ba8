"""What a file name says (version, tags, build number), by packaging's rules, thousands at a time.

``packaging.utils.parse_wheel_filename`` parses name, version and tags anew for each of the 4,000 wheels of a
large project, although they repeat; here each distinct text is parsed once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from packaging.tags import Tag, parse_tag
from packaging.utils import canonicalize_name
from packaging.version import Version

WHEEL = ".whl"
"""The suffix of wheels."""
SDIST_ENDINGS = (".tar.gz", ".zip", ".tar.bz2")
"""Suffixes of sdists. The last has been refused since 2018 (PEP 527), but some releases have nothing else."""
RULES = 2
"""Incremented whenever files are accepted that were not before."""
_NORMAL = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*))*", re.ASCII)
"""Matches versions that are already in normalised form."""
_BUILD = re.compile(r"(\d+)(.*)", re.ASCII)
_TAGS = 3
"""A wheel's name ends in interpreters, ABIs and platforms; a build tag may precede them (PEP 427)."""

_PARTS = 3
"""Name, version, and the rest."""

BuildTag = tuple[int, str] | tuple[()]
_Ending = tuple[frozenset[Tag], BuildTag]
_NO_TAGS: _Ending = (frozenset(), ())


class NamedFile(NamedTuple):
    """The meaning of a wheel's or an sdist's name; an sdist has neither tags nor a build tag."""

    version: Version
    tags: frozenset[Tag]
    build: BuildTag


def read_filename(filename: str, distribution: str) -> NamedFile | None:
    """Read a file name; ``None`` for files of other distributions and of other kinds.

    ``distribution`` is a canonical name.
    """
    spelled = _spelled(filename)
    if spelled is None:
        return None
    name, text, ending = spelled
    found = read_version(name, text, distribution)
    return None if found is None else NamedFile(found[1], *ending)


def tags_of_wheel(filename: str) -> frozenset[Tag]:
    """Return the tags in a wheel's name; none for other files."""
    spelled = _spelled(filename) if filename.endswith(WHEEL) else None
    return frozenset() if spelled is None else spelled[2][0]


def spelled_release(filename: str) -> tuple[str, str] | None:
    """Return name and version as a file name spells them; ``None`` for files of other kinds."""
    spelled = _spelled(filename)
    return None if spelled is None else spelled[:2]


def distribution_of(filename: str) -> str:
    """Return the canonical name of the distribution in a file name; empty for files of other kinds."""
    spelled = _spelled(filename)
    return "" if spelled is None else canonicalize_name(spelled[0])


def _spelled(filename: str) -> tuple[str, str, _Ending] | None:
    """Return name, version and the rest of a wheel's name; ``None`` for files of other kinds."""
    if filename.endswith(WHEEL):
        parts = filename[:-4].split("-", 2)
        if len(parts) != _PARTS or (ending := _wheel_ending(parts[2])) is None or "__" in parts[0]:
            return None
        return parts[0], parts[1], ending
    for end in SDIST_ENDINGS:
        if filename.endswith(end):
            name, _, text = filename.removesuffix(end).rpartition("-")
            return name, text, _NO_TAGS
    return None


@lru_cache(maxsize=16384)
def read_version(name: str, text: str, distribution: str) -> tuple[str, Version] | None:
    """Return the version, normalised and parsed, if it is valid and the name is the distribution's."""
    if canonicalize_name(name) != distribution:
        before = _version_before(name, distribution)
        if not before:
            return None
        text = f"{before}-{text}"
    try:
        version = Version(text)
    except ValueError:  # also for a number with more digits than Python parses
        return None
    return text if _NORMAL.fullmatch(text) else str(version), version


def _version_before(name: str, distribution: str) -> str:
    """Return the part of a version before an sdist name's last dash (``dash-1.0-1``, ``ZSI-2.0-rc3``).

    Names were not normalised before PEP 625, so the two can be told apart only by knowing the distribution.
    """
    ends = (dash.start() for dash in re.finditer("-", name))
    found = next((end for end in ends if canonicalize_name(name[:end]) == distribution), None)
    return "" if found is None else name[found + 1 :]


@lru_cache(maxsize=16384)
def _wheel_ending(text: str) -> _Ending | None:
    """Return tags and build tag; ``None`` if they are malformed."""
    parts = text.split("-")
    build = _BUILD.fullmatch(parts[0]) if len(parts) == _TAGS + 1 else None
    if "/" in text or not (len(parts) == _TAGS or build):
        return None
    try:
        return parse_tag("-".join(parts[-_TAGS:])), (int(build[1]), build[2]) if build else ()
    except ValueError:
        return None
