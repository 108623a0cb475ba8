"""Where a distribution's files are looked for: an index of the manifest, or pip's configuration.

A distribution is taken only from the first place that knows it, so that nobody can slip in a newer file of a
private distribution by publishing one of the same name elsewhere. Only within pip's own configuration do all
sources count together, as they do for pip.
"""

from __future__ import annotations

from collections.abc import Sequence

from envlock.edges.cache import Cache
from envlock.edges.index.file_hashes import FileHashes
from envlock.edges.index.local_path import local_path
from envlock.edges.index.local_sources import LocalIndex
from envlock.edges.index.pages import Pages
from envlock.edges.index.sources import RemoteIndex, Source
from envlock.model.frozen import dataclass
from envlock.model.project.package_sources import PIP, NamedIndex, PackageSources, without_credentials
from envlock.model.published.catalogue import ListedBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Sources that count as one.

    Attributes:
        index: the manifest's index; ``None`` for pip's configuration.
        sources: the sources, in the order of rank.
    """

    index: ListedBy | None
    sources: Sequence[Source]


class Places:
    """The places of each distribution, in the order in which they are asked."""

    __slots__ = ("_by_name", "_everywhere", "_pinned")

    def __init__(self, manifest: PackageSources, pip: Sequence[Source], pages: Pages, cache: Cache) -> None:
        own = {index.name: _place(index, pages, cache) for index in manifest.indexes}
        common = Place(index=None, sources=pip)
        self._by_name = {**own, PIP: common}
        self._everywhere = (*(own[index.name] for index in manifest.indexes if not index.explicit), common)
        self._pinned = manifest.pinned

    def of(self, distribution: str) -> Sequence[Place]:
        """Return the places for a distribution (canonical name)."""
        pinned = self._pinned.get(distribution)
        return (self._by_name[pinned],) if pinned is not None else self._everywhere

    def at_hand(self, distribution: str) -> bool:
        """Whether they can be read without the network."""
        return all(
            source.at_hand(distribution) for place in self.of(distribution) for source in place.sources
        )


def _place(index: NamedIndex, pages: Pages, cache: Cache) -> Place:
    listed = ListedBy(index.name, without_credentials(index.url))
    return Place(index=listed, sources=(_source(index, pages, cache),))


def _source(index: NamedIndex, pages: Pages, cache: Cache) -> Source:
    """Open an index; "forbidden" may not mean "not there" where further indexes would then be asked."""
    path = local_path(index.url)
    if path is not None:
        return LocalIndex(path, FileHashes(cache))
    return RemoteIndex(index.url, pages, lenient=index.explicit)
