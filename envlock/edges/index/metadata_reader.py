"""The metadata of one file, read in the cheapest way; cached for ever, because files never change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, cast

from packaging.utils import canonicalize_name
from packaging.version import Version

from envlock.analysis.core_metadata import Fields, read_raw, to_fields, to_metadata
from envlock.analysis.sdists.from_cython import NO_CYTHON, FromCython
from envlock.edges.cache import Cache, Form
from envlock.edges.index.filenames import read_filename
from envlock.edges.index.files import FetchedFiles, hash_mismatch, refuse_page, unstated
from envlock.edges.index.http import Http
from envlock.edges.index.kept_metadata import FIELDS_FORM, READ_FORM, pack, unpack
from envlock.edges.index.range_file import TAIL, RangeFile, by_ranges
from envlock.edges.index.refusals import refusal
from envlock.edges.index.wheel_directory import read_directory
from envlock.edges.index.wheel_metadata import broken_file, read_wheel_metadata
from envlock.edges.index.wheel_record import RecordReader
from envlock.model.errors import SurroundingsError
from envlock.model.project.package_sources import without_credentials
from envlock.model.published.catalogue import NEEDS_BUILD, DistFile
from envlock.model.published.metadata import Metadata

if TYPE_CHECKING:
    from packaging.metadata import RawMetadata

_OF_WHEELS = "metadata-11"
_OF_SDISTS = "sdist-metadata-17"
"""Kinds under which it is cached; each is incremented whenever more is read from such a file than before."""

_OF_SILENT_SDISTS = f"{_OF_SDISTS}-none"
"""The kind of those in which no metadata was found, so that archives are not looked through again."""

_OF_BUILDS = f"{_OF_SDISTS}-builds"
"""The kind of what their builds need: to unpack a large archive takes seconds."""

_LONGEST_TAIL = 1 << 20
"""Most bytes of a wheel's end that are requested without knowing that they are needed."""
_MORE = 8
"""Releases differ, so an eighth more is requested than the last one took."""

_FORMS: Mapping[str, Form] = MappingProxyType(
    {_OF_WHEELS: (FIELDS_FORM, READ_FORM), _OF_SDISTS: (FIELDS_FORM, READ_FORM, tuple, bool)}
)


