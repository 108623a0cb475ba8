"""The published form of reports, held against reports that envlock writes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from envlock.app.verifying.reports import Shown
from envlock.lifecycle.doubts import EvidenceExpired
from envlock.model.proving.rank_result import BackEndResult
from envlock.model.proving.report import Check, Outcome, Report, decode_report, encode_report
from envlock.model.proving.wrong_sum import WrongSum
from envlock.render.reports.text import shown_document
from tests.reports import four_nodes
from tests.unit.model.proving.test_report import REPORT
from tests.unit.render.test_compare_view import compared

FILE = Path(__file__).parents[4] / "schemas/report.schema.json"
SCHEMA: Mapping[str, Any] = json.loads(FILE.read_text())


@cache
def validator() -> Any:
    """What reports are held against; imported only where these tests run, since that takes seconds."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)


def document(report: Report = REPORT) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(json.dumps(encode_report(report)))
    return told


def test_the_schema_is_one() -> None:
    validator().check_schema(SCHEMA)


@pytest.mark.parametrize(
    "report",
    [REPORT, four_nodes(), four_nodes(lost=True), replace(REPORT, comparison=compared().comparison)],
)
def test_reports_are_as_it_says(report: Report) -> None:
    validator().validate(document(report))


@pytest.mark.parametrize("got", [math.inf, -math.inf, math.nan])
def test_a_sum_that_is_no_finite_number_is_json_all_the_same(got: float) -> None:
    """JSON has no such numbers: no other reader than Python's took a report in which a sum came to NaN."""
    wrong = WrongSum(case="float32, 8 bytes", index=0, expected=3.0, got=got, elements=1)
    (first, *rest) = REPORT.ranks
    bad = replace(first, back_ends={"mpi4py": BackEndResult(outcome="failed", wrong=(wrong,))})
    report = replace(REPORT, ranks=(bad, *rest))
    text = json.dumps(encode_report(report), allow_nan=False)
    validator().validate(json.loads(text))
    (again,) = decode_report(json.loads(text), file="x").ranks[0].back_ends["mpi4py"].wrong
    assert repr(again.got) == repr(got)


def test_a_report_looked_at_again_is_one_and_can_be_read_back() -> None:
    doubt = EvidenceExpired(what="driver", verified="1", found="2")
    shown = Shown(report=REPORT, path=Path("x"), doubts=(doubt,), history=(REPORT, four_nodes()))
    told = json.loads(json.dumps(shown_document(shown, history=True)))
    validator().validate(told)
    assert told["today"]["counts"] is False
    assert len(told["today"]["history"]) == 2
    assert decode_report(told, file="x") == REPORT


def test_it_knows_every_key_and_outcome() -> None:
    properties = set(SCHEMA["properties"]) - {"today"}
    assert properties == set(document())
    assert {field.name for field in fields(Report)} <= properties
    assert set(SCHEMA["$defs"]["check"]["properties"]) == {field.name for field in fields(Check)}
    assert set(SCHEMA["$defs"]["outcome"]["enum"]) == {outcome.value for outcome in Outcome}


@pytest.mark.parametrize(
    "path",
    [
        ("lock_sha256",),
        ("started",),
        ("surroundings", "libraries"),
        ("checks", 0, "outcome"),
        ("checks", 0, "id"),
        ("ranks", 0, "done"),
        ("ranks", 0, "back_ends", "horovod-torch", "curves", 0, "points", 0, "samples"),
    ],
)
def test_what_is_wrong_is_refused(path: tuple[str | int, ...]) -> None:
    wrong = deepcopy(document())
    part: Any = wrong
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = 17
    assert not validator().is_valid(wrong)
