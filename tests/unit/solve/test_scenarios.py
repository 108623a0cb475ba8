"""Scenario files: a tiny index, a little knowledge, a request, and the expected answer."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.manifest import decode_manifest
from envlock.solve.era import era_of_pins
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, machine

SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios").glob("*.toml"))


def knowledge_of(document: dict) -> Knowledge:
    decoder = KnowledgeDecoder()
    parts = document.get("knowledge", {})
    kinds = ("component", "provider", "need", "flavour", "carrier", "interpreter", "kept-at", "named-for")
    components = {key: parts[key] for key in kinds if key in parts}
    decoder.components(components, "components.toml")
    decoder.facts({"fact": parts.get("fact", [])}, "facts.toml")
    decoder.builds({"build": parts.get("build", [])}, "builds.toml")
    recipes = {key: parts[key] for key in ("recipe", "old-translation") if key in parts}
    decoder.recipes(recipes, "recipes.toml")
    return decoder.finish("0" * 64)


def test_there_are_scenarios():
    assert len(SCENARIOS) >= 10


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(path: Path):
    document = tomllib.loads(path.read_text())
    knowledge = knowledge_of(document)
    catalogue = MemoryCatalogue(document.get("index", {}))
    manifest = decode_manifest({"groups": {"g": document["group"]}}, path.name, knowledge)
    group = manifest.group("g")
    node = machine(document.get("python", "3.11.7"), **document.get("target", {}))
    target = replace(node, machine=document.get("machine", node.machine))
    as_of = group.as_of
    if as_of == "auto":
        as_of = era_of_pins(group.wishes, target.interpreters[0], knowledge, catalogue)
    request = Request(
        wishes=group.wishes,
        target=target,
        interpreter=target.interpreters[0],
        as_of=None if as_of == "none" else as_of,
        preferred=document.get("preferred", {}),
        owned=document.get("owned", {}),
        policy=group.policy,
        era_of_pins=group.as_of == "auto",
    )

    answer = resolve(request, knowledge, catalogue)

    expected = document["expect"]
    if "refused" in expected:
        assert isinstance(answer, Unsolvable), answer
        refused = expected["refused"]
        assert list(answer.facts) == refused.get("facts", [])
        assert answer.component == refused["component"]
        told = " | ".join([f"{r.asked_by}: {r.wants}" for r in answer.reasons] + list(answer.excluded))
        for text in refused.get("says", []):
            assert text in told
        for text in refused.get("never-says", []):
            assert text not in told
        return
    assert isinstance(answer, Solved), answer
    pins = {pin.component: pin.version for pin in answer.distributions}
    assert pins == expected["distributions"]
    systems = {pin.component: f"{pin.version} {pin.origin}" for pin in answer.systems}
    for name, text in expected.get("systems", {}).items():
        assert systems[name] == text
    for name in expected.get("absent", []):
        assert name not in systems
    built = {pin.component: pin.build for pin in answer.distributions if pin.build}
    assert sorted(built) == sorted(expected.get("builds", {}))
    for name, plan in expected.get("builds", {}).items():
        assert {pin.component: pin.version for pin in built[name].requires} == plan["requires"]
        within = {pin.component: pin.build for pin in built[name].requires if pin.build}
        for inner in plan.get("built-as-outside", []):
            assert within[inner] == built[inner]
        for inner, versions in plan.get("builds", {}).items():
            assert {pin.component: pin.version for pin in within[inner].requires} == versions
        assert dict(built[name].against) == plan.get("against", {})
        assert dict(built[name].variables) == plan.get("variables", {})
        assert [f"{edit.file}: {edit.old} -> {edit.new}" for edit in built[name].edits] == plan.get(
            "edits", []
        )
    facts = {fact for pin in (*answer.distributions, *answer.systems) for fact in pin.facts}
    assert sorted(facts) == sorted(expected.get("facts", []))
    assert sorted(one.fact for one in answer.warned) == expected.get("warned", [])
    fallen_back = {name: best.version for name, best in answer.fallen_back.items()}
    assert fallen_back == expected.get("fallen-back", {})
    kept_out = {name: best.kept_out for name, best in answer.fallen_back.items() if best.kept_out}
    assert kept_out == expected.get("kept-out", {})
