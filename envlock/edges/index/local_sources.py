"""Indexes and links on the local disk: folders of pages (``file:`` indexes) and folders of files."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from envlock.edges.index.file_hashes import FileHashes
from envlock.edges.index.filenames import read_filename
from envlock.edges.index.html_page import read_html_index, read_link_page
from envlock.edges.index.local_path import local_path
from envlock.edges.index.page_rows import Groups, Row, grouped
from envlock.model.errors import SurroundingsError
from envlock.model.published.project_status import ACTIVE, ProjectStatus

_SEPARATOR = r"[-_.]"
"""Separates the words of a name (PEP 503)."""


class LocalIndex:
    """An index in a folder: ``NAME/index.html``.

    A folder that is missing or unreadable is a failing index and not an empty one: otherwise its files would
    be taken from another place.
    """

    def __init__(self, folder: Path, hashes: FileHashes) -> None:
        self._folder = folder
        self._hashes = hashes
        self._known: dict[str, Groups] = {}

    def groups(self, distribution: str) -> Groups:
        """Return the files of a distribution; none if the folder has no page about it."""
        if distribution not in self._known:
            self._known[distribution] = self._read(distribution)
        return self._known[distribution]

    def at_hand(self, distribution: str) -> bool:  # noqa: ARG002 - a disk is always at hand
        """Always."""
        return True

    def _read(self, distribution: str) -> Groups:
        page = self._folder / distribution / "index.html"
        try:
            content = page.read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            if self._folder.is_dir():
                return Groups()
            raise _unreadable(self._folder, error) from error
        except OSError as error:
            raise _unreadable(page, error) from error
        listed = read_html_index(content, page.as_uri())
        return _there(map(Row._make, listed.rows), distribution, self._hashes, listed.status)


class LocalLinks:
    """A folder of files, a single file, or a local page of links (``find-links``); empty if missing.

    Clusters have wheelhouses of 20,000 files: names are grouped once by their first word, so that a
    distribution is looked for only among the few that begin as it does.
    """

    def __init__(self, path: Path, hashes: FileHashes) -> None:
        self._path = path
        self._hashes = hashes
        self._reading = threading.Lock()
        self._known: dict[str, Groups] = {}

    def groups(self, distribution: str) -> Groups:
        """Return the files of a distribution."""
        with self._reading:
            alike = self._by_first_word.get(_first_word(distribution), ())
        if distribution not in self._known:
            self._known[distribution] = _there(map(self._placed, alike), distribution, self._hashes)
        return self._known[distribution]

    def at_hand(self, distribution: str) -> bool:  # noqa: ARG002 - a disk is always at hand
        """Always."""
        return True

    @cached_property
    def _by_first_word(self) -> Mapping[str, Sequence[Row]]:
        found: dict[str, list[Row]] = {}
        for row in self._listed():
            found.setdefault(_first_word(row.filename), []).append(row)
        return found

    def _listed(self) -> Iterable[Row]:
        """Return the page's links; of a folder only the names, because making URLs takes most of the time."""
        if self._path.is_dir():
            return (Row(name, "") for name in sorted(os.listdir(self._path)))  # noqa: PTH208 - Paths take long
        if self._path.suffix in (".html", ".htm") and self._path.is_file():
            return read_link_page(self._path.read_bytes(), self._path.as_uri())
        return (Row(self._path.name, self._path.as_uri()),)

    def _placed(self, row: Row) -> Row:
        return row if row.url else row._replace(url=(self._path / row.filename).as_uri())


def _first_word(name: str) -> str:
    """Return a name's first word, which all files of one distribution share."""
    return re.split(_SEPARATOR, name, maxsplit=1)[0].lower()


def _there(
    rows: Iterable[Row], distribution: str, hashes: FileHashes, status: ProjectStatus = ACTIVE
) -> Groups:
    """Group the rows of one distribution: existing files with their hashes and sizes, and remote URLs."""
    return grouped(_present(rows, distribution, hashes), distribution, status)


def _present(rows: Iterable[Row], distribution: str, hashes: FileHashes) -> Iterator[Row]:
    for row in rows:
        if not read_filename(row.filename, distribution):
            continue
        path = local_path(row.url)
        if path is None:
            yield row
        elif path.is_file():
            yield row._replace(sha256=row.sha256 or hashes.sha256(path), size=path.stat().st_size)


def _unreadable(where: Path, error: OSError) -> SurroundingsError:
    return SurroundingsError(
        "index-unreachable",
        "an index on this machine cannot be read",
        where=str(where),
        why=error.strerror or "",
        hint="`pip config list` and [[indexes]] of envlock.toml name the indexes; is a file system missing?",
    )
