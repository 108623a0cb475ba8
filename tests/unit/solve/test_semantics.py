"""What a fact means, asked twice: of a judgement, and of a solve."""

from __future__ import annotations

import datetime as dt
import tomllib

import pytest

from envlock.judging.judge import judge
from envlock.model.component import Via
from envlock.model.knowing.finding import Chosen, Verdict
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.locked.pins import Solved
from envlock.model.project.manifest import decode_manifest
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, machine

TODAY = dt.date(2026, 11, 21)
COMPONENTS = """
[[component]]
name = "openmpi"
title = "Open MPI"
layer = "core"
"""
BASE = """
[[fact]]
id = "three"
when = { alpha = "<2", openmpi = ">=4" }
then = { beta = "<3" }
evidence = "derived"
reason = "three parties"
[[fact]]
id = "way"
when = { gamma = { versions = "*", via = "build" } }
then = { openmpi = "<4" }
evidence = "derived"
reason = "a build only"
"""
TIGHTER = """
[[fact]]
id = "ours"
when = { beta = "<2" }
evidence = "reported"
reason = "ours"
"""
BYPASSED = """
[[fact]]
id = "bypassed"
when = { alpha = "<3", openmpi = ">=4" }
unless = ["beta"]
evidence = "reported"
reason = "beta goes about it in its own way"
"""
WAIVED = '[[waive]]\nfact = "three"\nowner = "HPC group"\nreason = "tested"\nexpires = {}\n'
REPLACED = """
[[fact]]
id = "three-ours"
replaces = "three"
when = { alpha = "<2", openmpi = ">=4.1" }
then = { beta = "<4" }
evidence = "reported"
reason = "measured"
owner = "HPC group"
expires = 2027-01-01
"""
INDEX = {
    "alpha": {"1": {}, "2": {}},
    "beta": {"1": {}, "2": {}, "3": {}},
    "gamma": {"1": {"files": ["gamma-1.tar.gz"]}},
    "delta": {"1": {"requires": ["beta==3"]}},
    "setuptools": {"59.8.0": {}},
    "wheel": {"0.40": {}},
}


def knowledge(*overlays: str) -> Knowledge:
    decoder = KnowledgeDecoder().components(tomllib.loads(COMPONENTS), "components.toml")
    for number, text in enumerate((BASE, *overlays)):
        decoder.facts(tomllib.loads(text), f"{number}.toml")
    decoder.covers({"coverage": [{"component": "alpha", "up-to": "2.0", "checked": TODAY}]}, "coverage.toml")
    return decoder.finish("", TODAY)


@pytest.mark.parametrize(
    ("requires", "mpi", "overlays", "fine"),
    [
        (("alpha==1", "beta==3"), "4.1.4", (), False),
        (("alpha==1", "beta==3"), "3.1.4", (), True),
        (("alpha==2", "beta==3"), "4.1.4", (), True),
        (("alpha==1", "beta==2"), "4.1.4", (), True),
        (("alpha==1",), "4.1.4", (), True),
        (("gamma==1",), "4.1.4", (), False),
        (("gamma==1",), "3.1.4", (), True),
        (("alpha==1", "beta==1"), "4.1.4", (TIGHTER,), False),
        (("alpha==1", "beta==2"), "4.1.4", (TIGHTER,), True),
        (("alpha==2",), "4.1.4", (BYPASSED,), False),
        (("alpha==2",), "3.1.4", (BYPASSED,), True),
        (("alpha==2", "beta==3"), "4.1.4", (BYPASSED,), True),
        (("alpha==1", "beta==3"), "4.1.4", (WAIVED.format("2027-01-01"),), True),
        (("alpha==1", "beta==3"), "4.1.4", (WAIVED.format("2026-11-20"),), False),
        (("alpha==1", "beta==3"), "4.1.4", (REPLACED,), True),
        (("alpha==1", "beta==3"), "4.1.4", (REPLACED.replace("2027", "2026"),), False),
    ],
)
def test_judgement_and_solve_agree(
    requires: tuple[str, ...], mpi: str, overlays: tuple[str, ...], fine: bool
) -> None:
    base = knowledge(*overlays)
    named = dict(text.split("==") for text in requires)
    assignment = {
        name: (Chosen(version=version, via=Via.BUILD if name == "gamma" else Via.WHEEL),)
        for name, version in named.items()
    }
    judged = judge({**assignment, "openmpi": (Chosen(version=mpi, via=Via.SITE),)}, base)
    assert (judged.verdict is not Verdict.INCOMPATIBLE) is fine
    node = machine("3.11.7", openmpi=mpi)
    group = {"requires": list(requires), "system": ["openmpi"], "as-of": "none"}
    wishes = decode_manifest({"groups": {"g": group}}, "envlock.toml", base).group("g").wishes
    answer = resolve(
        Request(wishes=wishes, target=node, interpreter=node.interpreters[0]), base, MemoryCatalogue(INDEX)
    )
    assert isinstance(answer, Solved) is fine


def test_a_fact_never_brings_what_nobody_asked_for_and_yields_where_it_can() -> None:
    base = knowledge()
    node = machine("3.11.7", openmpi="4.1.4")
    group = {"requires": ["alpha", "delta"], "system": ["openmpi"], "as-of": "none"}
    wishes = decode_manifest({"groups": {"g": group}}, "envlock.toml", base).group("g").wishes
    request = Request(wishes=wishes, target=node, interpreter=node.interpreters[0])
    answer = resolve(request, base, MemoryCatalogue(INDEX))
    assert isinstance(answer, Solved)
    assert {pin.name: pin.version for pin in answer.distributions} == {
        "alpha": "2",
        "beta": "3",
        "delta": "1",
    }


@pytest.mark.parametrize(
    ("pins", "verdict"),
    [
        ({"alpha": "2"}, Verdict.COMPATIBLE),
        ({"alpha": "2.1"}, Verdict.UNKNOWN),
        ({"alpha": "1", "beta": "3", "openmpi": "4.1"}, Verdict.INCOMPATIBLE),
        ({"openmpi": "4.1"}, Verdict.UNKNOWN),
        ({"beta": "99"}, Verdict.COMPATIBLE),
    ],
)
def test_beyond_coverage_is_unknown_and_never_fine(pins: dict[str, str], verdict: Verdict) -> None:
    assignment = {name: (Chosen(version=version),) for name, version in pins.items()}
    assert judge(assignment, knowledge()).verdict is verdict
