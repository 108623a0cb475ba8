from __future__ import annotations

import datetime as dt

import pytest

from envlock.lifecycle.freeze import admit_freeze, refuse_if_frozen
from envlock.model.component import Range
from envlock.model.errors import ExitStatus, RefusedError, RequestError
from envlock.model.project.group import Freeze, Group

DAY = dt.date(2027, 6, 30)


def group(until: dt.date | None) -> Group:
    return Group(
        name="thesis-a",
        python=Range.versions(""),
        wishes=(),
        extends="",
        one_process=True,
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
