"""Of open interpreters those come first that have wheels of what is asked for and are of its time."""

from __future__ import annotations

import datetime as dt
import itertools
from dataclasses import replace

import pytest
from packaging.requirements import Requirement

from envlock.model.component import Range
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.project.group import Wish
from envlock.model.project.policy import Constraint, Policy
from envlock.solve.interpreters import (
    NO_SOLUTION,
    from_years_before,
    in_order,
    near_wishes,
    open_interpreters,
    suitability,
    why_chosen,
)
from envlock.solve.offers.shared import Shared
from envlock.solve.request import Request
from envlock.solve.searching.solver import Solver
from tests.memory import MemoryCatalogue, interpreter, machine
from tests.unit.solve.test_scenarios import knowledge_of

PYTHONS = ("3.7.16", "3.8.18", "3.9.18", "3.12.1")
KNOWLEDGE = replace(
    KnowledgeDecoder().finish("0" * 64),
    interpreters={
        "3.7": dt.date(2018, 6, 27),
        "3.8": dt.date(2019, 10, 14),
        "3.9": dt.date(2020, 10, 5),
        "3.12": dt.date(2023, 10, 2),
    },
)


def wheels(name, version, *pythons):
    return [
        f"{name}-{version}-cp{python}-cp{python}{'m' if python == '37' else ''}-manylinux1_x86_64.whl"
        for python in pythons
    ]


INDEX = {
    "compiled": {
        "1.0": {"uploaded": dt.date(2020, 12, 1), "files": wheels("compiled", "1.0", "37", "38")},
        "2.0": {"uploaded": dt.date(2024, 8, 1), "files": wheels("compiled", "2.0", "39", "312")},
    },
    "both": {
        "1.0": {
            "uploaded": dt.date(2020, 12, 1),
            "files": [*wheels("both", "1.0", "37"), "both-1.0.tar.gz"],
        }
    },
    "pure": {"1.0": {"uploaded": dt.date(2020, 12, 1)}, "2.0": {"uploaded": dt.date(2024, 8, 1)}},
    "sources": {"1.0": {"uploaded": dt.date(2024, 8, 1), "files": ["sources-1.0.tar.gz"]}},
    "went-on": {
        "1.0": {"uploaded": dt.date(2020, 6, 1), "files": ["went-on-1.0.tar.gz"]},
        "1.1": {"uploaded": dt.date(2021, 3, 1)},
    },
    "guided": {
        "1.0": {"uploaded": dt.date(2018, 12, 1)},
        "2.0": {"uploaded": dt.date(2024, 8, 1), "requires": ["compiled<2", "pure[more]"]},
    },
    "guided-by-extra": {
        "2.0": {"uploaded": dt.date(2024, 8, 1), "requires": ["compiled<2; extra == 'more'"]},
    },
    "never-had": {"2.0": {"uploaded": dt.date(2024, 8, 1), "requires": ["nowhere"]}},
    "for-old": {"1.0": {"uploaded": dt.date(2024, 8, 1), "requires-python": "<3.9"}},
}


def asked(*texts, python, as_of=None):
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
    return Request(
        wishes=wishes,
        target=machine(),
        interpreter=interpreter(python),
        as_of=as_of,
        era_of_pins=as_of is None,
    )


def suited(*texts, pythons=PYTHONS, as_of=None):
    catalogue = MemoryCatalogue(INDEX)
    return [
        suitability(asked(*texts, python=one, as_of=as_of), KNOWLEDGE, catalogue, Shared()) for one in pythons
    ]


def order(*texts, kept="", **more):
    return [one.interpreter.version for one in in_order(suited(*texts, **more), kept)]


@pytest.mark.parametrize(
    ("wishes", "first"),
    [
        ([], "3.12.1"),
        (["pure"], "3.12.1"),
        (["pure==2.0"], "3.12.1"),
        (["compiled==1.0"], "3.8.18"),
        (["compiled<2"], "3.8.18"),
        (["compiled==2.0"], "3.12.1"),
        (["both==1.0"], "3.7.16"),
        (["sources"], "3.12.1"),
        (["for-old"], "3.8.18"),
        (["guided"], "3.8.18"),  # compiled 1.0 has no wheel for what came later
        (["guided<2"], "3.12.1"),
        (["guided-by-extra"], "3.12.1"),
        (["guided-by-extra[more]"], "3.8.18"),
        (["never-had"], "3.12.1"),
        (["never-had", "guided"], "3.8.18"),
        (["pure==1.0"], "3.8.18"),  # 3.9 came out two months before it
        (["compiled==1.0; python_version < '3.8'", "pure==2.0"], "3.12.1"),
    ],
)
def test_the_newest_that_has_wheels_and_is_of_the_time_of_the_pins_comes_first(wishes, first):
    assert order(*wishes)[0] == first


