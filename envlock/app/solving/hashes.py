"""Hashes of locked files that no index gives: fetched and computed, so that a lock has one for every file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from envlock.edges.digests import file_sha256
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.model.locked.pins import DistributionPin, Solved


def with_hashes(solved: Solved, catalogue: IndexCatalogue) -> Solved:
    """Return the answer with the hash of every file, build environments included.

    Raises:
        SurroundingsError: a file could not be had.
    """
    return replace(solved, distributions=_hashed(solved.distributions, catalogue))


def _hashed(pins: Iterable[DistributionPin], catalogue: IndexCatalogue) -> tuple[DistributionPin, ...]:
    return tuple(_with_hash(pin, catalogue) for pin in pins)


def _with_hash(pin: DistributionPin, catalogue: IndexCatalogue) -> DistributionPin:
    if pin.build is not None:
        pin = replace(pin, build=replace(pin.build, requires=_hashed(pin.build.requires, catalogue)))
    if pin.file.sha256 or pin.file.editable:
        return pin
    return replace(pin, file=replace(pin.file, sha256=file_sha256(catalogue.local_file(pin.file))))
