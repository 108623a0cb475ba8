"""What distributions of an answer read on import that others of it took away, before they are installed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from envlock.edges.cache import Cache, default_root
from envlock.edges.imports.reading import read_pinned
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.removed_names import Missing, missing_names, untried
from envlock.model.knowing.finding import Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import DistributionPin


def find_removed_names(
    pins: Sequence[DistributionPin], catalogue: IndexCatalogue, knowledge: Knowledge, today: dt.date
) -> tuple[Missing, ...]:
    """What pins read that a dependency took away after they were published.

    Only the code of such pins is looked through: of an answer whose parts are of one time nothing is fetched.

    Raises:
        SurroundingsError: a file could not be had.
    """
    readers = untried(pins, catalogue, knowledge)
    if not readers:
        return ()
    reads = read_pinned(readers, catalogue, Cache(default_root()), today=today)
    assignment = {pin.component: (Chosen(version=pin.version),) for pin in pins}
    here = {component: code.among(assignment) for component, code in reads.items()}
    missing = missing_names(assignment, here, {}, knowledge)
    return tuple(one for one in missing if not one.met.removal.warning)
