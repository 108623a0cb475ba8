"""A knowledge base read by parts says what the whole says."""

from __future__ import annotations

from pathlib import Path

import pytest

from envlock.edges.cache import Cache
from envlock.edges.knowledge_cache import load_knowledge_of
from envlock.model.fact import Severity
from envlock.model.finding import Chosen
from envlock.solve.judge import judge
from tests.shipped import KNOWLEDGE

EXAMPLES = [example for fact in KNOWLEDGE.facts for example in (*fact.refuses, *fact.accepts)]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    cache = Cache(tmp_path_factory.mktemp("cache"))
    load_knowledge_of([], cache)
    return cache


def test_a_part_is_less_than_the_whole(cache: Cache) -> None:
    part = load_knowledge_of(["gensim"], cache)
    assert 0 < len(part.facts) < len(KNOWLEDGE.facts) / 10
    assert part.digest == KNOWLEDGE.digest


def named(example: dict[str, str]) -> str:
    return " ".join(f"{name}=={version}" for name, version in example.items())


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(one, id=named(one), marks=() if place % 10 == 0 else pytest.mark.property)
        for place, one in enumerate(EXAMPLES[::4])
    ],
)
def test_a_part_judges_as_the_whole_does(example: dict[str, str], cache: Cache) -> None:
    stack = {name: (Chosen(version=version),) for name, version in example.items()}
    assert judge(stack, load_knowledge_of(example, cache)) == judge(stack, KNOWLEDGE)


def test_changed_content_is_never_answered_from_before(tmp_path: Path) -> None:
    cache, base = Cache(tmp_path / "cache"), tmp_path / "base"
    (base / "facts").mkdir(parents=True)
    fact = '[[fact]]\nid = "a"\nwhen = {{ x = "{0}" }}\nevidence = "derived"\nreason = "r"\n'
    for bound in ("<1", "<2", "<1"):
        (base / "facts" / "a.toml").write_text(fact.format(bound))
        for _ in range(2):
            assert [f.when[0].range.text for f in load_knowledge_of(["x"], cache, base).facts] == [bound]


@pytest.mark.parametrize("damage", [b"", b"xx", None])
def test_a_cut_off_part_is_as_none(tmp_path: Path, damage: bytes | None) -> None:
    cache = Cache(tmp_path)
    load_knowledge_of([], cache)
    for file in sorted(tmp_path.rglob("*.json")):
        file.unlink() if damage is None else file.write_bytes(file.read_bytes()[:-1] + damage)
        stack = {"horovod": (Chosen(version="0.19.0"),), "openmpi": (Chosen(version="3.1.3"),)}
        assert judge(stack, load_knowledge_of(stack, cache)) == judge(stack, KNOWLEDGE)


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert load_knowledge_of(["torch"], Cache(tmp_path / "file")).facts == KNOWLEDGE.facts


def test_a_waiver_and_a_replacement_come_with_their_facts(tmp_path: Path, cache: Cache) -> None:
    decided = 'owner = "o"\nreason = "r"\nexpires = 2999-01-01\n'
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "ours.toml").write_text(
        '[[fact]]\nid = "ours"\nwhen = { glibc = "<1" }\nevidence = "derived"\n'
        f'replaces = "horovod-gcc-13"\n{decided}'
        f'[[waive]]\nfact = "horovod-openmpi-3.1.3"\n{decided}'
    )
    for _ in range(2):
        found = {f.id: f for f in load_knowledge_of(["horovod"], cache, overlays=[tmp_path]).facts}
        assert "horovod-gcc-13" not in found
        assert found["ours"].when[0].component == "glibc"
        assert found["horovod-openmpi-3.1.3"].severity is Severity.NOTE
        glibc = {f.id for f in load_knowledge_of(["glibc"], cache, overlays=[tmp_path]).facts}
        assert "ours" in glibc
        assert "horovod-gcc-13" not in glibc
