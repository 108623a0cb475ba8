"""What changed from one verification to the next."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict

from envlock.lifecycle.doubts import EvidenceExpired, expired
from envlock.lifecycle.evidence.regression import NAME as HISTORY
from envlock.model.frozen import dataclass
from envlock.model.proving.report import Check, Outcome, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """A check with another outcome than before.

    Attributes:
        id: its kind.
        name: what it looks at.
        before: its outcome before; ``None`` if there was no such check.
        now: its outcome now; likewise.
    """

    id: str
    name: str
    before: Outcome | None
    now: Outcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """The difference from the previous verification.

    Attributes:
        since: when that was, UTC.
        other_lock: whether it was of another lock.
        surroundings: what has changed in the surroundings.
        turned: checks with another outcome.
    """

    since: dt.datetime
    other_lock: bool
    surroundings: tuple[EvidenceExpired, ...]
    turned: tuple[Turned, ...]


def news(before: Report, now: Report) -> News:
    """Compare a verification with the previous one; the check of its own history does not count."""
    then, present = _worst(before.checks), _worst(now.checks)
    turned = (
        Turned(id=key[0], name=key[1], before=then.get(key), now=present.get(key))
        for key in dict.fromkeys([*present, *then])
        if then.get(key) is not present.get(key)
    )
    return News(
        since=before.started,
        other_lock=before.lock_sha256 != now.lock_sha256,
        surroundings=tuple(one for one in expired(before, now.surroundings) if not _unseen(one, before, now)),
        turned=tuple(turned),
    )


def _unseen(one: EvidenceExpired, before: Report, now: Report) -> bool:
    """Whether it is a library that no rank loaded this time, of which a verification then knows nothing."""
    libraries = before.surroundings.libraries
    return one.what in libraries and one.what not in now.surroundings.libraries


def _worst(checks: tuple[Check, ...]) -> dict[tuple[str, str], Outcome]:
    """Map kind and name of checks to the outcome; if several share these, to one that is not good."""
    found: defaultdict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for check in checks:
        if check.name != HISTORY:
            found[check.id, check.name].append(check.outcome)
    return {key: min(outcomes, key=lambda outcome: outcome.good) for key, outcomes in found.items()}
