"""The port ``Catalogue`` over real package indexes, and access to the files themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from packaging.utils import canonicalize_name

from envlock.analysis.core_metadata import Fields
from envlock.edges.cache import Cache
from envlock.edges.index.file_summaries import SummaryReader
from envlock.edges.index.filenames import distribution_of
from envlock.edges.index.files import FetchedFiles, FileProgress
from envlock.edges.index.http import Http
from envlock.edges.index.listings import Listings
from envlock.edges.index.local_path import local_path
from envlock.edges.index.look_ahead import LookAhead
from envlock.edges.index.metadata_reader import MetadataReader, metadata_key
from envlock.edges.index.named_files import NamedFiles
from envlock.edges.index.pages import Pages
from envlock.edges.index.places import Places
from envlock.edges.index.sources import copies_of, local_sources, remote_sources
from envlock.edges.index.wheel_members import WheelMembers, wheel_members
from envlock.edges.index.wheel_record import RecordReader
from envlock.edges.pip_configuration import IndexConfiguration
from envlock.edges.threads import Threads
from envlock.model.errors import SurroundingsError
from envlock.model.locked.installed import Installed
from envlock.model.project.package_sources import NO_SOURCES, Direct, PackageSources
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import OF_THE_FILE, DistFile, Release, Releases
from envlock.model.published.file_summary import FileSummary
from envlock.model.published.metadata import Metadata

if TYPE_CHECKING:
    from concurrent.futures import Future

Backend = Callable[[Cache, DistFile, Path, Interpreter, Sequence[Path]], Fields]
"""Asks the build backend of an sdist, in an environment of wheels (``built_metadata.backend_fields``)."""

_THREADS = 16
"""Requests at a time: waiting overlaps, and no index takes it for an attack."""


class IndexCatalogue:
    """Everything that the configured indexes offer; implements ``Catalogue`` and is thread-safe.

    Use it in a ``with`` statement, or ``close`` it. ``backoff_s`` is the pause after the first failed
    request; it doubles with each further one. ``manifest`` holds the package sources of the project's
    manifest, ``addresses`` those of files that it names; ``folder`` is the project's folder.

    Attributes:
        http: the door to the network, which counts the bytes received.
        has_sources: whether there is any index or folder of files to look in.
    """

    def __init__(
        self,
        configuration: IndexConfiguration,
        cache: Cache,
        *,
        manifest: PackageSources = NO_SOURCES,
        addresses: Sequence[str] = (),
        folder: Path = Path(),
        backend: Backend | None = None,
        offline: bool = False,
        progress: FileProgress = lambda _name, _done, _total: None,
        backoff_s: float = 0.25,
    ) -> None:
        named = [*(index.url for index in manifest.indexes), *addresses]
        self.http = Http(configuration, named, offline=offline, backoff_s=backoff_s)
        self._local = local_sources(configuration, cache)
        pages = Pages(self.http, cache, offline=offline)
        pip = [*remote_sources(configuration, pages), *self._local]
        self.has_sources = bool(pip or manifest.indexes)
        self._files = FetchedFiles(self.http, cache, progress)
        self._named = NamedFiles(folder, self._files, cache, offline=offline)
        self._backend = backend if manifest.build_metadata else None
        self._cache = cache
        self._unusable: dict[str, SurroundingsError] = {}
        self._records = RecordReader(self.http, cache, self._files)
        self._metadata = MetadataReader(self.http, cache, self._files, self._records)
        self._summaries = SummaryReader(self.http, cache, self._files)
        self._pool = Threads(_THREADS, "index")
        self._listings = Listings(Places(manifest, pip, pages, cache), self._pool)
        self._decoded: dict[str, Metadata] = {}
        self._begun: dict[str, Future[Metadata]] = {}
        self._ahead = LookAhead(_THREADS)
        self._offline = offline

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        # Somebody who interrupts does not want to wait until a silent index has timed out.
        self.close(wait=not isinstance(error, KeyboardInterrupt))

    def close(self, *, wait: bool = True) -> None:
        """Drop prefetches that have not started, wait for the others or do not, and close the connections."""
        self._pool.close(wait=wait, drop=True)
        self.http.close()

    def releases(self, distribution: str) -> Releases:
        """Return all releases of a distribution, newest first; none if no index knows it.

        Raises:
            SurroundingsError: an index fails, or the page is missing offline.
        """
        return self._listings.of(canonicalize_name(distribution)).releases

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """Return the metadata of one file.

        Raises:
            SurroundingsError: it cannot be had; ``metadata-needs-build`` for an sdist that states none.
        """
        if file.editable:
            return self._named.metadata(distribution, file)
        file = self._named.placed(file)
        key = metadata_key(file)
        if key not in self._decoded:
            begun = self._begun.get(key)
            kept = None if begun else self._metadata.kept(file)
            if not begun and not kept and not self._offline:
                self._look_ahead(canonicalize_name(distribution), file)
            self._decoded[key] = begun.result() if begun else kept or self._read_metadata(distribution, file)
        return self._decoded[key]

    def _read_metadata(self, distribution: str, file: DistFile) -> Metadata:
        name = canonicalize_name(distribution)
        if file.url in self._unusable:
            raise self._unusable[file.url]
        try:
            return self._metadata.read(name, file, self._sidecar(name, file), self._copies(name, file))
        except SurroundingsError as error:
            if error.code in OF_THE_FILE:
                self._unusable[file.url] = error
            raise

    def named(self, direct: Direct) -> Release:
        """Return the only release of a file or a folder named by the manifest.

        Raises:
            RequestError: it is not there.
            SurroundingsError: it cannot be had, or is not what the manifest says (``hash-mismatch``).
        """
        return self._named.release(direct)

    def build_requires(self, file: DistFile) -> tuple[str, ...]:
        """Return what an sdist needs in its build environment, as far as it states that.

        Raises:
            SurroundingsError: the file cannot be had.
        """
        if not file.editable:
            placed = self._named.placed(file)
            return self._metadata.build_requires(placed, self._copies(distribution_of(file.filename), placed))
        from envlock.edges.index.stated_sources import archive_build_requires  # noqa: PLC0415 - few solves ask

        return archive_build_requires(self.local_file(self._named.packed(file)), editable=True)

    def build_metadata(
        self, distribution: str, file: DistFile, interpreter: Interpreter, wheels: Sequence[DistFile]
    ) -> Metadata:
        """Ask the build backend of an sdist that states no metadata, in an environment of wheels.

        Raises:
            SurroundingsError: the backend does not answer, or the manifest forbids asking it.
        """
        if self._backend is None:
            raise SurroundingsError(
                "metadata-build-forbidden",
                f"{canonicalize_name(distribution)}'s build backend may not be asked",
                where="build-metadata = false",
            )
        from envlock.edges.index.stated_sources import metadata_from_backend  # noqa: PLC0415 - few solves ask

        environment = [self.local_file(wheel) for wheel in wheels]
        packed = self._named.packed(file)
        sdist = self.local_file(packed)
        fields = self._backend(self._cache, packed, sdist, interpreter, environment)
        return metadata_from_backend(fields, sdist, editable=file.editable)

    def prefetch_metadata(
        self, distribution: str, file: DistFile, then: Callable[[Metadata], None] | None = None
    ) -> None:
        """Begin to read a file's metadata if that takes time; errors surface when it is asked for."""
        if file.editable:
            return
        file = self._named.placed(file)
        key = metadata_key(file)
        if key not in self._decoded and key not in self._begun:
            if (kept := self._metadata.kept(file)) is not None:
                self._decoded[key] = kept
            elif not self._offline:
                self._ahead.begin(canonicalize_name(distribution))
                self._begun[key] = self._pool.submit(self._read_metadata, distribution, file)
        if then is None or self._offline:
            return
        if key in self._decoded:
            then(self._decoded[key])
        else:
            self._begun[key].add_done_callback(partial(_tell, then))

    def _look_ahead(self, name: str, file: DistFile) -> None:
        """Prefetch what a solver that walks from release to release will ask for next."""
        listing = self._listings.asked_for(name)
        further = self._ahead.further(name)
        for older in islice(listing.alike_before(file), further) if listing else ():
            self.prefetch_metadata(name, older)

    def prefetch(self, distributions: Iterable[str]) -> None:
        """Begin to read the pages of distributions; errors surface when one is asked for."""
        self._listings.begin(distributions)

    def local_file(self, file: DistFile) -> Path:
        """Return the local path of a file, downloaded if need be and hash-checked; an editable's folder.

        Raises:
            SurroundingsError: it cannot be had, or is not what the index promised (``hash-mismatch``).
        """
        if file.editable:
            return self._named.folder(file)
        file = self._named.placed(file)
        return self._files.get(file, self._copies(distribution_of(file.filename), file))

    def members(self, file: DistFile) -> WheelMembers | None:
        """Return a wheel's modules, readable one by one; ``None`` where its index serves no ranges.

        Raises:
            SurroundingsError: the wheel cannot be had, or is not a whole archive.
        """
        if not file.is_wheel or local_path(file.url) is not None:
            return None
        return wheel_members(self._named.placed(file), self.http, self._cache, self._pool.map)

    def installed(self, wheels: Iterable[DistFile]) -> list[Installed | SurroundingsError]:
        """List what each wheel installs besides its own dist-info, or its defect; requests overlap.

        Raises:
            SurroundingsError: a list of files cannot be had, through no fault of the wheel.
        """
        found = [(wheel, self._records.kept(wheel)) for wheel in map(self._named.placed, wheels)]
        asked = {
            wheel.url: self._pool.submit(self._installed, wheel) for wheel, kept in found if kept is None
        }
        return [asked[wheel.url].result() if kept is None else kept for wheel, kept in found]

    def _installed(self, wheel: DistFile) -> Installed | SurroundingsError:
        try:
            return self._records.read(wheel, self._copies(distribution_of(wheel.filename), wheel))
        except SurroundingsError as error:
            if error.code not in OF_THE_FILE or wheel.direct:
                raise
            return error

    def summaries(self, files: Iterable[DistFile]) -> list[FileSummary | None]:
        """Return each file's size and licence, ``None`` where they cannot be had; requests overlap."""
        asked = [self._pool.submit(self._summary, self._named.placed(file)) for file in files]
        return [future.result() for future in asked]

    def _summary(self, file: DistFile) -> FileSummary | None:
        if file.editable:
            return None
        try:
            return self._summaries.read(file, self._copies(distribution_of(file.filename), file))
        except SurroundingsError:
            return None

    def _sidecar(self, name: str, file: DistFile) -> str | None:
        """Return the sidecar's hash if the page was read; a file from a lock does without."""
        listing = self._listings.asked_for(name)
        return listing.sidecars.get(file.url) if listing else None

    def _copies(self, name: str, file: DistFile) -> tuple[Path, ...]:
        return copies_of(file, name, self._local)


def _tell(then: Callable[[Metadata], None], read: Future[Metadata]) -> None:
    if not read.cancelled() and read.exception() is None:
        with suppress(RuntimeError):  # a closed catalogue starts nothing new
            then(read.result())
