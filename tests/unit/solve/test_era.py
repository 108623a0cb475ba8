"""The cut-off that pinned requirements imply."""

from __future__ import annotations

import datetime as dt

import pytest
from packaging.requirements import Requirement

from envlock.model.component import Range
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import DistFile
from envlock.solve.era import PIN_MARGIN, build_cut_off, era_of_pins
from envlock.solve.request import Request
from tests.memory import MemoryCatalogue, interpreter, machine

INDEX = {
    "jaxlib": {
        "0.4.13": {"uploaded": dt.date(2025, 12, 5)},
        "0.4.18": {"uploaded": dt.date(2023, 10, 6)},
        "0.5.0": {"uploaded": dt.date(2025, 1, 17)},
    },
    "mended": {"2.2.28": {"uploaded": dt.date(2022, 4, 11)}, "3.0": {"uploaded": dt.date(2019, 12, 2)}},
    "series": {
        "1.15.0": {"uploaded": dt.date(2019, 10, 16)},
        "1.15.5": {"uploaded": dt.date(2021, 1, 6)},
        "2.0.0": {"uploaded": dt.date(2019, 9, 30)},
        "2.11.0": {"uploaded": dt.date(2022, 11, 18)},
    },
    "open": {
        "0.5.1": {"uploaded": dt.date(2021, 2, 8)},
        "0.5.2": {"uploaded": dt.date(2021, 10, 29)},
        "0.5.3": {"uploaded": dt.date(2022, 4, 13)},
        "0.5.7": {"uploaded": dt.date(2024, 10, 28)},
        "0.5.12": {"uploaded": dt.date(2026, 4, 8)},
    },
    "young": {"0.7": {"uploaded": dt.date(2020, 3, 5)}, "1.0": {"uploaded": dt.date(2020, 11, 16)}},
    "later": {"1.0": {"uploaded": dt.date(2020, 8, 20)}},
    "plain": {"1.0": {"uploaded": dt.date(2020, 1, 15)}, "1.1": {}},
}


def era(*texts, python="3.7.16", knowledge=None):
    wishes = tuple(
        Wish(
            component=(requirement := Requirement(text)).name,
            range=Range.versions(str(requirement.specifier)),
            requirement=requirement,
            text=text,
            group="g",
        )
        for text in texts
    )
    knowledge = knowledge or KnowledgeDecoder().finish("0" * 64)
    return era_of_pins(wishes, interpreter(python), knowledge, MemoryCatalogue(INDEX))


@pytest.mark.parametrize(
    ("texts", "day"),
    [
        (["plain==1.0"], dt.date(2020, 1, 15)),
        (["plain==1.0", "mended==2.2.28"], dt.date(2022, 4, 11)),
        (["jaxlib==0.5.0", "plain==1.0"], dt.date(2025, 1, 17)),
    ],
)
def test_the_newest_pin_counts(texts, day):
    assert era(*texts) == day + PIN_MARGIN


def test_a_wish_that_came_out_soon_after_the_pins_counts():
    assert era("plain==1.0", "young") == dt.date(2020, 3, 5) + PIN_MARGIN
    assert era("mended==3.0", "young>=0.7") == dt.date(2020, 3, 5) + PIN_MARGIN


def test_a_wish_that_came_out_soon_after_such_a_wish_counts_too():
    assert era("mended==3.0", "young>=0.7", "later") == dt.date(2020, 8, 20) + PIN_MARGIN
    assert era("mended==3.0", "later") == dt.date(2019, 12, 2) + PIN_MARGIN


def test_a_lower_bound_within_a_year_after_the_pins_counts():
    assert era("plain==1.0", "young>=1") == dt.date(2020, 11, 16) + PIN_MARGIN
    assert era("plain==1.0", "young~=1.0") == dt.date(2020, 11, 16) + PIN_MARGIN


def test_a_wish_that_came_out_long_after_the_pins_does_not_count():
    assert era("plain==1.0", "young!=0.7") == dt.date(2020, 1, 15) + PIN_MARGIN
    assert era("plain==1.0", "later") == dt.date(2020, 1, 15) + PIN_MARGIN
    assert era("plain==1.0", "open>=0.5.2") == dt.date(2020, 1, 15) + PIN_MARGIN
    assert era("young") is None


