"""What a first solve will most likely ask for, begun while the machine is still looked at.

Only who knows the node knows which wheels fit. But most distributions have one wheel for all nodes, or one
for this kind, and the newest release is mostly the one: once the node is known, its metadata and the pages
that it leads to are there. A guess that was wrong costs one request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial

from packaging.specifiers import InvalidSpecifier
from packaging.tags import Tag

from envlock.edges.index.listings import Listings
from envlock.edges.index.merge import Listing
from envlock.edges.marker_environments import Platform
from envlock.model.catalogue import DistFile, Metadata
from envlock.model.component import Range

_ANY = "any"
_LINUX = re.compile(r"(?:many)?linux")
_PYTHON_3 = frozenset({("py3", "none"), ("cp3", "abi3")})
_LAST_MICRO = 99
"""Of a series, for ranges that leave out its first releases."""

Read = Callable[[str, DistFile, Callable[[Metadata], None]], None]
"""Begins to read the metadata of a distribution's file; told what it is as soon as it is there."""


class Guesses:
    """Goes from page to metadata to page, for one platform. Safe to use from several threads."""

    __slots__ = ("_listings", "_machine", "_platform", "_python", "_read")

    def __init__(self, listings: Listings, read: Read, platform: Platform) -> None:
        self._listings = listings
        self._read = read
        self._platform = platform
        self._python = platform.markers["python_version"]
        self._machine = platform.markers["platform_machine"]

    def begin(self, wanted: Iterable[tuple[str, Range]]) -> None:
        """Begin to read pages that are not at hand, and what the newest release in the range leads to."""
        for name, within in wanted:
            self._listings.begin((name,), partial(self._look, name, within))

    def _look(self, name: str, within: Range, listing: Listing) -> None:
        file = self._likely(listing, within)
        if file is not None:
            self._read(name, file, self._past)

    def _past(self, metadata: Metadata) -> None:
        asked = (one for one in metadata.requires_dist if self._platform.meets(one.marker))
        self.begin((one.name, Range.versions(one.specifier)) for one in asked)

    def _likely(self, listing: Listing, within: Range) -> DistFile | None:
        """The one wheel that may fit of the newest release that has any; ``None`` where it has several."""
        for release in listing.releases:
            if release.version.is_prerelease or not within.contains(release.text):
                continue
            wheels = [
                file
                for file in release.files_for(self._fits)
                if file.is_wheel and file.yanked is None and self._admitted(file.requires_python)
            ]
            if wheels:
                return wheels[0] if len(wheels) == 1 else None
        return None

    def _admitted(self, requires_python: str) -> bool:
        try:
            return Range.versions(requires_python).contains(f"{self._python}.{_LAST_MICRO}")
        except InvalidSpecifier:
            return False

    def _fits(self, tags: frozenset[Tag]) -> bool:
        return any(self._fits_one(tag) for tag in tags)

    def _fits_one(self, tag: Tag) -> bool:
        here = _LINUX.match(tag.platform) and tag.platform.endswith(self._machine)
        own = f"cp{self._python.replace('.', '')}"
        return bool(here or tag.platform == _ANY) and (
            tag.interpreter == own or (tag.interpreter[:3], tag.abi) in _PYTHON_3
        )
