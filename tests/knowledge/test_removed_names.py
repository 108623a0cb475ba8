"""What the search for removed names proposes, and what is known of removals."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from envlock.model.component import parse_version
from envlock.model.knowing.fact import Source
from envlock.model.knowing.removal import Removal
from tests.scripts import script
from tests.shipped import KNOWLEDGE

REMOVALS = [one for some in KNOWLEDGE.removals.values() for one in some]

tool = script("find_removed_names")


def test_every_removal_was_read_or_seen() -> None:
    assert REMOVALS
    for one in REMOVALS:
        assert all(source.title.startswith(("https://", "seen: ")) for source in one.sources), one


def test_nothing_is_removed_twice() -> None:
    told: dict[tuple[str, str], list[Removal]] = defaultdict(list)
    for one in REMOVALS:
        for name in one.names:
            told[one.component, name].append(one)
    for removals in told.values():
        in_turn = sorted(removals, key=lambda one: parse_version(one.since))
        assert not any(before.has_happened(after.since) for before, after in pairwise(in_turn)), in_turn


@pytest.mark.parametrize(
    ("hits", "first", "last", "mended"), [({2, 3, 4}, "2", "4", "5"), ({7, 8, 9}, "7", "9", "")]
)
def test_releases_in_a_row_are_proposed_and_the_last_one_may_be_among_them(
    monkeypatch: pytest.MonkeyPatch, hits: set[int], first: str, last: str, mended: str
) -> None:
    found: Any = tool.Finder.__new__(tool.Finder)
    found.distribution = "thing"
    found.releases = [SimpleNamespace(text=str(number)) for number in range(10)]
    told = ("numpy.float", "thing.py:1")
    monkeypatch.setattr(tool.Finder, "_hit", lambda _self, index, _removal: told if index in hits else None)
    monkeypatch.setattr(tool.Finder, "_excluded", lambda _self, _release, _removal: False)
    source = Source(title="seen: it has gone", checked=dt.date(2026, 1, 1))
    removal = Removal(component="numpy", since="1.24", until="", listed="numpy.float", sources=(source,))
    (proposal,) = found.proposals([removal])
    assert (proposal.first, proposal.last, proposal.mended) == (first, last, mended)