class MetadataReader:
    """Reads metadata from: cache, local copy, the index's metadata file, parts of the wheel, whole file."""

    __slots__ = ("_cache", "_files", "_http", "_records", "_tails")

    def __init__(self, http: Http, cache: Cache, files: FetchedFiles, records: RecordReader) -> None:
        self._http = http
        self._cache = cache
        self._files = files
        self._records = records
        self._tails: dict[str, int] = {}

    def kept(self, file: DistFile) -> Metadata | None:
        """Return the metadata of a file that was read before.

        The raw fields are cached beside their decoded form, because the decoding rules improve.
        """
        found = self._cache.read_as(_kind(file), metadata_key(file), _FORMS[_kind(file)])
        if found is None:
            return None
        fields, read, *of_sdist = found
        metadata = unpack(read)
        if metadata is None:
            return self._keep(file, Fields(**fields), FromCython(*of_sdist) if of_sdist else NO_CYTHON)
        return _with_cython(metadata, FromCython(*of_sdist)) if any(of_sdist) else metadata

    def read(
        self, distribution: str, file: DistFile, sidecar: str | None, copies: Iterable[Path]
    ) -> Metadata:
        """Return the metadata of a file that is not kept yet.

        Args:
            distribution: the canonical name.
            file: the file.
            sidecar: the hash of the index's metadata file, ``None`` if it has none (see ``Row``).
            copies: the same file in local places.

        Raises:
            SurroundingsError: it cannot be fetched; ``metadata-needs-build`` for an sdist that states none.
        """
        if file.is_wheel:
            raw = read_raw(self._of_wheel(distribution, file, sidecar, copies))
            _check_identity(raw, distribution, file)
            return self._keep(file, to_fields(raw))
        return self._keep(file, *self._of_sdist(distribution, file, copies))

    def build_requires(self, file: DistFile, copies: Iterable[Path]) -> tuple[str, ...]:
        """Return what an sdist needs in its build environment, as far as it states that.

        Args:
            file: the sdist.
            copies: the same file in local places.

        Raises:
            SurroundingsError: it cannot be fetched, or is not a whole archive.
        """
        kept = self._cache.read_as(_OF_BUILDS, metadata_key(file), [str])
        if kept is not None:
            return tuple(kept)
        from envlock.edges.index.stated_sources import archive_build_requires  # noqa: PLC0415 - few solves ask

        stated = archive_build_requires(self._files.get(file, copies), editable=False)
        self._cache.write(_OF_BUILDS, metadata_key(file), list(stated))
        return stated

    def _keep(self, file: DistFile, fields: Fields, cython: FromCython = NO_CYTHON) -> Metadata:
        metadata = to_metadata(fields)
        kept = (asdict(fields), pack(metadata))
        self._cache.write(_kind(file), metadata_key(file), kept if file.is_wheel else (*kept, *cython))
        return _with_cython(metadata, cython)

    def _of_wheel(
        self, distribution: str, file: DistFile, sidecar: str | None, copies: Iterable[Path]
    ) -> bytes:
        path = self._files.cached(file) or next(iter(copies), None)
        if path is None and sidecar is not None and (content := self._of_sidecar(file, sidecar)) is not None:
            return content
        if path is None:
            content = by_ranges(lambda: self._remote_metadata(distribution, file))
            if content is not None:
                return content
            path = self._files.get(file, ())
        with path.open("rb") as opened:
            return read_wheel_metadata(opened, file.filename, distribution)

    def _remote_metadata(self, distribution: str, file: DistFile) -> bytes:
        remote = self._opened(distribution, file)
        content = read_wheel_metadata(cast("IO[bytes]", remote), file.filename, distribution)
        self._records.begun(file, remote)
        return content

    def _opened(self, distribution: str, file: DistFile) -> RangeFile:
        """Open a remote wheel at its end; how much that took decides the first request for the next one."""
        tail = self._tails.get(distribution, TAIL)
        remote = RangeFile(lambda span: self._http.get_part(file.url, span), tail)
        size = remote.size
        read_directory(remote)
        reached = size - remote.first
        if TAIL < reached <= _LONGEST_TAIL:
            self._tails[distribution] = reached + reached // _MORE
        return remote

    def _of_sidecar(self, file: DistFile, sha256: str) -> bytes | None:
        """Fetch the metadata file beside a wheel; ``None`` if the index promised one that is not there."""
        answer = self._http.get(f"{file.url}.metadata")
        if answer.status == HTTPStatus.NOT_FOUND:
            return None
        if answer.status != HTTPStatus.OK:
            raise refusal(answer.url, answer.status)
        content = bytes(answer.content)
        found = hashlib.sha256(content).hexdigest()
        if sha256 and found != sha256:
            raise hash_mismatch(f"{file.filename}.metadata", answer.url, sha256, found)
        if not sha256:
            refuse_page(content, answer.url)
        return content

    def _of_sdist(
        self, distribution: str, file: DistFile, copies: Iterable[Path]
    ) -> tuple[Fields, FromCython]:
        """Return what the whole file states, which the build needs anyway."""
        if self._cache.read_as(_OF_SILENT_SDISTS, metadata_key(file), str):
            raise unstated(file)
        from envlock.edges.index.stated_sources import archive_fields  # noqa: PLC0415 - mostly in the cache

        try:
            return archive_fields(self._files.get(file, copies), distribution, file)
        except SurroundingsError as error:
            if error.code == NEEDS_BUILD:
                self._cache.write(_OF_SILENT_SDISTS, metadata_key(file), file.filename)
            raise


def _check_identity(raw: RawMetadata, distribution: str, file: DistFile) -> None:
    """Refuse metadata that contradicts the wheel's name, as installers do.

    Raises:
        SurroundingsError: ``broken-file``.
    """
    if canonicalize_name(raw.get("name", "")) != distribution:
        raise broken_file(file.filename, f"it has no metadata of {distribution}")
    named, stated = read_filename(file.filename, distribution), raw.get("version", "")
    try:
        same = named is None or Version(stated) == named.version
    except ValueError:  # also for a number with more digits than Python parses
        same = False
    if not same:
        raise broken_file(file.filename, f"its metadata is of version {stated or 'none'}")


def _with_cython(metadata: Metadata, found: FromCython) -> Metadata:
    return replace(metadata, translated=found.translated, translates=found.translates)


def _kind(file: DistFile) -> str:
    return _OF_WHEELS if file.is_wheel else _OF_SDISTS


def metadata_key(file: DistFile) -> str:
    """Return the cache key of a file's metadata, with the file name, because the two have to match."""
    return f"{file.sha256} {file.filename}" if file.sha256 else without_credentials(file.url)