def test_a_wish_whose_old_releases_left_the_index_does_not_count():
    decoder = KnowledgeDecoder()
    source = {"title": "https://example.org", "checked": dt.date(2026, 11, 20)}
    kept = {"distribution": "young", "address": "https://example.org", "sources": [source]}
    decoder.components({"kept-at": [kept]}, "components.toml")
    knowledge = decoder.finish("0" * 64)
    assert era("plain==1.0", "young", knowledge=knowledge) == dt.date(2020, 1, 15) + PIN_MARGIN


def test_a_release_uploaded_again_is_as_old_as_a_later_one_of_its_series():
    assert era("jaxlib==0.4.13") == dt.date(2023, 10, 6) + PIN_MARGIN


@pytest.mark.parametrize("text", ["series==1.15.*", "series~=1.15.0", "series~=1.15.2"])
def test_a_series_is_of_the_time_of_its_last_release(text):
    assert era(text) == dt.date(2021, 1, 6) + PIN_MARGIN
    assert era(text, "plain==1.0") == dt.date(2021, 1, 6) + PIN_MARGIN


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("open~=0.5.2", dt.date(2022, 4, 13)),
        ("open==0.5.*", dt.date(2022, 4, 13)),
        ("open~=0.5.7", dt.date(2026, 4, 8)),
    ],
)
def test_what_joins_a_series_years_later_does_not_count(text, day):
    assert era(text) == day + PIN_MARGIN


@pytest.mark.parametrize("text", ["series==1.*", "series~=1.15", "series<2", "series!=1.15.*"])
def test_what_goes_on_for_years_tells_no_time(text):
    assert era(text) is None


@pytest.mark.parametrize("text", ["series>=1.15,<2", "series>1.14,<=1.15.5", "series<2,!=1.15.1,>=1.15"])
def test_a_range_with_two_bounds_is_of_the_time_of_its_last_release(text):
    assert era(text) == dt.date(2021, 1, 6) + PIN_MARGIN
    assert era(text, "open") == dt.date(2021, 2, 8) + PIN_MARGIN


@pytest.mark.parametrize(
    "text",
    ["series>=1.15", "series<2", "series>=1.15,<3", "young>=0.7,<2", "plain>=1.0,<1.2"],
    ids=["open-above", "open-below", "years", "nothing-came-later", "undated"],
)
def test_other_ranges_tell_no_time(text):
    assert era(text) is None


def test_a_range_beside_a_pin_does_not_move_its_time():
    assert era("plain==1.0", "series>=1.15,<2") == dt.date(2020, 1, 15) + PIN_MARGIN


@pytest.mark.parametrize("texts", [["plain>=1.0"], ["plain==1.1"], ["plain==9"], []])
def test_without_a_dated_pin_there_is_no_cut_off(texts):
    assert era(*texts) is None


@pytest.mark.parametrize(
    ("python", "day"),
    [
        ("3.7.16", dt.date(2020, 2, 14)),
        ("3.8.18", dt.date(2020, 2, 14)),
        ("3.11.7", dt.date(2023, 6, 21)),
        ("3.99.0", dt.date(2020, 2, 14)),
    ],
    ids=["older", "newer-margin-included", "from-after-the-pins", "unknown"],
)
def test_no_time_is_before_its_interpreter(python, day):
    decoder = KnowledgeDecoder()
    seen = {"sources": [{"title": "seen", "checked": dt.date(2026, 1, 1)}]}
    days = {"3.7": dt.date(2018, 6, 27), "3.8": dt.date(2020, 2, 14), "3.11": dt.date(2022, 10, 24)}
    tables = [{"series": series, "released": released, **seen} for series, released in days.items()]
    knowledge = decoder.components({"interpreter": tables}, "components.toml").finish("0" * 64)
    assert era("plain==1.0", python=python, knowledge=knowledge) == day


@pytest.mark.parametrize(
    ("named", "editable", "day"),
    [
        (dt.date(2021, 2, 1), True, dt.date(2022, 8, 31)),
        (dt.date(2024, 2, 1), True, dt.date(2024, 2, 1)),
        (dt.date(2021, 2, 1), False, dt.date(2021, 2, 1)),
        (dt.date(2018, 2, 1), False, dt.date(2019, 2, 5)),
    ],
)
def test_the_tools_of_a_build_are_of_the_day_that_is_named_or_the_first_that_can(named, editable, day):
    """No setuptools before 64, of August 2022, makes an editable wheel."""
    file = DistFile(filename="aa", url="aa", sha256="", direct=True, editable=editable)
    request = Request(wishes=(), target=machine(), interpreter=interpreter("3.9.18"), as_of=named)
    assert build_cut_off(request, file) == day
