"""Sizes and licences of distribution files, read in the cheapest way possible and cached by hash."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import IO, cast

from packaging.utils import canonicalize_name, parse_wheel_filename

from envlock.edges.archive_damage import damage_raised_as
from envlock.edges.cache import Cache, Form
from envlock.edges.index.files import FetchedFiles
from envlock.edges.index.http import Http
from envlock.edges.index.kept_files import content_key
from envlock.edges.index.licence import read_licence
from envlock.edges.index.local_path import local_path
from envlock.edges.index.range_file import NoRangesError, RangeFile
from envlock.edges.index.wheel_metadata import broken_file, read_wheel_metadata
from envlock.model.published.catalogue import DistFile
from envlock.model.published.file_summary import FileSummary

_KIND = "summary"
_FORM: Form = {"download": int, "installed": int, "files": int, "licence": str}


class SummaryReader:
    """Reads summaries from the first that has one: cache, local copy, the wheel's end, whole file."""

    __slots__ = ("_cache", "_files", "_http")

    def __init__(self, http: Http, cache: Cache, files: FetchedFiles) -> None:
        self._http = http
        self._cache = cache
        self._files = files

    def read(self, file: DistFile, copies: Iterable[Path]) -> FileSummary:
        """Return a file's size and licence.

        Raises:
            SurroundingsError: it cannot be fetched, or is not a whole archive.
        """
        key = content_key(file)
        kept = self._cache.read_as(_KIND, key, _FORM)
        if kept is not None:
            return FileSummary(**kept)
        path = self._files.cached(file) or next(iter(copies), None)
        if path is None and local_path(file.url) is not None:
            path = self._files.get(file, ())  # packs a folder, or reports that a file is gone
        summary = (self._wheel if file.is_wheel else self._sdist)(file, path)
        self._cache.write(_KIND, key, asdict(summary))
        return summary

    def _wheel(self, file: DistFile, path: Path | None) -> FileSummary:
        if path is None:
            try:
                remote = RangeFile(lambda span: self._http.get_part(file.url, span))
                return _of_wheel(cast("IO[bytes]", remote), file)
            except NoRangesError:
                path = self._files.get(file, ())
        with path.open("rb") as opened:
            return _of_wheel(opened, file)

    def _sdist(self, file: DistFile, path: Path | None) -> FileSummary:
        if path is None:
            part = self._http.get_part(file.url, "0-0") if not file.size else None
            return FileSummary(
                download=file.size or (part.total if part else 0), installed=0, files=0, licence=""
            )
        from envlock.edges.index.stated_sources import archive_licence  # noqa: PLC0415 - mostly in the cache

        return FileSummary(download=path.stat().st_size, installed=0, files=0, licence=archive_licence(path))


def _of_wheel(opened: IO[bytes], file: DistFile) -> FileSummary:
    name = canonicalize_name(parse_wheel_filename(file.filename)[0])
    licence = read_licence(read_wheel_metadata(opened, file.filename, name))
    with damage_raised_as(partial(broken_file, file.filename)), zipfile.ZipFile(opened) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
    return FileSummary(
        download=opened.seek(0, 2),
        installed=sum(member.file_size for member in members),
        files=len(members),
        licence=licence,
    )
