"""The catalogue over real package indexes: the port ``Catalogue``, and the files themselves."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename

from envlock.edges.cache import Cache
from envlock.edges.index.core_metadata import to_metadata
from envlock.edges.index.files import FileProgress, Files
from envlock.edges.index.http import Http
from envlock.edges.index.local_sources import local_path
from envlock.edges.index.merge import Listing, merge
from envlock.edges.index.metadata_reader import MetadataReader
from envlock.edges.index.pages import Pages
from envlock.edges.index.sources import local_sources, remote_sources
from envlock.edges.index.wheel_record import RecordReader
from envlock.edges.pip_configuration import IndexConfiguration
from envlock.model.catalogue import DistFile, Installed, Metadata, Release

_THREADS = 8
"""Requests at a time: waiting overlaps, and no index takes it for an attack."""


class IndexCatalogue:
    """What the configured indexes offer; implements ``Catalogue``. Safe to use from several threads.

    Use it in a ``with`` statement, or ``close`` it. ``backoff_s`` is the pause after a first failed request;
    it doubles with each further one.

    Attributes:
        http: the door to the network, which counts what came through it.
    """

    def __init__(
        self,
        configuration: IndexConfiguration,
        cache: Cache,
        *,
        offline: bool = False,
        progress: FileProgress = lambda _name, _done, _total: None,
        backoff_s: float = 0.25,
    ) -> None:
        self.http = Http(configuration, offline=offline, backoff_s=backoff_s)
        self._local = local_sources(configuration, cache)
        pages = Pages(self.http, cache, offline=offline)
        self._sources = [*remote_sources(configuration, pages), *self._local]
        self._files = Files(self.http, cache, progress)
        self._metadata = MetadataReader(self.http, cache, self._files)
        self._records = RecordReader(self.http, cache, self._files)
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="index")
        self._listings: dict[str, Future[Listing]] = {}
        self._asking = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Who interrupts does not want to wait until an index that is silent has timed out.
        self._pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
        self.http.close()

    def close(self) -> None:
        """Drop what was prefetched and not asked for, and close the connections."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.http.close()

    def releases(self, distribution: str) -> tuple[Release, ...]:
        """All releases of a distribution, newest first; none if no index knows it.

        Raises:
            SurroundingsError: an index fails, or the page is missing offline.
        """
        return self._listing(distribution).releases

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """The metadata of one file.

        Raises:
            SurroundingsError: it could not be had; ``metadata-needs-build`` for an sdist that states none.
        """
        name = canonicalize_name(distribution)
        sidecar = self._sidecar(name, file)
        return to_metadata(self._metadata.read(name, file, sidecar, self._copies(name, file)))

    def prefetch(self, distributions: Iterable[str]) -> None:
        """Begin to read the pages of distributions; errors come up when one is asked for."""
        for distribution in distributions:
            self._begin(canonicalize_name(distribution))

    def local_file(self, file: DistFile) -> Path:
        """The file on the local disk, downloaded if need be, its hash checked.

        Raises:
            SurroundingsError: it could not be had, or is not what the index promised (``hash-mismatch``).
        """
        return self._files.get(file, self._copies(_distribution(file), file))

    def installed(self, wheels: Iterable[DistFile]) -> list[tuple[Installed, ...]]:
        """What each wheel installs, its own dist-info apart; waiting overlaps.

        Raises:
            SurroundingsError: a list of files could not be had.
        """
        asked = [
            self._pool.submit(self._records.read, wheel, self._copies(_distribution(wheel), wheel))
            for wheel in wheels
        ]
        return [one.result() for one in asked]

    def _listing(self, distribution: str) -> Listing:
        return self._begin(canonicalize_name(distribution)).result()

    def _begin(self, name: str) -> Future[Listing]:
        with self._asking:
            if name not in self._listings:
                self._listings[name] = self._pool.submit(self._read_listing, name)
            return self._listings[name]

    def _read_listing(self, name: str) -> Listing:
        return merge(name, (source.rows(name) for source in self._sources))

    def _sidecar(self, name: str, file: DistFile) -> str | None:
        """Known where the page was read; a file out of a lock does without."""
        with self._asking:
            listing = self._listings.get(name)
        return listing.result().sidecars.get(file.url) if listing else None

    def _copies(self, name: str, file: DistFile) -> tuple[Path, ...]:
        """The same file, by its hash, in local places."""
        if not file.sha256 or local_path(file.url) is not None:
            return ()
        rows = (row for source in self._local for row in source.rows(name))
        found = (
            local_path(row.url) for row in rows if row.filename == file.filename and row.sha256 == file.sha256
        )
        return tuple(path for path in found if path is not None)


def _distribution(file: DistFile) -> str:
    parsed = parse_wheel_filename if file.is_wheel else parse_sdist_filename
    return parsed(file.filename)[0]
