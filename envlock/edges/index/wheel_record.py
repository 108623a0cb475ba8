"""A wheel's list of files, its RECORD, read in the cheapest way and cached for ever by hash."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, cast

from envlock.edges.archive_damage import damage_raised_as
from envlock.edges.cache import Cache
from envlock.edges.index.files import FetchedFiles
from envlock.edges.index.http import Http
from envlock.edges.index.kept_files import content_key
from envlock.edges.index.range_file import NoRangesError, RangeFile, by_ranges
from envlock.edges.index.wheel_directory import read_directory
from envlock.edges.index.wheel_metadata import broken_file
from envlock.model.errors import SurroundingsError
from envlock.model.locked.installed import Installed, tops_of
from envlock.model.published.catalogue import DistFile

_KIND = "record-3"
_FILES = "record-files-1"
_TOP = rb"(?m)^[^/,\r\n]+"
_OWN = b".dist-info"
_SCHEMES = {"purelib": "", "platlib": "", "scripts": "../../../bin/"}
"""Where the parts of ``NAME.data`` go, relative to the packages (PEP 427); others keep their scheme's
name."""


class RecordReader:
    """Reads RECORDs from: cache, local copy, parts of the wheel, whole file."""

    __slots__ = ("_begun", "_cache", "_files", "_http", "_known")

    def __init__(self, http: Http, cache: Cache, files: FetchedFiles) -> None:
        self._http = http
        self._cache = cache
        self._files = files
        self._known: dict[str, Installed] = {}
        self._begun: dict[str, RangeFile] = {}

    def kept(self, file: DistFile) -> Installed | None:
        """Return what a wheel installs, if that was read before."""
        key = content_key(file)
        if key not in self._known:
            found = self._cache.read_attached(_KIND, key, [str])
            if found is None:
                return None
            tops, record = found
            self._known[key] = Installed(tops, partial(self._listed, file, record))
        return self._known[key]

    def read(self, file: DistFile, copies: Iterable[Path]) -> Installed:
        """Return what a wheel that is not kept yet installs besides its own dist-info.

        Raises:
            SurroundingsError: it cannot be fetched, or the file is not a whole wheel.
        """
        return self._keep(file, self._record(file, copies))

    def begun(self, file: DistFile, remote: RangeFile) -> None:
        """Take over a partly read wheel: its RECORD mostly lies beside its METADATA."""
        if self.kept(file) is not None:
            return
        try:
            with remote.at_hand():
                self._keep(file, _member(cast("IO[bytes]", remote), file.filename))
        except NoRangesError:
            self._begun[file.url] = remote
        except SurroundingsError:
            return  # reported when somebody asks for it

    def _begin(self, file: DistFile) -> RangeFile:
        remote = RangeFile(lambda span: self._http.get_part(file.url, span))
        read_directory(remote)
        return remote

    def _keep(self, file: DistFile, record: bytes) -> Installed:
        with _no_table(file):
            tops = _tops(record)
        self._cache.write_attached(_KIND, content_key(file), sorted(tops), record)
        return Installed(tops, partial(self._listed, file, record))

    def _listed(self, file: DistFile, record: bytes | memoryview) -> dict[str, str]:
        """Return the files of a RECORD, which is parsed only once."""
        files: dict[str, str] | None = self._cache.read_as(_FILES, content_key(file), {"*": str})
        if files is None:
            with _no_table(file):
                files = _installed(record)
            self._cache.write(_FILES, content_key(file), files)
        return files

    def _record(self, file: DistFile, copies: Iterable[Path]) -> bytes:
        path = self._files.cached(file) or next(iter(copies), None)
        if path is None:
            record = by_ranges(lambda: self._remote_record(file))
            if record is not None:
                return record
            path = self._files.get(file, ())
        with path.open("rb") as opened:
            return _member(opened, file.filename)

    def _remote_record(self, file: DistFile) -> bytes:
        remote = self._begun.pop(file.url, None) or self._begin(file)
        return _member(cast("IO[bytes]", remote), file.filename)


@contextmanager
def _no_table(file: DistFile) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        raise broken_file(file.filename, f"its RECORD is no table: {error}") from error


def _member(file: IO[bytes], filename: str) -> bytes:
    with damage_raised_as(partial(broken_file, filename)), zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            if name.endswith(".dist-info/RECORD") and name.count("/") == 1:
                return archive.read(name)
    raise broken_file(filename, "it has no RECORD")


def _tops(record: bytes) -> set[str]:
    """Return the paths' first parts. All 15,000 paths are read only if another wheel shares such a part."""
    if b'"' in record or b".data/" in record:
        return tops_of(_installed(record))
    return {str(top, "utf-8", "replace") for top in set(re.findall(_TOP, record)) if not top.endswith(_OWN)}


def _installed(record: bytes | memoryview) -> dict[str, str]:
    """Map each file's path to its hash."""
    text = str(record, "utf-8", "replace")
    rows = csv.reader(io.StringIO(text))
    found = {row[0]: row[1] for row in rows if len(row) > 1 and ".dist-info/" not in row[0]}
    return dict(_spread(found.items())) if ".data/" in text else found


def _spread(rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the files with those of ``NAME.data`` at the places that they go to."""
    for path, digest in rows:
        top, _, rest = path.partition("/")
        if top.endswith(".data"):
            scheme, _, inner = rest.partition("/")
            yield _SCHEMES.get(scheme, f"{scheme}:") + inner, digest
        else:
            yield path, digest
