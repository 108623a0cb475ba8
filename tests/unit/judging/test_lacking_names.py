"""Code that looks for names that others do not have."""

import datetime as dt
from dataclasses import replace

from envlock.judging.lacking_names import LACKING_NAMES, as_learned_conflict, lacking_findings
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Chosen, Finding
from envlock.model.published.code_reads import CodeReads

READS = {
    "thing": CodeReads(
        distribution="thing",
        version="2.0",
        read=dt.date(2026, 6, 1),
        on_import={"helper.late": "thing/sums.py:3", "other.late": "thing/sums.py:4"},
        on_build={},
    )
}
ASSIGNMENT = {name: (Chosen(version="1.0"),) for name in ("thing", "helper", "other")}
LACKING = {("thing", "helper"): ("helper.late",), ("thing", "other"): ("other.late",)}


def told(*before: Finding) -> list[Finding]:
    return list(lacking_findings(ASSIGNMENT, READS, LACKING, before))


def test_a_name_that_is_not_there_is_refused_with_its_place() -> None:
    first, second = told()
    assert (first.fact, first.severity) == (LACKING_NAMES, Severity.REFUSE)
    assert dict(first.components) == {"thing": "2.0", "helper": "1.0"}
    assert first.message == (
        "thing 2.0 looks for helper.late when it is imported (thing/sums.py:3), "
        "which helper 1.0 does not have"
    )
    assert dict(second.components) == {"thing": "2.0", "other": "1.0"}


def test_of_a_pair_that_was_told_before_no_more_is_said() -> None:
    first, second = told()
    assert told(first) == [second]
    assert told(replace(first, severity=Severity.WARN)) == [first, second]


def test_a_module_that_is_called_is_told_as_such() -> None:
    called = {"thing": replace(READS["thing"], on_import={"helper.zone.__call__": "thing/sums.py:3"})}
    (found,) = lacking_findings(ASSIGNMENT, called, {("thing", "helper"): ("helper.zone.__call__",)}, ())
    assert found.message == (
        "thing 2.0 calls helper.zone when it is imported (thing/sums.py:3), "
        "which helper 1.0 has as a module alone"
    )


def test_a_labelled_build_is_excluded_with_its_release_and_all_before() -> None:
    assignment = {**ASSIGNMENT, "helper": (Chosen(version="1.0+cu118"),)}
    first, *_ = lacking_findings(assignment, READS, LACKING, ())
    excluded = as_learned_conflict(first).when[1].range
    assert all(map(excluded.contains, ("0.9", "1.0", "1.0+cu118")))
    assert not excluded.contains("1.1+cu118")
