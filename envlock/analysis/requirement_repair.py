"""Dependency specifiers of old packages, read as their authors meant them if that is unambiguous.

PEP 440 became strict after many files had been published, and published files never change. Other tools
repair the same slips
(https://github.com/astral-sh/uv/blob/main/crates/uv-pypi-types/src/lenient_requirement.rs).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import TypeVar

import packaging
from packaging.markers import InvalidMarker, Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

T = TypeVar("T")

_REPAIRS: tuple[tuple[str, str], ...] = (
    # >=1.0.* : a wildcard has a meaning only after == and !=
    (r"((?:<|>|<=|>=|~=)\s*v?\d+(?:\.\d+)*)(?:\.\*)+", r"\1"),
    # ==2.0.0* and ==2.0.x and ==2.*.* : misspelt wildcards
    (r"([=!]=\s*v?\d+(?:\.\d+)*)(?:\*|\.[xX]\b|(?:\.\*){2,})", r"\1.*"),
    # >=1.0<2.0 : a missing comma
    (r"([<>=]\s*v?\d[\w.*]*)\s*(?=[<>!~]|==)", r"\1,"),
    # >='2.7' : quotes around the version
    (r"((?:<|>|=)\s*)(['\"])([\w.*+!]+)\2", r"\1\3"),
    # >=3. : a superfluous dot
    (r"((?:[<>]=?|[=!~]=)\s*v?\d+(?:\.\d+)*)\.(?=\s*(?:$|[,)]))", r"\1"),
    # >=1.0, : a superfluous comma
    (r",\s*(?=$|\))", ""),
    # =>1.0 and =<1.0
    (r"=\s*([<>])(?![=<>])", r"\1="),
    # =1.0
    (r"(?<![=<>!~])=(?=\s*v?\d)", "=="),
    # !=3.4.*' : a quote left over
    (r"['\"]", ""),
    # >=2011k : later than 2011 itself; other versions up to it have such letters, too, and are unreadable
    (r">=?(\s*v?\d+(?:\.\d+)*)[a-z](?![\w.])", r">\1"),
)

_CONDITION = (
    r"\s*(?:python|python[_-]full|implementation)[_-]version\b[\s(]*[<>=!~]+\s*(['\"])[^'\"]*\1[\s)]*"
)
"""A condition that stands where a distribution should (jraph 0.0.2.dev0): no version is quoted, and every
value of a marker is."""

RULES = hashlib.sha256(repr((packaging.__version__, _REPAIRS, _CONDITION)).encode()).hexdigest()[:16]
"""Identifies the rules by which specifiers are read, so that what other rules read is read again."""

_NAMED = r"\s*(?P<name>[A-Za-z0-9][\w.-]*(?:\[[\w.,\s-]*\])?)\s*(?P<bounds>[(<>=!~].*)"
"""A name with extras, followed by something that may be bounds."""


def read_requirement(text: str) -> Requirement | None:
    """Parse a dependency specifier, repaired if need be; ``None`` if it cannot be understood."""

    def read(candidate: str) -> Requirement:
        return Requirement(candidate)

    body, semicolon, marker = text.partition(";")
    marker = _mended(marker)
    return _first_readable(body, lambda part: read(f"{part}{semicolon}{marker}"), InvalidRequirement)


def read_marker(text: str) -> Marker | None:
    """Parse the marker of a dependency specifier, with the same repairs as ``read_requirement``."""
    try:
        return Marker(_mended(text))
    except InvalidMarker:
        return None


def _mended(marker: str) -> str:
    """Repair ``implementation_name === 'pypy'`` (pyzmq 20): ``===`` only compares versions."""
    return marker.replace("===", "==")


def is_a_condition(text: str) -> bool:
    """Whether a specifier is a marker in the place of a distribution, as ``python-version >="3.6"``."""
    return re.fullmatch(_CONDITION, text) is not None


def has_a_slip(text: str) -> bool:
    """Whether a dependency specifier violates the standard, repairable or not."""
    try:
        Requirement(text)
    except InvalidRequirement:
        return True
    return False


def read_without_unreadable(text: str) -> Requirement | None:
    """Parse a dependency specifier without meaningless bounds (``pytz >dev``); the dependency stays.

    ``None`` if not even the name can be read.
    """
    body, semicolon, marker = text.partition(";")
    match = re.fullmatch(_NAMED, body)
    if match is None:
        return None
    bounds = [one for part in match["bounds"].split(",") if (one := read_specifiers(part.strip(" ()")))]
    joined = ",".join(map(str, bounds))
    return read_requirement(f"{match['name']}{joined}{semicolon}{marker}")


def read_specifiers(text: str) -> SpecifierSet | None:
    """Parse a set of version specifiers (``Requires-Python``), repaired if need be."""
    return _first_readable(text, SpecifierSet, InvalidSpecifier)


def _first_readable(text: str, read: Callable[[str], T], failure: type[ValueError]) -> T | None:
    """Read the text as it is, or after as few of the repairs, in their order, as make it readable."""
    candidate = text
    for pattern, replacement in ((None, ""), *_REPAIRS):
        repaired = candidate if pattern is None else re.sub(pattern, replacement, candidate)
        if pattern is not None and repaired == candidate:
            continue
        candidate = repaired
        try:
            return read(candidate)
        except failure:
            continue
    return None
