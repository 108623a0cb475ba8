"""What one release of a distribution declares, as an index publishes it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from envlock.model.component import InvalidVersion, parse_version
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One file of a release.

    Attributes:
        filename: the file's name, whose tags say which interpreters and platforms a wheel is for.
        requires_python: the interpreters it is for, as stated by the index; empty for any.
    """

    filename: str
    requires_python: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """The files of a release, and what it requires of other distributions.

    Attributes:
        distribution: its name on the index.
        version: the version.
        read: the day on which the index was asked.
        files: the release's files.
        requires_dist: the requirements in its metadata, with markers (PEP 508), taken from one wheel, or from
            the sdist where there is none.
        versions: the releases that the index lists, newest first.
        extras: the extras that are wanted of it.
        has_slips: whether some requirement is not written as the standard demands.
        published: the day of its first upload; ``None`` where the index does not give it.
    """

    distribution: str
    version: str
    read: dt.date
    files: tuple[Published, ...]
    requires_dist: tuple[str, ...]
    versions: tuple[str, ...]
    extras: frozenset[str] = frozenset()
    has_slips: bool = False
    published: dt.date | None = None

    @property
    def label(self) -> str | None:
        """The local label of the version (``cu118``); ``None`` where there is none."""
        try:
            return parse_version(self.version).local
        except InvalidVersion:  # the version of a file
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What was found out about the distributions of a combination.

    Attributes:
        declarations: component -> its declaration.
        unread: component -> why it could not be found out.
        unlisted: component -> what no index lists, and so declares nothing.
    """

    declarations: Mapping[str, Declaration]
    unread: Mapping[str, str]
    unlisted: Mapping[str, str]

    def with_extras(self, extras: Mapping[str, frozenset[str]]) -> Declared:
        """Return this with the extras that are wanted, component -> their names."""
        declarations = {
            component: replace(one, extras=extras.get(component, frozenset()))
            for component, one in self.declarations.items()
        }
        return replace(self, declarations=declarations)


NOTHING_DECLARED = Declared(
    declarations=MappingProxyType({}), unread=MappingProxyType({}), unlisted=MappingProxyType({})
)
