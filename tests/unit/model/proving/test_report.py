from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace

import pytest

from envlock.model.errors import RequestError
from envlock.model.proving.measurement import Curve, Meeting, Point, Training
from envlock.model.proving.rank_result import BackEndResult, Part, RankResult
from envlock.model.proving.report import Check, Outcome, Report, decode_report, encode_report
from envlock.model.proving.surroundings import Surroundings
from envlock.model.proving.wrong_sum import WrongSum

RANK = RankResult(
    host="n1",
    pid=7,
    phase="done",
    step=12,
    done=True,
    launcher={"source": "openmpi", "rank": 1, "size": 2, "local_rank": None},
    mpi={"rank": 1, "size": 2, "library": "Open MPI v4.1.4"},
    facts={"python": "3.7.16"},
    libraries={"outcome": "passed"},
    back_ends={
        "horovod-torch": BackEndResult(
            outcome="failed",
            rank=1,
            size=2,
            local_rank=1,
            facts={"horovod": "0.19.0", "mpi_built": True},
            reductions=100,
            wrong=(WrongSum(case="float32", index=3, expected=6.0, got=7.0, elements=2),),
            seconds=0.5,
            max_bytes=1048576,
            parts=(Part(id="C1", name="storm", outcome="passed", message="1000 barriers", seconds=0.1),),
            curves=(Curve(mode="single", points=(Point(bytes=8, iterations=2, samples=(1e-6, 2e-6)),)),),
            pairs=(Meeting(peer=1, small_s=1e-6, large_s=1e-3, large_bytes=1048576),),
            training=Training(
                steps=3, digest="d", gradient_bytes=8, seconds=(0.1, 0.2), computing=(0.05, 0.06)
            ),
        ),
        "torch-gloo": BackEndResult(outcome="raised", error="boom", traceback="..."),
    },
)
CHECK = Check(id="C2", name="x", outcome=Outcome.WARNED, message="m", details={"a": [1]}, seconds=2.5)
REPORT = Report(
    lock="pylock.stack.toml",
    lock_sha256="ab" * 32,
    group="stack",
    target="local",
    started=dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC),
    seconds=61.25,
    envlock="0.1.0",
    knowledge="cd" * 32,
    host={"name": "n1", "cpus": 4},
    checks=(CHECK, replace(CHECK, outcome=Outcome.PASSED)),
    ranks=(RANK,),
    ranks_asked=2,
    surroundings=Surroundings(
        host="n1", kernel="6.1", systems={"driver": "525.60"}, libraries={"/sw/lib/libmpi.so.40": "ef" * 32}
    ),
)


def test_round_trip_through_json() -> None:
    document = json.loads(json.dumps(encode_report(REPORT)))
    assert document["schema"] == "envlock/report/1"
    assert document["ranks"][0]["local_rank"] == 1
    assert decode_report(document, file="report.json") == REPORT


@pytest.mark.parametrize(
    ("outcomes", "passed"),
    [
        ([Outcome.PASSED, Outcome.WARNED, Outcome.NOT_APPLICABLE], True),
        ([Outcome.PASSED, Outcome.FAILED], False),
        ([Outcome.PASSED, Outcome.CRASHED], False),
        ([Outcome.PASSED, Outcome.TIMED_OUT], False),
        ([Outcome.NOT_APPLICABLE], False),
        ([], False),
    ],
)
def test_passed_means_checked_and_nothing_against_it(outcomes: list[Outcome], passed: bool) -> None:
    report = replace(REPORT, checks=tuple(replace(CHECK, outcome=outcome) for outcome in outcomes))
    assert report.passed is passed
    assert encode_report(report)["passed"] is passed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "envlock/report/2"}, "not a report of this form"),
        ({"passed": False}, "passed contradicts the checks"),
        ({"started": "yesterday"}, "expected a time"),
        ({"seconds": "long"}, "expected a number"),
        ({"ranks_asked": "two"}, "expected a whole number"),
        ({"surroundings": {}}, "the key 'host' is missing"),
        ({"extra": 1}, "unknown key 'extra'"),
    ],
)
def test_what_is_no_report_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        decode_report({**encode_report(REPORT), **change}, file="report.json")


def test_a_flag_is_no_rank() -> None:
    rank = replace(RANK, launcher={"rank": True, "size": True}, mpi={})
    assert (rank.rank, rank.size, rank.label) == (None, None, "rank ? on n1")


def test_a_rank_bears_the_launchers_number_where_mpi_says_zero_to_all() -> None:
    alone = replace(RANK, mpi={"rank": 0, "size": 1})
    assert (alone.rank, alone.number, alone.label) == (0, 1, "rank 1 on n1")


def test_a_report_that_does_not_say_what_it_holds_for_is_refused() -> None:
    document = encode_report(REPORT)
    del document["surroundings"]
    with pytest.raises(RequestError, match="has no surroundings"):
        decode_report(document, file="report.json")
