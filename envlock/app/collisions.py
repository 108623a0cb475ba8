"""Collisions of a solved environment's wheels, found before anything is installed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from envlock.edges.index.catalogue import IndexCatalogue
from envlock.model.finding import Finding
from envlock.model.knowledge import Knowledge
from envlock.model.pins import DistributionPin
from envlock.solve.collisions import Contents, same_files, two_versions


def find_collisions(
    pins: Sequence[DistributionPin],
    catalogue: IndexCatalogue,
    knowledge: Knowledge,
    today: dt.date,
) -> tuple[Finding, ...]:
    """What of the pinned wheels cannot be in one environment, refusals first.

    Only the lists of files are read, through range requests where the index serves them, and kept for ever.
    Distributions that are built have no list yet and take part by name only.

    Raises:
        SurroundingsError: a list could not be had.
    """
    libraries = two_versions({pin.component: pin.version for pin in pins}, knowledge)
    wheels = [pin for pin in pins if pin.build is None and pin.file.is_wheel]
    lists = catalogue.installed([pin.file for pin in wheels])
    contents = [
        Contents(component=pin.component, version=pin.version, filename=pin.file.filename, installed=found)
        for pin, found in zip(wheels, lists, strict=True)
    ]
    return (*libraries, *same_files(contents, today))
