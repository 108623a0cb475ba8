"""What distributions of an answer read on import that others of it took away, before any are installed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import nullcontext

from envlock.edges.cache import Cache, default_root
from envlock.edges.code.failing import read_failing
from envlock.edges.code.reading import LARGEST_PINNED, imported_names, read_code, read_pinned
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.removed_names import Missing, PastRemoval, is_asked_for_at_once, missing_names
from envlock.judging.untried import untried
from envlock.judging.used_names import as_preference, gone_since
from envlock.model.component import PYTHON
from envlock.model.knowing.fact import Fact
from envlock.model.knowing.finding import Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import YOU, DistributionPin, Solved


def find_removed_names(
    answer: Solved, catalogue: IndexCatalogue, knowledge: Knowledge, today: dt.date
) -> tuple[Missing, ...]:
    """Find what pins read that others took away: pins published before those, and what the group asked for.

    The code of what was asked for is read where the answer has a cut-off, because it is read then anyway
    (``find_unstated_imports``): those who publish soon after a removal have not always tried it. For other
    answers, whose parts are of one time, nothing is fetched, but for wishes that fell back by years: those
    meet an interpreter that came long after them. Of old releases that the group asks for, larger files are
    read as well: they are what it is about.

    Raises:
        SurroundingsError: a file could not be had.
    """
    pins = answer.distributions
    of_one_time = answer.as_of is None
    asked = [
        pin
        for pin in pins
        if YOU in pin.asked_by and (not of_one_time or pin.component in answer.fallen_back)
    ]
    old = untried(pins, catalogue, knowledge)
    readers = list({pin.component: pin for pin in (*old, *asked)}.values())
    if not readers:
        return ()
    reads = read_pinned(
        readers,
        catalogue,
        Cache(default_root()),
        today=today,
        python=answer.interpreter.version,
        wholly={pin.component for pin in old if YOU in pin.asked_by},
    )
    assignment = {pin.component: (Chosen(version=pin.version),) for pin in pins}
    here = {component: code.among(assignment) for component, code in reads.items()}
    assignment[PYTHON] = (Chosen(version=answer.interpreter.version),)
    missing = missing_names(assignment, here, {}, knowledge)
    # What another distribution would bring is not a conflict but a need (``find_unstated_imports``).
    return tuple(read for read in missing if not read.met.removal.warning and not read.instead)


def find_used_names(answer: Solved, catalogue: IndexCatalogue, knowledge: Knowledge) -> tuple[Fact, ...]:
    """Find names that older wishes use somewhere and others have since taken away, as facts to solve around.

    With releases that still have them the wishes work; with later ones they fail where their functions are
    called. Large files are left out.

    Raises:
        SurroundingsError: a file could not be had.
    """
    found: list[Fact] = []
    for pin in untried(answer.distributions, catalogue, knowledge):
        if YOU in pin.asked_by and 0 < pin.file.size <= LARGEST_PINNED:
            found += _preferences(pin, answer, catalogue, knowledge)
    return tuple(found)


def _preferences(
    pin: DistributionPin, answer: Solved, catalogue: IndexCatalogue, knowledge: Knowledge
) -> Iterator[Fact]:
    met: dict[str, list[PastRemoval]] = {}
    for past in gone_since(pin, answer.distributions, catalogue, knowledge):
        met.setdefault(past.component, []).append(past)
    names = {
        other: frozenset[str]().union(*(past.removal.names for past in ones)) for other, ones in met.items()
    }
    failing = read_failing(
        {pin.component: (pin.name, pin.version)},
        {(pin.component, other): gone for other, gone in names.items()},
        Cache(default_root()),
        lambda: nullcontext(catalogue),
        python=answer.interpreter.version,
    )
    for (_, other), uses in failing.items():
        fact = as_preference(pin, met[other], uses)
        if fact is not None:
            yield fact


def is_imported_at_once(reader: str, answer: Solved, catalogue: IndexCatalogue, today: dt.date) -> bool:
    """Whether everyone who uses the answer imports a pin whose code was read; in doubt they do.

    Raises:
        SurroundingsError: a file could not be had.
    """
    pin = next(distribution for distribution in answer.distributions if distribution.component == reader)
    asking = [distribution for distribution in answer.distributions if reader in distribution.dependencies]
    code = read_code(
        {dependent.component: (dependent.name, dependent.version) for dependent in asking},
        Cache(default_root()),
        lambda: nullcontext(catalogue),
        today=today,
        python=answer.interpreter.version,
    )
    modules = imported_names(catalogue.local_file(pin.file), pin.name)
    return is_asked_for_at_once(pin, asking, code, modules)