def test_an_interpreter_that_a_fact_refuses_beside_a_wish_comes_last():
    """As of hydra-core before 1.2, whose dataclasses Python 3.11 refuses."""
    fact = {
        "id": "went-on-python-3.12",
        "when": {"went-on": "<1.2"},
        "then": {"python": "<3.12"},
        "evidence": "reported",
        "reason": "a default that is mutable",
        "sources": [{"title": "https://example.org/went-on", "checked": dt.date(2026, 1, 1)}],
    }
    base = replace(knowledge_of({"knowledge": {"fact": [fact]}}), interpreters=KNOWLEDGE.interpreters)
    catalogue = MemoryCatalogue(INDEX)
    found = [
        suitability(asked("pure==2.0", "went-on", python=one), base, catalogue, Shared()) for one in PYTHONS
    ]
    ordered = in_order(found)
    assert [one.interpreter.version for one in ordered] == ["3.9.18", "3.8.18", "3.7.16", "3.12.1"]
    assert why_chosen(ordered[0], ordered, {}) == "not 3.12: no usable release of went-on"


def test_what_a_constraint_leaves_of_a_wish_is_what_counts():
    """As of ``numpy`` with the constraint ``numpy<2``, of which there is no wheel for Python 3.13."""
    requirement = Requirement("compiled<2")
    constraint = Constraint(
        component="compiled",
        range=Range.versions("<2"),
        requirement=requirement,
        text="compiled<2",
        group="g",
    )
    catalogue = MemoryCatalogue(INDEX)
    found = [
        suitability(
            replace(asked("compiled", python=one), policy=Policy(constraints=(constraint,))),
            KNOWLEDGE,
            catalogue,
            Shared(),
        )
        for one in PYTHONS
    ]
    assert in_order(found)[0].interpreter.version == "3.8.18"


def test_a_release_that_a_fact_refuses_whatever_is_beside_it_is_the_best_of_no_wish():
    """As of a site's own fact about ``numpy >=2``."""
    fact = {
        "id": "ours-compiled-2",
        "when": {"compiled": ">=2"},
        "evidence": "verified-here",
        "reason": "our codes are not ready for it",
        "sources": [{"title": "our ticket", "checked": dt.date(2026, 1, 1)}],
    }
    base = replace(knowledge_of({"knowledge": {"fact": [fact]}}), interpreters=KNOWLEDGE.interpreters)
    catalogue = MemoryCatalogue(INDEX)
    found = [suitability(asked("compiled", python=one), base, catalogue, Shared()) for one in PYTHONS]
    assert in_order(found)[0].interpreter.version == "3.8.18"


def test_sources_for_everybody_are_no_reason_for_a_later_interpreter_and_its_later_wheels():
    days = {"3.8.18": dt.date(2020, 12, 31), "3.9.18": dt.date(2021, 6, 2)}  # as auto has them for the pin
    some = [
        suitability(
            replace(asked("pure==1.0", "went-on", python=python), as_of=day),
            KNOWLEDGE,
            MemoryCatalogue(INDEX),
            Shared(),
        )
        for python, day in days.items()
    ]
    assert [one.interpreter.version for one in in_order(some)] == ["3.8.18", "3.9.18"]


@pytest.mark.parametrize(("written", "first"), [(False, "3.7.16"), (True, "3.12.1")])
def test_what_came_later_is_let_in_rather_than_another_wish_built(written, first):
    """Unless the group wrote the day itself, which keeps out all that came later."""
    days = {"3.7.16": dt.date(2020, 12, 31), "3.12.1": dt.date(2024, 9, 1)}  # as auto has them for the pin
    some = [
        suitability(
            replace(asked("both==1.0", "pure>=2", python=python), as_of=day, era_of_pins=not written),
            KNOWLEDGE,
            MemoryCatalogue(INDEX),
            Shared(),
        )
        for python, day in days.items()
    ]
    ordered = in_order(some)
    assert ordered[0].interpreter.version == first
    if not written:
        assert why_chosen(ordered[0], ordered, {}) == "not 3.12: no wheel of both==1.0"
        assert why_chosen(ordered[1], ordered[::-1], {}) == ""


