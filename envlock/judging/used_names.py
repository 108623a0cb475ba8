"""Names that distributions use somewhere in their code and that later releases of others removed."""

from __future__ import annotations

from collections.abc import Sequence

from envlock.judging.index_sources import file_on_index
from envlock.judging.learned_conflicts import learned_conflict
from envlock.judging.removed_names import REMOVED_NAMES, PastRemoval, removals_met
from envlock.judging.untried import newest_on
from envlock.model.component import PYTHON, Range, parse_version
from envlock.model.knowing.fact import Condition, Fact
from envlock.model.knowing.finding import Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import DistributionPin
from envlock.model.published.catalogue import Catalogue
from envlock.model.published.failing_use import FailingUse


def gone_since(
    reader: DistributionPin, pins: Sequence[DistributionPin], catalogue: Catalogue, knowledge: Knowledge
) -> tuple[PastRemoval, ...]:
    """Return what others in an answer removed after a distribution was published, unknown to its authors.

    Args:
        reader: the distribution, whose file has a date.
        pins: the answer.
        catalogue: what indexes list of the others, with dates.
        knowledge: the removals.
    """
    if reader.file.upload_time is None:
        return ()
    day = reader.file.upload_time.date()
    others = {
        pin.component: (Chosen(version=pin.version),) for pin in pins if pin.component != reader.component
    }
    met = [
        past
        for past in removals_met(others, knowledge)
        if past.component != PYTHON and not past.removal.warning
    ]
    tried = {name: newest_on(day, name, catalogue) for name in {past.component for past in met}}
    return tuple(
        past
        for past in met
        if (newest := tried[past.component]) is not None and newest < parse_version(past.removal.since)
    )


def as_preference(
    reader: DistributionPin, met: Sequence[PastRemoval], uses: Sequence[FailingUse]
) -> Fact | None:
    """Make a fact to follow while possible: beside the release goes what has all the names that it uses.

    Args:
        reader: the distribution.
        met: the removals of one other component.
        uses: where its names are used, surest first.
    """
    used = {use.name for use in uses}
    using = [past for past in met if not past.removal.names.isdisjoint(used)]
    if not using:
        return None
    first = min(using, key=lambda past: parse_version(past.removal.since))
    use = next(use for use in uses if use.name in first.removal.names)
    other, since = first.component, first.removal.since
    where = f"when {use.function} is called" if use.function else "when that module is imported"
    return learned_conflict(
        f"{REMOVED_NAMES}:{reader.component}-{reader.version}+{other}-{since}",
        (
            Condition(component=reader.component, range=Range.only(reader.version)),
            Condition(component=other, range=Range.versions(first.removal.versions())),
        ),
        reason=f"{reader.component} {reader.version} looks for {use.name} {where} ({use.where}), "
        f"which {other} {since} no longer has",
        sources=(
            file_on_index(use.where, f"{reader.name} {reader.version}", first.removal.sources[0].checked),
            *first.removal.sources,
        ),
    )
