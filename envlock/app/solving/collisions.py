"""Which wheels of a solved environment cannot be installed, found before anything is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.collisions import WheelContents, broken_wheel, same_files, two_versions
from envlock.model.errors import SurroundingsError
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.installed import Installed
from envlock.model.locked.pins import DistributionPin


def find_collisions(
    pins: Sequence[DistributionPin],
    catalogue: IndexCatalogue,
    knowledge: Knowledge,
    today: dt.date,
) -> tuple[Finding, ...]:
    """Find pinned wheels that cannot be in one environment, or in any, refusals first.

    Only the lists of files are read, through range requests where the index serves them, and kept for ever.
    Distributions that are built have no list yet and take part by name only.

    Raises:
        SurroundingsError: a list could not be had, through no fault of the wheel.
    """
    libraries = two_versions({pin.component: pin.version for pin in pins}, knowledge)
    wheels = [pin for pin in pins if pin.build is None and pin.file.is_wheel]
    lists = catalogue.installed([pin.file for pin in wheels])
    contents = [
        WheelContents(
            component=pin.component, version=pin.version, filename=pin.file.filename, installed=found
        )
        for pin, found in zip(wheels, lists, strict=True)
        if isinstance(found, Installed)
    ]
    broken = (
        broken_wheel(pin.component, pin.version, found.message, found.why)
        for pin, found in zip(wheels, lists, strict=True)
        if isinstance(found, SurroundingsError)
    )
    return (*broken, *libraries, *same_files(contents, today))