def test_a_wish_that_cannot_be_had_weighs_more_than_one_that_is_built():
    assert order("both==1.0", "compiled==2.0")[0] == "3.12.1"
    assert order("both==1.0", "compiled<2")[:2] == ["3.7.16", "3.8.18"]


def test_of_those_that_came_too_late_the_oldest_comes_first():
    assert order("pure==1.0", pythons=("3.12.1", "3.9.18")) == ["3.9.18", "3.12.1"]


def test_a_written_cut_off_is_the_time_that_counts():
    assert order("pure", as_of=dt.date(2020, 12, 31))[0] == "3.8.18"


def test_what_the_lock_has_stays_where_no_other_has_more_wheels():
    assert order("pure", kept="3.8.18")[0] == "3.8.18"
    assert order("compiled==2.0", kept="3.8.18")[0] == "3.12.1"
    assert order("pure", kept="3.5.10")[0] == "3.12.1"


@pytest.mark.parametrize("wishes", [["both==1.0", "pure"], ["compiled<2", "for-old"], ["pure==1.0"]])
def test_the_order_does_not_depend_on_that_of_the_target(wishes):
    orders = {tuple(order(*wishes, pythons=some)) for some in itertools.permutations(PYTHONS)}
    assert len(orders) == 1


def test_each_newer_interpreter_is_told_with_what_speaks_against_it():
    ordered = in_order(suited("both==1.0", "pure"))
    assert why_chosen(ordered[0], ordered, {}) == ("not 3.8, 3.9, 3.12: no wheel of both==1.0")
    ordered = in_order(suited("compiled==1.0"))
    assert why_chosen(ordered[0], ordered, {}) == "not 3.9, 3.12: no usable release of compiled==1.0"
    ordered = in_order(suited("guided", "compiled"))
    assert why_chosen(ordered[0], ordered, {}) == (
        "not 3.9, 3.12: no usable release of compiled <2, which guided 2.0 requires"
    )
    assert why_chosen(ordered[-2], ordered, {}) == ""
    ordered = in_order(suited("pure==1.0"))
    assert why_chosen(ordered[1], ordered, {"3.8.18": NO_SOLUTION}) == (
        "not 3.8: no solution; not 3.9, 3.12: came out too late for wheels at the time of the pins"
    )
    assert why_chosen(ordered[1], ordered, {"3.8.18": from_years_before({"pure", "other"})}).startswith(
        "not 3.8: only releases from years before of other, pure; not 3.9"
    )
    built = {"3.12.1": ["brought 1.0", "other 1.0"], "3.9.18": ["other 1.0"]}
    ordered = in_order(suited("pure"))
    assert why_chosen(ordered[0], ordered, {}) == ""
    assert why_chosen(ordered[1], ordered, {}, built) == "not 3.12: no wheel of brought 1.0"


def test_of_each_series_the_newest_is_open():
    target = replace(machine(), interpreters=tuple(map(interpreter, ("3.8.2", "3.8.18", "3.12.1", "3.7.16"))))
    found = open_interpreters(Range.versions(">=3.8"), target)
    assert [one.version for one in found] == ["3.12.1", "3.8.18"]


def test_what_is_near_is_measured_at_the_time_of_each_interpreter():
    """As of lists of 2022 for Python 3.10, beside which 3.13 lets in what was there in its own time."""
    days = {"3.8.18": dt.date(2020, 12, 31), "3.12.1": dt.date(2024, 9, 1), "3.9.18": None}
    catalogue = MemoryCatalogue(INDEX)
    wishes = ("pure", "guided>=1", "went-on==1.1", "for-old")
    requests = [replace(asked(*wishes, python=python), as_of=day) for python, day in days.items()]
    requests[2] = replace(requests[2], preferred={"guided": "1.0"})
    some = [
        (
            suitability(request, KNOWLEDGE, catalogue, Shared()),
            Solver(request, KNOWLEDGE, catalogue, Shared()),
        )
        for request in requests
    ]
    near = [{wish.component: wish.range.text for wish in near_wishes(suited, some)} for suited, _ in some]
    assert near == [
        {"pure": ">=1.0", "guided": ">=1.0", "for-old": ">=1.0"},  # of which there are later files alone
        {"pure": ">=2.0", "guided": ">=2.0"},
        {"pure": ">=2.0"},
    ]
