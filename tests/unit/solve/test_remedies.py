"""What ends a refusal: a release that only its files speak against is none."""

from __future__ import annotations

from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.manifest import decode_manifest
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, machine
from tests.unit.solve.test_scenarios import knowledge_of

CLASH = {
    "id": "clash",
    "when": {"one": "==1.0", "two": "==1.0"},
    "evidence": "reported",
    "reason": "both own a file",
    "sources": [{"title": "https://example.org", "checked": "2026-11-24"}],
}


def _remedies(holds) -> list[list[tuple[str, str]]]:
    knowledge = knowledge_of({"knowledge": {"fact": [CLASH]}})
    files = {
        name: {v: {"files": [f"{name}-{v}-py3-none-any.whl"]} for v in ("1.0", "1.1")}
        for name in ("one", "two")
    }
    asked = {"groups": {"g": {"requires": ["one==1.0", "two==1.0"]}}}
    group = decode_manifest(asked, "envlock.toml", knowledge).group("g")
    target = machine("3.11.7")
    request = Request(
        wishes=group.wishes,
        target=target,
        interpreter=target.interpreters[0],
        as_of=None,
        policy=group.policy,
    )
    refusal = resolve(request, knowledge, MemoryCatalogue(files), holds=holds)
    assert isinstance(refusal, Unsolvable)
    return [[(one.component, one.after) for one in remedy.amendments] for remedy in refusal.remedies]


def test_a_remedy_is_another_version():
    assert _remedies(lambda _: True) == [[("one", "==1.1")], [("two", "==1.1")]]


def test_what_files_speak_against_is_no_remedy():
    """Where two builds of one library own the same files in all releases, only one can go."""

    def one_of_them(answer: Solved) -> bool:
        return len(answer.distributions) == 1

    assert _remedies(one_of_them) == [[("one", "")], [("two", "")]]
