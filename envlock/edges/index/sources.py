"""The sources of files, by rank: main index, further indexes, find-links."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from envlock.edges.cache import Cache
from envlock.edges.files import personal_path
from envlock.edges.index.file_hashes import FileHashes
from envlock.edges.index.local_path import local_path
from envlock.edges.index.local_sources import LocalIndex, LocalLinks
from envlock.edges.index.page_rows import Groups, Row, grouped
from envlock.edges.index.pages import Pages
from envlock.edges.pip_configuration import IndexConfiguration
from envlock.model.published.catalogue import DistFile


class Source(Protocol):
    """A source that lists files."""

    def groups(self, distribution: str) -> Groups:
        """Return the files it lists of a distribution (canonical name), by version, newest first."""

    def at_hand(self, distribution: str) -> bool:
        """Whether that needs no network."""


class RemoteIndex:
    """An index over HTTP; all but the main one are ``lenient`` about what "not there" looks like."""

    __slots__ = ("_lenient", "_pages", "_url")

    def __init__(self, url: str, pages: Pages, *, lenient: bool) -> None:
        self._url = url
        self._pages = pages
        self._lenient = lenient

    def groups(self, distribution: str) -> Groups:
        """Return the files of a distribution."""
        return self._pages.index_page(self._page(distribution), distribution, lenient=self._lenient)

    def at_hand(self, distribution: str) -> bool:
        """Whether the page is fresh."""
        return self._pages.at_hand(self._page(distribution))

    def _page(self, distribution: str) -> str:
        return f"{self._url}/{distribution}/"


class RemoteLinks:
    """A page of links over HTTP; it covers all distributions, so it is read once."""

    def __init__(self, url: str, pages: Pages) -> None:
        self._url = url
        self._pages = pages
        self._reading = threading.Lock()
        self._rows: tuple[Row, ...] | None = None

    def groups(self, distribution: str) -> Groups:
        """Return the page's links to files of a distribution."""
        with self._reading:
            if self._rows is None:
                self._rows = self._pages.link_page(self._url)
        return grouped(self._rows, distribution)

    def at_hand(self, distribution: str) -> bool:  # noqa: ARG002 - the page is the same for all
        """Whether the page is fresh."""
        return self._rows is not None or self._pages.at_hand(self._url)


def remote_sources(configuration: IndexConfiguration, pages: Pages) -> list[Source]:
    """Return the sources that are asked over the network."""
    indexes = [
        RemoteIndex(url, pages, lenient=url != configuration.index_url)
        for url in _indexes(configuration)
        if _is_remote(url)
    ]
    return [*indexes, *(RemoteLinks(url, pages) for url in configuration.find_links if _is_remote(url))]


def local_sources(configuration: IndexConfiguration, cache: Cache) -> list[Source]:
    """Return the sources on the local disk."""
    hashes = FileHashes(cache)
    indexes = [LocalIndex(path, hashes) for url in _indexes(configuration) if (path := local_path(url))]
    folders = [
        local_path(link) or personal_path(link).absolute()
        for link in configuration.find_links
        if not _is_remote(link)
    ]
    return [*indexes, *(LocalLinks(folder, hashes) for folder in folders)]


def copies_of(file: DistFile, distribution: str, places: Sequence[Source]) -> tuple[Path, ...]:
    """Return the local paths of files with the same name and hash.

    Args:
        file: a file of an index; one that is local or has no hash has no copies.
        distribution: its canonical name.
        places: the local ones.
    """
    if not file.sha256 or local_path(file.url) is not None:
        return ()
    listed = (place.groups(distribution) for place in places)
    rows = (
        Row._make(row) for groups in listed for number in range(len(groups)) for row in groups.rows(number)
    )
    found = (
        local_path(row.url) for row in rows if row.filename == file.filename and row.sha256 == file.sha256
    )
    return tuple(path for path in found if path is not None)


def _indexes(configuration: IndexConfiguration) -> tuple[str, ...]:
    urls = dict.fromkeys((configuration.index_url, *configuration.extra_index_urls))
    return tuple(url for url in urls if url)


def _is_remote(url: str) -> bool:
    return url.startswith(("http://", "https://"))
