from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from envlock.app.verifying.compare import Compared
from envlock.app.verifying.reports import Shown
from envlock.lifecycle.evidence.comparison import compare
from envlock.model.decode import Table
from envlock.model.proving.comparison import Advice, Timeline, Way, decode_comparison, encode_comparison
from envlock.render.reports.comparison_page import IDLE_NOTE, slowest_text
from envlock.render.reports.comparison_text import compared_document, compared_text
from envlock.render.reports.page import report_page
from tests.reports import four_nodes
from tests.unit.lifecycle.evidence.test_comparison import NOW, rank, trained

_TIMELINE = Timeline(
    steps=10,
    tensors=4,
    recorded=0.1,
    seconds={"negotiation": 0.02, "waiting": 0.05, "copying": 0.001, "reduction": 0.01, "idle": 0.019},
)


def compared() -> Compared:
    runs = {
        1: (rank(0, mpi4py=trained(0.1)),),
        2: (rank(0, mpi4py=trained(0.2)), rank(1, mpi4py=trained(0.2))),
    }
    found = compare(("mpi4py", "torch-gloo"), runs, {"horovod-torch": _TIMELINE}, NOW)
    return Compared(group="g", target="local", comparison=found, troubles=())


def test_everything_measured_is_told() -> None:
    out = io.StringIO()
    compared_text(compared(), Console(file=out, width=120))
    text = out.getvalue()
    assert "g on local: allreduce of float32 among 2 ranks on n1" in text
    assert "one message, 8 B: mpi4py\n" in text  # nothing to be faster than
    assert "200 ms  50%" in text
    assert "a step of 10 ms, 4 tensors: negotiation 2 ms (20%), waiting 5 ms (50%)" in text
    assert "idle 1.9 ms (19%)\n" + IDLE_NOTE in text
    assert "torch-gloo failed: 0 of 2 ranks came through" in text


def test_a_factor_is_told_without_a_power_of_ten() -> None:
    advice = Advice(least=8, most=8, best=Way(back_end="mpi4py", mode="single"), close=(), factor=7421.3)
    assert slowest_text(advice) == "7,420 times as long"
    assert slowest_text(replace(advice, factor=1.0)) == ""


def test_the_document_is_json_with_every_sample() -> None:
    document = json.loads(json.dumps(compared_document(compared())))
    assert document["schema"] == "envlock/verify/1"
    assert document["complete"] is False
    (point,) = document["curves"]["mpi4py"][0]["points"]
    assert (point["bytes"], point["samples"], point["bus_gb_s"]) == (8, [1e-6], 0.008)
    assert document["scaling"][0]["steps"][1] == {"ranks": 2, "seconds": 0.2, "efficiency": 0.5}


def test_it_is_read_back_as_it_was_written() -> None:
    comparison = compared().comparison
    told = json.loads(json.dumps(encode_comparison(comparison)))
    assert decode_comparison(Table(told, file="x")) == comparison


def test_the_page_of_a_report_shows_it() -> None:
    report = replace(four_nodes(), comparison=compared().comparison)
    page = report_page(Shown(report=report, path=Path("x")))
    assert '<section id="comparison">' in page
    for told in (
        "Which stack is fastest here",
        "mpi4py",
        "torch-gloo failed: 0 of 2 ranks came through",
        "200 ms, 50 %",
        "a step of 10 ms, 4 tensors",
        "waiting 5 ms (50%)",
        IDLE_NOTE,
    ):
        assert told in page, told
