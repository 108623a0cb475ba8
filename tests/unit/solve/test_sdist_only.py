"""When a wheel is of another time than the sources that followed it."""

from __future__ import annotations

import datetime as dt

import pytest

from envlock.model.published.catalogue import Release
from envlock.solve.offers.sdist_only import SdistOnly
from tests.memory import MemoryCatalogue

WHEEL = "a-1.0-py3-none-any.whl"
SOURCES = "a-1.1.tar.gz"


def release(day: dt.date | None, *files: str) -> Release:
    version = files[0].split("-")[1].removesuffix(".tar.gz")
    uploaded = {} if day is None else {"uploaded": day}
    (found,) = MemoryCatalogue({"a": {version: {"files": list(files), **uploaded}}}).releases("a")
    return found


@pytest.mark.parametrize(
    ("day", "old"),
    [
        (dt.date(2020, 4, 29), False),
        (dt.date(2020, 4, 30), True),
        (dt.date(2024, 1, 1), True),
        (None, False),
    ],
    ids=["a-day-less-than-a-year", "a-year", "years", "of-no-day"],
)
def test_a_year_of_sources_alone_leaves_a_wheel_behind(day: dt.date | None, old: bool) -> None:
    wheel = release(dt.date(2019, 5, 1), WHEEL)
    assert SdistOnly(None).for_years(wheel, release(day, SOURCES)) is old


@pytest.mark.parametrize(
    ("wheel", "day", "old"),
    [
        (WHEEL, dt.date(2020, 4, 29), False),
        (WHEEL, dt.date(2020, 4, 30), True),
        ("a-1.0-cp38-cp38-manylinux1_x86_64.whl", dt.date(2020, 4, 30), False),
    ],
    ids=["a-day-less-than-a-year", "a-year", "a-year-after-what-is-compiled"],
)
def test_it_ends_with_the_groups_day(wheel: str, day: dt.date, old: bool) -> None:
    later = release(dt.date(2019, 6, 1), SOURCES)
    assert SdistOnly(day).for_years(release(dt.date(2019, 5, 1), wheel), later) is old


@pytest.mark.parametrize(
    ("beside", "old"),
    [("a-1.1-cp312-cp312-win_amd64.whl", False), ("a-1.1-py2-none-any.whl", True)],
    ids=["compiled-for-others", "for-an-interpreter-of-old"],
)
def test_what_is_compiled_for_others_is_not_made_for_here(beside: str, old: bool) -> None:
    wheel, later = release(dt.date(2019, 5, 1), WHEEL), release(dt.date(2022, 4, 1), SOURCES, beside)
    known = SdistOnly(None)
    assert [known.for_years(wheel, later) for _ in range(2)] == [old, old]
