"""Whether evidence backs a waiver, and what it lacks."""

from __future__ import annotations

from dataclasses import replace

from envlock.lifecycle.waivers import lacks
from envlock.model.proving.report import Outcome
from tests.unit.model.proving.test_report import REPORT

NOW = REPORT.surroundings


def test_a_verification_of_this_lock_that_counts_backs_it() -> None:
    assert lacks(REPORT.lock_sha256, REPORT, NOW) == ""


def test_what_is_lacking_is_told() -> None:
    failed = replace(REPORT, checks=(replace(REPORT.checks[0], name="launch", outcome=Outcome.FAILED),))
    newer = replace(NOW, systems={"driver": "580.65"})
    assert lacks(REPORT.lock_sha256, None, NOW) == "there is none"
    assert lacks("another", REPORT, NOW) == "it is of another lock"
    assert lacks(REPORT.lock_sha256, failed, NOW) == "it failed: launch"
    assert lacks(REPORT.lock_sha256, REPORT, newer) == "it expired: driver was 525.60, now it is 580.65"
