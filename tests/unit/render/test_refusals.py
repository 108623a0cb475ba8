"""Refusals as people read them: a dozen conflicts, each with a tiny index and the shipped knowledge."""

from __future__ import annotations

import datetime as dt
import io
import os
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.locked.pins import Unsolvable
from envlock.model.project.layers import SHIPPED_LAYERS
from envlock.model.project.manifest import decode_manifest
from envlock.render.solving.refusals import unsolvable_document, unsolvable_text
from envlock.solve.era import era_of_pins
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, interpreter, machine
from tests.shipped import KNOWLEDGE

GOLDEN = Path(__file__).parents[2] / "golden/refusals"
CASES = sorted(GOLDEN.glob("*.toml"))


@pytest.fixture(scope="module")
def shipped() -> Knowledge:
    """The knowledge base, but for what it says that distributions need of each other."""
    needs = tuple(need for need in KNOWLEDGE.needs if need.component in KNOWLEDGE.systems)
    return replace(KNOWLEDGE, needs=needs)


def with_facts(knowledge: Knowledge, facts: list[dict]) -> Knowledge:
    """The shipped knowledge and a case's own facts."""
    own = KnowledgeDecoder().facts({"fact": facts}, "case").finish("0", dt.date(2026, 1, 1))
    return replace(knowledge, facts=knowledge.facts.plus(own.facts))


def refusal_of(document: dict, knowledge: Knowledge) -> Unsolvable:
    group = decode_manifest({"groups": {"g": document["group"]}}, "case", knowledge).group("g")
    target = machine(document.get("python", "3.11.7"), **document.get("target", {}))
    others = tuple(interpreter(version) for version in document.get("others", []))
    target = replace(target, interpreters=(*target.interpreters, *others))
    catalogue = MemoryCatalogue(document["index"])
    request = Request(
        wishes=group.wishes,
        target=target,
        interpreter=target.interpreters[0],
        as_of=era_of_pins(group.wishes, target.interpreters[0], knowledge, catalogue),
        era_of_pins=True,
        policy=group.policy,
    )
    answer = resolve(request, knowledge, catalogue)
    assert isinstance(answer, Unsolvable)
    return answer


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_refusal(path: Path, shipped: Knowledge):
    document = tomllib.loads(path.read_text())
    knowledge = with_facts(shipped, document.get("fact", []))
    refusal = refusal_of(document, knowledge)
    out = io.StringIO()
    console = Console(file=out, width=120, color_system=None)
    unsolvable_text("g", refusal, knowledge, console, layers=SHIPPED_LAYERS, inherited={})
    golden = path.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(out.getvalue())
    assert out.getvalue() == golden.read_text()
    told = unsolvable_document("g", "local", refusal, knowledge, {})
    assert [one.get("because", "") for one in told["reasons"]] == [one.because for one in refusal.reasons]
    behind = [len(fix["behind"]) for fix in told["fixes"]]
    assert behind == [len(remedy.behind) for remedy in refusal.remedies]


def test_there_are_a_dozen():
    assert len(CASES) >= 12
