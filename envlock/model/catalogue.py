"""What package indexes offer: files, releases, metadata; and the port through which the solver asks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import Tag
from packaging.version import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class DistFile:
    """One file of a release.

    Attributes:
        filename: the file's name.
        url: where it is; ``file:`` for a local one.
        sha256: its hash in hexadecimal digits; empty where the index does not tell.
        size: its size in bytes, 0 where the index does not tell.
        requires_python: the interpreters it is for, as the index states it; empty for any.
        upload_time: when it was published, if the index tells (PEP 700).
        yanked: the reason if it was withdrawn (PEP 592), ``None`` if it was not.
        tags: the wheel's compatibility tags; empty for an sdist.
        build: the wheel's build tag (number and suffix), empty for none.
    """

    filename: str
    url: str
    sha256: str
    size: int = 0
    requires_python: str = ""
    upload_time: dt.datetime | None = None
    yanked: str | None = None
    tags: frozenset[Tag] = frozenset()
    build: tuple[int, str] | tuple[()] = ()

    @property
    def is_wheel(self) -> bool:
        """Whether the file is a wheel rather than an sdist."""
        return bool(self.tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """All files of one version of a distribution, over all indexes."""

    distribution: str
    version: Version
    files: tuple[DistFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """One file that a wheel installs.

    Attributes:
        path: where, seen from the folder of the packages.
        digest: of its content, as RECORD writes it (``sha256=...``); empty where RECORD does not tell.
    """

    path: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The core metadata of a file, as far as solving needs it.

    Attributes:
        requires_dist: the dependencies, with their markers.
        requires_python: the interpreters it is for.
        provides_extra: the extras it knows, canonical.
        build_requires: for an sdist, what its ``pyproject.toml`` asks of the build environment (PEP 518; the
            default of PEP 517 where it has none), and what its ``setup.py`` wants besides.
        notes: what could not be read and so does not count, for people.
    """

    requires_dist: tuple[Requirement, ...]
    requires_python: SpecifierSet
    provides_extra: frozenset[str]
    build_requires: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Catalogue(Protocol):
    """The one lazy port of the solver: what indexes offer, fetched when asked."""

    def releases(self, distribution: str) -> tuple[Release, ...]:
        """All releases of a distribution (by index name), newest first; none if no index knows it."""

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """The metadata of one file.

        Raises:
            SurroundingsError: it could not be had.
        """

    def prefetch(self, distributions: Iterable[str]) -> None:
        """Say which distributions will probably be asked for, so that waiting overlaps."""
