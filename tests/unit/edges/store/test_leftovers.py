"""What counts as left over in a store: only what is older than anything that is being made."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from envlock.edges.store.leftovers import leftovers
from envlock.edges.store.store import Store

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
MARGIN_S = 1800.0


@pytest.mark.parametrize(
    ("place", "kind", "limit_s"),
    [
        ("logs/one.log", "log", 7 * DAY_S),
        ("logs/one.sh", "log", 7 * DAY_S),
        ("verify-one", "verification", DAY_S),
        ("compare-one", "verification", DAY_S),
        ("building/.one", "temporary", HOUR_S),
        ("environments/.one", "temporary", HOUR_S),
        ("wheels/.one", "temporary", HOUR_S),
        ("holders/.one.json", "temporary", HOUR_S),
        ("current/local/.one", "temporary", HOUR_S),
        ("previous/project/local/.one", "temporary", HOUR_S),
    ],
)
def test_what_may_still_be_needed_or_made_stays(
    tmp_path: Path, place: str, kind: str, limit_s: float
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()

    def left(age_s: float) -> list[str]:
        then = time.time() - age_s
        os.utime(path, (then, then))
        return [one.kind for one in leftovers(Store(tmp_path))]

    assert left(limit_s - MARGIN_S) == []
    assert left(limit_s + MARGIN_S) == [kind]
