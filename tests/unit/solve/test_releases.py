"""Releases are looked at one by one, and no further than is asked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from itertools import islice
from random import Random

from packaging.specifiers import SpecifierSet

from envlock.judging.tags import supported_tags
from envlock.model.component import Range
from envlock.model.published.catalogue import Fits, Release, Releases
from envlock.solve.offers.releases import Ranked, Selection, later_last
from envlock.solve.offers.tiers import tiers
from envlock.solve.requirements import Level, Requirement
from tests.memory import MemoryCatalogue, machine
from tests.property.universes import universe

KNOWLEDGE = universe(Random(0)).knowledge
DAYS = {"1.0": dt.date(2020, 1, 1), "2.0": dt.date(2021, 1, 1), "3.0": dt.date(2022, 1, 1)}


INDEX: Mapping[str, Mapping[str, object]] = {
    "2.5": {"files": ["a-2.5.tar.gz"], "uploaded": DAYS["2.0"]},
    **{
        version: {"files": [f"a-{version}-py3-none-any.whl"], "uploaded": day}
        for version, day in DAYS.items()
    },
}


def ranked(
    looked: list[str],
    *,
    as_of: dt.date | None = None,
    pinned: str = "",
    index: Mapping[str, Mapping[str, object]] = INDEX,
) -> Ranked:

    def noted(release: Release) -> Release:
        def load(fits: Fits | None) -> tuple:
            looked.append(release.text)
            return release.load(fits)

        return release._replace(load=load)

    target = machine()
    selection = Selection(
        name="a",
        pinned=SpecifierSet(pinned) if pinned else None,
        as_of=as_of,
        python="3.11.7",
        place="here",
        supported=supported_tags(target, target.interpreters[0]),
        gpus=(),
    )
    releases = MemoryCatalogue({"a": index}).releases("a")
    return Ranked(selection, Releases.of(noted(one) for one in releases), KNOWLEDGE)


def must(text: str) -> Requirement:
    return Requirement(identifier="a", level=Level.MUST, range=Range.versions(text), asked_by="you")


def test_the_first_costs_one_look() -> None:
    looked: list[str] = []
    assert [one.version for one in islice(ranked(looked).answering(()), 1)] == ["3.0"]
    assert looked == ["3.0"]


def test_what_no_ask_admits_is_not_looked_at() -> None:
    looked: list[str] = []
    assert [one.version for one in ranked(looked).answering([must("<2")])] == ["1.0"]
    assert looked == ["1.0"]


def test_what_came_later_is_not_looked_at_unless_it_is_pinned() -> None:
    looked: list[str] = []
    day = dt.date(2021, 6, 1)
    assert [one.version for one in ranked(looked, as_of=day).answering(())] == ["2.0", "2.5", "1.0"]
    assert "3.0" not in looked
    pinned = ranked([], as_of=day, pinned="==3.0")
    assert next(iter(pinned.answering(()))).version == "3.0"


def test_what_a_project_went_on_with_as_sources_comes_before_the_wheel_of_years_ago() -> None:
    days = {"1.0": dt.date(2019, 5, 1), "1.1": dt.date(2020, 4, 1), "1.2": dt.date(2022, 4, 1)}
    index = {version: {"files": [f"a-{version}.tar.gz"], "uploaded": day} for version, day in days.items()}
    index["1.0"]["files"] = ["a-1.0-py3-none-any.whl"]
    assert [one.version for one in ranked([], index=index).answering(())] == ["1.2", "1.0", "1.1"]


def test_reasons_count_all_releases() -> None:
    one = ranked([], as_of=dt.date(2021, 6, 1))
    list(islice(one.answering(()), 1))
    assert one.left_out([Range.versions("")]) == {"published after 2021-06-01": {"3.0": ""}}


def test_of_a_pin_wheels_of_the_time_come_before_later_ones() -> None:
    files = {
        "a-4.0-cp311-cp311-manylinux_2_17_x86_64.whl": dt.date(2022, 1, 1),
        "a-4.0-cp311-cp311-manylinux_2_28_x86_64.whl": dt.date(2024, 1, 1),
    }
    index = {"4.0": {"files": list(files), "uploaded": files}}

    def chosen(as_of: dt.date | None) -> str:
        (candidate,) = ranked([], as_of=as_of, pinned="==4.0", index=index).answering(())
        assert candidate.file is not None
        return candidate.file.filename

    old, later = files
    assert chosen(None) == later
    assert chosen(dt.date(2024, 6, 1)) == later
    assert chosen(dt.date(2022, 6, 1)) == old
    assert chosen(dt.date(2021, 6, 1)) == later


def test_after_a_day_what_nobody_dates_comes_among_what_is_later() -> None:
    index = {**INDEX, "9.0+cpu": {"files": ["a-9.0+cpu-py3-none-any.whl"]}}
    releases = MemoryCatalogue({"a": index}).releases("a")
    assert later_last(releases, DAYS["1.0"]).texts == ["1.0", "2.0", "2.5", "3.0", "9.0+cpu"]


def test_where_nothing_is_dated_the_order_stays() -> None:
    releases = MemoryCatalogue({"a": {"1.0": {}, "2.0": {}}}).releases("a")
    assert later_last(releases, DAYS["1.0"]).texts == ["2.0", "1.0"]


def test_time_goes_before_labels() -> None:
    index = {**INDEX, "9.0+cpu": {"files": ["a-9.0+cpu-py3-none-any.whl"]}}
    releases = later_last(MemoryCatalogue({"a": index}).releases("a"), DAYS["2.0"])
    parts = tiers(releases, (), DAYS["2.0"])
    assert [version for part in parts for version in part.texts][-1] == "9.0+cpu"
    assert tiers(releases, (), None)[0].texts == ["9.0+cpu"]


def test_labels_of_an_index_without_days_stay_first() -> None:
    releases = MemoryCatalogue({"a": {"1.0": {}, "1.0+cpu": {}, "2.0": {}}}).releases("a")
    assert tiers(releases, (), DAYS["2.0"])[0].texts == ["1.0+cpu"]
