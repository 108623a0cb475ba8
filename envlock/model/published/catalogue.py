"""What package indexes offer: files and releases; and the port through which the solver asks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, overload

from packaging.tags import Tag
from packaging.version import Version

from envlock.model.component import parse_version
from envlock.model.frozen import dataclass
from envlock.model.project.package_sources import Direct, is_folder
from envlock.model.project.target import Interpreter
from envlock.model.published.metadata import Metadata
from envlock.model.published.project_status import ACTIVE, ProjectStatus

NEEDS_BUILD = "metadata-needs-build"
"""The code of the error for an sdist whose dependencies only its build could tell."""
UNASKED = "metadata-unasked"
"""The code of the error for one whose build backend has not told them, and will not be asked."""
BROKEN_FILE = "broken-file"
"""The code of the error for a file that, as published, is not what its name says."""
FILE_GONE = "file-gone"
"""The code of the error for a file that is no longer where an index lists it."""
OF_THE_FILE = frozenset({NEEDS_BUILD, UNASKED, BROKEN_FILE, FILE_GONE})
"""Errors that count against one file and not against its index: another release may work."""

LARGEST_SDIST = 20 << 20
"""Size in bytes beyond which an sdist is not fetched just to learn what it states."""


class ListedBy(NamedTuple):
    """An index that a manifest names, as locks record it."""

    name: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DistFile:
    """One file of a release.

    Attributes:
        filename: the file's name.
        url: its URL; ``file:`` for a local file.
        sha256: its hash in hexadecimal digits; empty where the index does not give it.
        size: its size in bytes; 0 where the index does not give it.
        requires_python: the interpreters it is for, as stated by the index; empty for any.
        upload_time: when it was published, if the index gives it (PEP 700).
        yanked: the reason if it was yanked (PEP 592), ``None`` if not.
        tags: the wheel's compatibility tags; empty for an sdist.
        build: the wheel's build tag (number and suffix), empty for none.
        index: the manifest's index that lists it; ``None`` for those of pip's configuration.
        direct: whether the manifest names this very file, which no index lists; its ``url`` may then be a
            path relative to the project's folder.
        editable: whether it is a folder of sources whose changes take effect at once.
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
    index: ListedBy | None = None
    direct: bool = False
    editable: bool = False

    @property
    def is_folder(self) -> bool:
        """Whether it is a packed copy of what a folder of sources held at a solve."""
        return self.direct and is_folder(self.url)

    @property
    def is_wheel(self) -> bool:
        """Whether the file is a wheel rather than an sdist."""
        return bool(self.tags)


Fits = Callable[[frozenset[Tag]], bool]
"""Tells whether a wheel with some tags can be used."""


class Release(NamedTuple):
    """All files of one version of a distribution, over all indexes.

    An index lists thousands of files, of which a solve looks at few: they are decoded on demand.

    Attributes:
        distribution: its name on the index.
        text: the version, normalised.
        since: the day (UTC) of its first upload; ``None`` where no index gives it.
        load: makes the files; given a predicate, at least the sdists and those wheels that it accepts.
    """

    distribution: str
    text: str
    since: dt.date | None
    load: Callable[[Fits | None], tuple[DistFile, ...]]

    @classmethod
    def of(cls, distribution: str, version: str, files: tuple[DistFile, ...]) -> Release:
        """Make a release whose files are already in memory."""
        return cls(distribution, version, _first_day(files), lambda _fits: files)

    @property
    def version(self) -> Version:
        """The version, parsed."""
        return parse_version(self.text)

    @property
    def files(self) -> tuple[DistFile, ...]:
        """The files, wheels first."""
        return self.load(None)

    def files_for(self, fits: Fits) -> tuple[DistFile, ...]:
        """The sdists and at least the wheels that fit, wheels first."""
        return self.load(fits)


class Releases(Sequence[Release]):
    """The releases of a distribution, in some order; each is made when it is first accessed.

    Indexes list thousands, of which a solve looks at few.

    Attributes:
        texts: their versions, normalised.
        days: the days of their first uploads (UTC, ISO 8601); empty where no index gives it.
        status: what the index says of the project.
        only_from: the manifest's index that alone is asked for the distribution; empty for those of pip's
            configuration. Slices of the releases have neither.
    """

    __slots__ = ("_made", "_make", "days", "only_from", "status", "texts")

    def __init__(
        self,
        texts: Sequence[str],
        days: Sequence[str],
        make: Callable[[int], Release],
        status: ProjectStatus = ACTIVE,
        only_from: str = "",
    ) -> None:
        """Take releases that ``make`` makes by position."""
        self.texts = texts
        self.days = days
        self.status = status
        self.only_from = only_from
        self._make = make
        self._made: dict[int, Release] = {}

    @classmethod
    def of(cls, releases: Iterable[Release]) -> Releases:
        """Make the sequence from releases that are already in memory."""
        found = tuple(releases)
        days = [one.since.isoformat() if one.since else "" for one in found]
        return cls([one.text for one in found], days, found.__getitem__)

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Release]:
        return map(self._at, range(len(self.texts)))

    @overload
    def __getitem__(self, place: int) -> Release: ...
    @overload
    def __getitem__(self, place: slice) -> Releases: ...
    def __getitem__(self, place: int | slice) -> Release | Releases:
        places = range(len(self.texts))[place]
        if isinstance(places, int):
            return self._at(places)
        return Releases(self.texts[place], self.days[place], lambda index: self._at(places[index]))

    def _at(self, place: int) -> Release:
        if place not in self._made:
            self._made[place] = self._make(place)
        return self._made[place]


def _first_day(files: Iterable[DistFile]) -> dt.date | None:
    """The day on which the earliest of some files was published."""
    return min((file.upload_time.date() for file in files if file.upload_time), default=None)


class Catalogue(Protocol):
    """The solver's one lazy port: what indexes offer, fetched when asked for."""

    def releases(self, distribution: str) -> Releases:
        """Return all releases of a distribution (by index name), newest first; none if no index knows it."""

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """Return the metadata of one file.

        Raises:
            SurroundingsError: it could not be obtained.
        """

    def named(self, direct: Direct) -> Release:
        """Return the release that a file or folder named by the manifest is.

        Raises:
            RequestError: it does not exist, or is not what the manifest says.
            SurroundingsError: it could not be obtained.
        """

    def build_requires(self, file: DistFile) -> tuple[str, ...]:
        """Return what an sdist needs in its build environment, as far as it declares that.

        Raises:
            SurroundingsError: it could not be obtained.
        """

    def build_metadata(
        self, distribution: str, file: DistFile, interpreter: Interpreter, wheels: Sequence[DistFile]
    ) -> Metadata:
        """Ask the build backend of an sdist that declares no metadata for it, in an environment of wheels.

        Raises:
            SurroundingsError: the backend does not tell, or may not be asked.
        """

    def prefetch(self, distributions: Iterable[str]) -> None:
        """Announce which distributions will probably be asked for, so that waits overlap."""

    def prefetch_metadata(
        self, distribution: str, file: DistFile, then: Callable[[Metadata], None] | None = None
    ) -> None:
        """Announce that a file's metadata will probably be asked for.

        ``then`` gets it, on any thread, as soon as it is there; not where there is no network to wait for.
        """
