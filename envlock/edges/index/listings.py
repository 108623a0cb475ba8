"""The indexes' listings of each distribution: read once, started early, whichever thread asks."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from packaging.utils import NormalizedName, canonicalize_name

from envlock.edges.index.merge import MergedListing
from envlock.edges.index.page_rows import Groups
from envlock.edges.index.places import Places
from envlock.edges.threads import Threads

if TYPE_CHECKING:
    from concurrent.futures import Future


class Listings:
    """Listings by the distribution's normalised name. Thread-safe."""

    __slots__ = ("_asking", "_begun", "_known", "_places", "_pool")

    def __init__(self, places: Places, pool: Threads) -> None:
        self._places = places
        self._pool = pool
        self._known: dict[str, MergedListing] = {}
        self._begun: dict[str, Future[MergedListing]] = {}
        self._asking = threading.Lock()

    def begin(self, distributions: Iterable[str]) -> None:
        """Begin to read those that are not at hand; errors surface when one is asked for."""
        for distribution in distributions:
            name = canonicalize_name(distribution)
            # Reading what is at hand is faster than handing it to another thread.
            if name not in self._known and name not in self._begun and not self._places.at_hand(name):
                self._begin(name)

    def of(self, name: NormalizedName) -> MergedListing:
        """Return the listing of a distribution.

        Raises:
            SurroundingsError: an index fails, or the page is missing offline.
        """
        if name not in self._known:
            at_hand = name not in self._begun and self._places.at_hand(name)
            listing = self._read(name) if at_hand else self._begin(name).result()
            self._known.setdefault(name, listing)
        return self._known[name]

    def asked_for(self, name: str) -> MergedListing | None:
        """Return the listing of a distribution whose page was asked for; ``None`` for others."""
        if name in self._known:
            return self._known[name]
        with self._asking:
            listing = self._begun.get(name)
        return None if listing is None else listing.result()

    def _begin(self, name: str) -> Future[MergedListing]:
        with self._asking:
            if name not in self._begun:
                self._begun[name] = self._pool.submit(self._read, name)
            return self._begun[name]

    def _read(self, name: str) -> MergedListing:
        """Read the listing from the first place that knows the distribution."""
        listings: list[Groups] = []
        places = self._places.of(name)
        for place in places:
            listings = [source.groups(name) for source in place.sources]
            if len(places) == 1 or any(listing.known for listing in listings):
                return MergedListing(name, listings, place.index)
        return MergedListing(name, listings)
