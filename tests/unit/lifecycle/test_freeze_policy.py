from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from envlock.lifecycle.freeze import admit_freeze, refuse_if_frozen, wanted_freeze
from envlock.model.component import Range
from envlock.model.errors import ExitStatus, RefusedError, RequestError
from envlock.model.project.group import Freeze, Group

DAY = dt.date(2027, 6, 30)
LATER = dt.date(2027, 12, 31)


def group(until: dt.date | None) -> Group:
    return Group(
        name="thesis-a",
        python=Range.versions(""),
        wishes=(),
        extends="",
        as_of="auto",
        frozen=Freeze(until=until, reason="thesis A is handed in") if until else None,
    )


def test_a_freeze_holds_through_its_last_day():
    for today in (DAY, DAY - dt.timedelta(days=200)):
        with pytest.raises(RefusedError) as caught:
            refuse_if_frozen(group(DAY), today)
        error = caught.value
        assert (error.code, error.status) == ("frozen", ExitStatus.NO)
        assert "2027-06-30" in error.message
        assert error.why == "thesis A is handed in"
        assert "envlock thaw thesis-a" in error.hint
        assert "2027-06-30" in error.hint


def test_a_freeze_that_has_passed_no_longer_holds():
    refuse_if_frozen(group(DAY), DAY + dt.timedelta(days=1))
    refuse_if_frozen(group(None), DAY)


def test_a_frozen_group_that_has_lost_its_lock_is_told_to_bring_it_back():
    with pytest.raises(RefusedError) as caught:
        refuse_if_frozen(group(DAY), DAY, lost="locks/local/pylock.thesis-a.toml")
    assert (caught.value.code, caught.value.where) == ("frozen-unlocked", "locks/local/pylock.thesis-a.toml")


ARCHIVES = {"local": "a" * 64}


@pytest.mark.parametrize(
    ("today", "until", "reason", "wanted"),
    [
        (DAY, None, None, Freeze(until=DAY, reason="thesis A is handed in", archives=ARCHIVES)),
        (DAY, None, "it  is\nlate", Freeze(until=DAY, reason="it is late", archives=ARCHIVES)),
        (DAY, LATER, None, Freeze(until=LATER, reason="thesis A is handed in", archives=ARCHIVES)),
        (LATER, LATER, None, Freeze(until=LATER, reason="")),
        (LATER, LATER, "anew", Freeze(until=LATER, reason="anew")),
    ],
)
def test_what_is_not_said_anew_stays_as_long_as_the_freeze_holds(today, until, reason, wanted):
    before = group(DAY)
    frozen = replace(before, frozen=replace(before.frozen, archives=ARCHIVES))
    assert wanted_freeze(frozen, until, reason, today) == wanted


def test_without_a_freeze_that_holds_a_last_day_is_needed():
    for one, today in ((group(None), DAY), (group(DAY), LATER)):
        with pytest.raises(RequestError) as caught:
            wanted_freeze(one, None, "x", today)
        assert caught.value.code == "until-missing"
    assert wanted_freeze(group(None), DAY, None, DAY) == Freeze(until=DAY, reason="")


@pytest.mark.parametrize(
    ("promised", "until", "code"),
    [
        (None, dt.date(2026, 11, 20), "freeze-past"),
        (dt.date(2027, 6, 30), dt.date(2027, 6, 29), "frozen-longer"),
    ],
)
def test_freezes_that_are_not_admitted(promised: dt.date | None, until: dt.date, code: str):
    with pytest.raises((RequestError, RefusedError)) as caught:
        admit_freeze(group(promised), Freeze(until=until, reason="x"), dt.date(2026, 11, 21))
    assert caught.value.code == code


def test_freezes_that_are_admitted():
    today = dt.date(2026, 11, 21)
    admit_freeze(group(None), Freeze(until=today, reason="x"), today)
    admit_freeze(group(DAY), Freeze(until=DAY, reason="x"), today)
    admit_freeze(group(dt.date(2026, 11, 20)), Freeze(until=today, reason="x"), today)


def test_a_freeze_needs_a_reason():
    with pytest.raises(RequestError) as caught:
        admit_freeze(group(None), Freeze(until=DAY, reason=" "), dt.date(2026, 11, 21))
    assert caught.value.code == "reason-missing"
