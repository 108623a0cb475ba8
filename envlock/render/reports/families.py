"""Families of checks, in the order and by the names in which people read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from envlock.model.proving.report import Check, Outcome

_FAMILIES = {
    "S": "files and node",
    "L": "launch",
    "P": "one process",
    "C": "communication",
    "W": "supervision",
    "R": "history",
}
_OTHER = "other"
"""Whatever else a report of another envlock looked at."""
_WORST_FIRST = (
    Outcome.CRASHED,
    Outcome.TIMED_OUT,
    Outcome.FAILED,
    Outcome.WARNED,
    Outcome.PASSED,
    Outcome.NOT_APPLICABLE,
)


def family_of(check: Check) -> str:
    """Return the name of a check's family."""
    return _FAMILIES.get(check.id[:1], _OTHER)


def families(checks: Iterable[Check]) -> Iterator[tuple[str, list[Check]]]:
    """Yield name and checks of each family that has any, with what is not good first."""
    found = list(checks)
    for name in (*_FAMILIES.values(), _OTHER):
        own = [check for check in found if family_of(check) == name]
        if own:
            yield name, sorted(own, key=lambda check: check.outcome.good)


def counts(checks: Iterable[Check]) -> list[tuple[Outcome, int]]:
    """Count checks by outcome, worst first; outcomes without a check are left out."""
    found = Counter(check.outcome for check in checks)
    return [(outcome, found[outcome]) for outcome in _WORST_FIRST if found[outcome]]


def counted(checks: Iterable[Check]) -> str:
    """Return the counts as words: ``1 failed, 30 passed``."""
    return ", ".join(f"{number} {outcome.value.replace('-', ' ')}" for outcome, number in counts(checks))
