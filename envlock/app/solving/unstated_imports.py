"""What a group's distributions import and nothing in the answer brings, before any are installed."""

from __future__ import annotations

import datetime as dt

from envlock.edges.cache import Cache, default_root
from envlock.edges.code.reading import read_pinned
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.unstated_imports import unstated_imports
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.need import Need
from envlock.model.locked.installed import Installed
from envlock.model.locked.pins import YOU, Solved


def find_unstated_imports(
    answer: Solved, catalogue: IndexCatalogue, knowledge: Knowledge, today: dt.date
) -> tuple[Need, ...]:
    """Find what the distributions that the group asked for import and nothing in the answer brings.

    Reading the code of a whole old stack would double the time of a first solve. Large files are left out.

    Raises:
        SurroundingsError: a file could not be had.
    """
    pins = answer.distributions
    asked = [pin for pin in pins if YOU in pin.asked_by]
    reads = read_pinned(
        asked, catalogue, Cache(default_root()), today=today, python=answer.interpreter.version
    )
    lists = catalogue.installed([pin.file for pin in pins if pin.file.is_wheel])
    modules = {
        top.partition(".")[0] for listed in lists if isinstance(listed, Installed) for top in listed.tops
    }
    present = [*(pin.component for pin in pins), *(system.component for system in answer.systems)]
    return unstated_imports(reads, present, modules, knowledge)
