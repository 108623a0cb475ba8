"""The environments in which wheels are built, as they are asked for."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from envlock.model.locked.pins import ERA, Reason, Resolution, Solved, Unsolvable
from envlock.solve.building.build_plans import plan_builds
from envlock.solve.building.unbuildable import Unbuildable, with_builds
from envlock.solve.request import Request
from tests.locks import distribution
from tests.memory import MemoryCatalogue
from tests.unit.solve.test_remedies import _request
from tests.unit.solve.test_scenarios import knowledge_of

DAY = dt.date(2021, 6, 1)
INDEX = {"mine": {"1.0": {"files": ["mine-1.0.tar.gz"], "build-requires": ["setuptools"]}}}
REPOSITORY = "git+https://example.org/mine.git@0123456789"


def days(url: str, *, of_pins: bool = True, editable: bool = False, refuse: bool = False) -> list[str]:
    """The cut-offs under which the build of some sources is asked for, one after the other."""
    knowledge = knowledge_of({})
    request = replace(_request(knowledge, ["mine==1.0"]), as_of=DAY, era_of_pins=of_pins)
    pin = distribution("mine", "1.0", filename="mine-1.0.tar.gz")
    pin = replace(
        pin, file=replace(pin.file, url=url, direct=not url.startswith("https:"), editable=editable)
    )
    asked: list[str] = []

    def resolve_build(build: Request) -> Resolution:
        asked.append(str(build.as_of))
        if refuse:
            return Unsolvable(component="setuptools", reasons=(), facts=(), excluded=())
        return Solved(interpreter=request.interpreter, distributions=(), systems=(), as_of=build.as_of)

    solved = Solved(interpreter=request.interpreter, distributions=(pin,), systems=(), as_of=DAY)
    plans = plan_builds(solved, "", request, knowledge, MemoryCatalogue(INDEX), resolve_build)
    assert isinstance(plans, Unbuildable) is refuse
    return asked


@pytest.mark.parametrize("editable", [True, False])
def test_a_folder_is_built_with_tools_of_today_beside_old_pins(editable: bool) -> None:
    place = "mine" if editable else "mine/"
    assert days(place, editable=editable) == ["None"]
    named = "2022-08-31" if editable else "2021-06-01"  # no setuptools before 64 has editable builds
    assert days(place, editable=editable, of_pins=False) == [named]


def test_a_repository_is_built_with_tools_of_the_time_if_there_are_any() -> None:
    assert days(REPOSITORY) == ["2021-06-01"]
    assert days(REPOSITORY, refuse=True) == ["2021-06-01", "None"]
    assert days(REPOSITORY, refuse=True, of_pins=False) == ["2021-06-01"]


def test_a_release_of_an_index_is_built_with_tools_of_the_time() -> None:
    assert days("https://example.org/mine-1.0.tar.gz", refuse=True) == ["2021-06-01"]


def test_the_time_of_a_build_is_that_of_its_own_pins():
    """Nobody who asks for ``mine`` has pinned its backend."""
    pinned = Reason(asked_by=ERA, wants="meson <2, and so releases up to 2024-03-06", component="meson")
    within = Unsolvable(component="meson", reasons=(pinned,), facts=(), excluded=())
    met = Unbuildable(pin=distribution("mine", "1.0", filename="mine-1.0.tar.gz"), refusal=within)
    told = with_builds(Unsolvable(component="mine", reasons=(), facts=(), excluded=()), [met])
    assert [one.asked_by for one in told.reasons] == ["the build of mine 1.0"]


def test_of_a_build_that_cannot_be_made_nobody_is_told_that_it_needs_itself():
    """A wish of the pin in its own build says nothing; a tool that asks for it is told."""
    wishes = (("you", "mine"), ("you", "setuptools"), ("setuptools 60.0", "mine"))
    reasons = tuple(Reason(asked_by=by, wants=f"{one} >=1", component=one) for by, one in wishes)
    within = Unsolvable(component="setuptools", reasons=reasons, facts=(), excluded=())
    refusal = Unsolvable(component="mine", reasons=(), facts=(), excluded=())
    met = Unbuildable(pin=distribution("mine", "1.0", filename="mine-1.0.tar.gz"), refusal=within)
    told = with_builds(refusal, [met])
    assert [(one.asked_by, one.component) for one in told.reasons] == [
        ("the build of mine 1.0", "setuptools"),
        ("setuptools 60.0", "mine"),
    ]
