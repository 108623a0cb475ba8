"""Reading a knowledge base from its folder."""

from pathlib import Path

import pytest

from envlock.edges.knowledge_files import documents, load_knowledge, shipped_knowledge
from envlock.model.errors import RequestError

COMPONENTS = '[[component]]\nname = "cuda"\ntitle = "CUDA"\nlayer = "core"\n'
FACT = """
[[fact]]
id = "{id}"
when = {{ cuda = "<11" }}
evidence = "documented"
reason = "old"
sources = [{{ title = "a change log", checked = 2026-01-01 }}]
refuses = [{{ cuda = "10" }}]
accepts = [{{ cuda = "11" }}]
"""


def folder(root: Path, **facts: str) -> Path:
    (root / "facts").mkdir(parents=True)
    (root / "components.toml").write_text(COMPONENTS)
    for name, text in facts.items():
        (root / "facts" / f"{name}.toml").write_text(text)
    return root


def test_the_shipped_base_is_found_and_not_empty() -> None:
    assert (shipped_knowledge() / "components.toml").is_file()
    knowledge = load_knowledge()
    assert len(knowledge.facts) > 40
    assert {"openmpi", "cuda", "driver", "gpu_cc"} <= set(knowledge.systems)


def test_components_are_read_first(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", b=FACT.format(id="b"), a=FACT.format(id="a"))
    assert [name for name, _ in documents(root)] == ["components.toml", "facts/a.toml", "facts/b.toml"]
    assert [fact.id for fact in load_knowledge(root).facts] == ["a", "b"]


def test_overlays_add_to_the_base(tmp_path: Path) -> None:
    first = folder(tmp_path / "base", a=FACT.format(id="a"))
    site = tmp_path / "site"
    (site / "facts").mkdir(parents=True)
    (site / "facts" / "ours.toml").write_text(FACT.format(id="ours"))
    assert [fact.id for fact in load_knowledge(first, [site]).facts] == ["a", "ours"]


def test_an_overlay_may_not_repeat_a_fact(tmp_path: Path) -> None:
    first, second = (folder(tmp_path / name, a=FACT.format(id="a")) for name in ("base", "site"))
    with pytest.raises(RequestError, match="already in"):
        load_knowledge(first, [second])


def test_the_digest_names_content_and_not_place(tmp_path: Path) -> None:
    here, there = (folder(tmp_path / name, a=FACT.format(id="a")) for name in ("here", "there"))
    assert load_knowledge(here).digest == load_knowledge(there).digest
    (there / "facts" / "a.toml").write_text(FACT.format(id="a") + "\n")
    assert load_knowledge(here).digest != load_knowledge(there).digest


def test_a_syntax_error_names_file_and_line(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", a="[[fact]]\nid = \n")
    with pytest.raises(RequestError) as caught:
        load_knowledge(root)
    assert caught.value.code == "toml-syntax"
    assert "facts/a.toml, line 2" in caught.value.where


def test_a_misspelt_key_names_its_path(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", a=FACT.format(id="a").replace("reason", "raeson"))
    with pytest.raises(RequestError) as caught:
        load_knowledge(root)
    assert "fact[0]" in caught.value.where


def test_a_folder_without_knowledge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        load_knowledge(tmp_path)
    assert caught.value.code == "no-knowledge"
