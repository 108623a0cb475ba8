"""What releases from after an answer's time read on import that older ones beside them do not have yet."""

from __future__ import annotations

import datetime as dt
from contextlib import nullcontext

from envlock.edges.cache import Cache, default_root
from envlock.edges.code.lacking import read_lacking
from envlock.edges.code.reading import read_pinned
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.lacking_names import as_learned_conflict, lacking_findings
from envlock.model.knowing.fact import Fact
from envlock.model.knowing.finding import Chosen
from envlock.model.locked.pins import DistributionPin, Solved


def find_late_names(
    answer: Solved, catalogue: IndexCatalogue, today: dt.date
) -> tuple[tuple[Fact, str], ...]:
    """Return facts to solve around, each with the distribution that reads a name which an older one lacks.

    The parts of an answer are of one time, and were tried together by many. A release that had to be taken
    from after that time was made beside later ones: where it states no lower bound, it gets what is too old.

    Raises:
        SurroundingsError: a file could not be had.
    """
    pins = {pin.component: pin for pin in answer.distributions}
    late = [pin for pin in pins.values() if _day(pin) > (answer.as_of or dt.date.max)]
    pairs = [
        (reader.component, name)
        for reader in late
        for name in reader.dependencies
        if name in pins and _day(pins[name]) < _day(reader)
    ]
    if not pairs:
        return ()
    cache, python = Cache(default_root()), answer.interpreter.version
    reads = read_pinned(late, catalogue, cache, today=today, python=python)
    holders = {name: (pins[name].name, pins[name].version) for _, name in pairs}
    lacking = read_lacking(reads, holders, cache, lambda: nullcontext(catalogue), python=python, among=pairs)
    assignment = {name: (Chosen(version=pin.version),) for name, pin in pins.items()}
    here = {name: code.among(assignment) for name, code in reads.items()}
    findings = lacking_findings(assignment, here, lacking, ())
    return tuple((as_learned_conflict(finding), next(iter(finding.components))) for finding in findings)


def _day(pin: DistributionPin) -> dt.date:
    """The day of a release's file; for one without a day, one before all others."""
    return dt.date.min if pin.file.upload_time is None else pin.file.upload_time.date()
