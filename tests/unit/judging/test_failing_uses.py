"""Functions that fail beside other distributions: a warning, but where everybody runs them."""

import datetime as dt
from dataclasses import replace

import pytest

from envlock.judging.failing_uses import FAILING_USES, failing_findings
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Chosen, Finding
from envlock.model.published.failing_use import FailingUse

DAY = dt.date(2026, 6, 1)
ASSIGNMENT = {name: (Chosen(version="1.0"),) for name in ("thing", "helper", "other")}
NAME = FailingUse(
    name="helper.gone",
    fault="",
    where="thing/sums.py:3",
    function="f",
    is_sure=True,
    on_import=False,
    is_central=False,
)
CALL = replace(NAME, name="helper.act", fault="with sparse=, which it does not take", function="Sum.fit")


def told(use: FailingUse, *before: Finding) -> list[Finding]:
    failing = {("thing", "helper"): (use, replace(use, name="helper.more"))}
    return list(failing_findings(ASSIGNMENT, failing, before, DAY, {"thing": {"helper"}}))


def test_what_fails_in_a_function_is_a_warning_with_its_place() -> None:
    (found,) = told(NAME)
    assert (found.fact, found.severity) == (FAILING_USES, Severity.WARN)
    assert dict(found.components) == {"thing": "1.0", "helper": "1.0"}
    assert [source.title for source in found.sources] == [
        "thing/sums.py of thing 1.0 on the package index",
        "the modules of helper 1.0 on the package index",
    ]


@pytest.mark.parametrize(
    ("use", "severity", "message"),
    [
        (
            NAME,
            Severity.WARN,
            (
                "thing 1.0 looks for helper.gone, which helper 1.0 does not have (thing/sums.py:3): "
                "f fails when it is called"
            ),
        ),
        (
            replace(CALL, is_sure=False),
            Severity.WARN,
            (
                "thing 1.0 calls helper.act of helper 1.0 with sparse=, which it does not take "
                "(thing/sums.py:3): Sum.fit fails where it comes to that"
            ),
        ),
        (
            replace(NAME, function=""),
            Severity.WARN,
            (
                "thing 1.0 looks for helper.gone, which helper 1.0 does not have (thing/sums.py:3): "
                "that module fails when it is imported"
            ),
        ),
        (
            replace(NAME, is_central=True),
            Severity.REFUSE,
            (
                "thing 1.0 looks for helper.gone, which helper 1.0 does not have (thing/sums.py:3): "
                "f fails when it is called, and with it much of what thing exports"
            ),
        ),
        (
            replace(NAME, function="", ends_all=True),
            Severity.REFUSE,
            (
                "thing 1.0 looks for helper.gone, which helper 1.0 does not have (thing/sums.py:3): "
                "that module fails when it is imported, and with it all that thing has for helper"
            ),
        ),
        (
            replace(CALL, function="", on_import=True),
            Severity.REFUSE,
            (
                "thing 1.0 calls helper.act of helper 1.0 with sparse=, which it does not take "
                "(thing/sums.py:3): it fails when it is imported"
            ),
        ),
    ],
)
def test_it_says_when(use: FailingUse, severity: Severity, message: str) -> None:
    (found,) = told(use)
    assert (found.severity, found.message) == (severity, message)


def test_what_ends_all_that_there_is_for_what_it_does_not_require_is_a_warning() -> None:
    failing = {("thing", "helper"): (replace(NAME, function="", ends_all=True),)}
    (found,) = failing_findings(ASSIGNMENT, failing, (), DAY, {"thing": {"other"}})
    assert found.severity is Severity.WARN


def test_of_a_pair_that_was_told_before_no_more_is_said() -> None:
    (found,) = told(NAME)
    assert told(NAME, found) == []
    assert told(NAME, replace(found, severity=Severity.NOTE)) == [found]
    assert told(NAME, replace(found, components={"thing": "1.0", "other": "1.0"})) == [found]


def test_what_ends_all_is_refused_whatever_else_was_warned_of() -> None:
    (found,) = told(replace(NAME, is_central=True))
    assert told(replace(NAME, is_central=True), replace(found, severity=Severity.WARN)) == [found]
    assert told(replace(NAME, is_central=True), found) == []
