"""Reading a knowledge base from its folder."""

from pathlib import Path

import pytest

from envlock.edges.knowledge_files import documents, load_knowledge, shipped_knowledge
from envlock.model.errors import RequestError
from envlock.model.knowing.fact import Severity

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


def test_a_misspelt_key_that_must_be_there_is_named_as_well(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", a=FACT.format(id="a").replace("when =", "wehn ="))
    with pytest.raises(RequestError, match="the key 'when' is missing") as caught:
        load_knowledge(root)
    assert "'wehn'" in caught.value.hint


def test_a_folder_without_knowledge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        load_knowledge(tmp_path)
    assert caught.value.code == "no-knowledge"


OWNED = 'owner = "the site"\nreason = "measured"\nexpires = {expires}\n'


def overlay(root: Path, text: str) -> Path:
    (root / "facts").mkdir(parents=True)
    (root / "facts" / "ours.toml").write_text(text)
    return root


def test_an_overlay_may_waive_a_fact_for_a_time(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", a=FACT.format(id="a"))
    site = overlay(tmp_path / "site", '[[waive]]\nfact = "a"\n' + OWNED.format(expires="2999-01-01"))
    (fact,) = load_knowledge(base, [site]).facts
    assert fact.severity is Severity.NOTE
    assert fact.reason == "old (waived by the site until 2999-01-01: measured)"


def test_a_waiver_that_ended_leaves_the_fact_in_force_and_is_told(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", a=FACT.format(id="a"))
    site = overlay(tmp_path / "site", '[[waive]]\nfact = "a"\n' + OWNED.format(expires="2020-01-01"))
    knowledge = load_knowledge(base, [site])
    assert next(iter(knowledge.facts)).severity is Severity.REFUSE
    assert [(one.fact, one.owner) for one in knowledge.lapsed] == [("a", "the site")]


def replacing(fact: str, more: str) -> str:
    return FACT.format(id="ours").replace("evidence", f'replaces = "{fact}"\n{more}evidence')


@pytest.mark.parametrize(("expires", "left"), [("2999-01-01", ["ours"]), ("2020-01-01", ["a"])])
def test_an_overlay_may_replace_a_fact_for_a_time(tmp_path: Path, expires: str, left: list[str]) -> None:
    base = folder(tmp_path / "base", a=FACT.format(id="a"))
    owned = f'owner = "the site"\nexpires = {expires}\n'
    site = overlay(tmp_path / "site", replacing("a", owned))
    assert [fact.id for fact in load_knowledge(base, [site]).facts] == left


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ('[[waive]]\nfact = "b"\n' + OWNED.format(expires="2999-01-01"), "waive[0].fact", "no fact 'b'"),
        ('[[waive]]\nfact = "a"\n', "waive[0].owner", "missing"),
        ('[[waive]]\nfact = "a"\n' + OWNED.format(expires='"soon"'), "waive[0].expires", "a date"),
        (
            '[[waive]]\nfact = "a"\n' + OWNED.format(expires="2999-01-01").replace("the site", " "),
            "waive[0].owner",
            "needs its owner",
        ),
        (replacing("a", ""), "fact[0].owner", "missing"),
        (replacing("z", 'owner = "x"\nexpires = 2999-01-01\n'), "fact[0].replaces", "no fact"),
        (FACT.format(id="x").replace('"<11"', '">11,,x"'), "fact[0].when.cuda", "not a range"),
        (FACT.format(id="x").replace(", checked = 2026-01-01", ""), "fact[0].sources[0].checked", "missing"),
        (
            FACT.format(id="x").replace('cuda = "10"', 'cuda = "ten"'),
            "fact[0].refuses[0].cuda",
            "is not a version",
        ),
        (FACT.format(id="x").replace("documented", "rumour"), "fact[0].evidence", "unknown value"),
    ],
)  # fmt: skip
def test_a_broken_overlay_is_refused_with_file_and_path(
    tmp_path: Path, text: str, path: str, message: str
) -> None:
    base = folder(tmp_path / "base", a=FACT.format(id="a"))
    with pytest.raises(RequestError, match=message) as caught:
        load_knowledge(base, [overlay(tmp_path / "site", text)])
    assert caught.value.where == f"{tmp_path / 'site' / 'facts' / 'ours.toml'}, {path}"
    if "fact[" in path:
        assert "'x'" in caught.value.why or "'ours'" in caught.value.why


def test_an_overlay_may_not_make_a_component_another_one(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", a=FACT.format(id="a"))
    site = overlay(tmp_path / "site", "")
    (site / "components.toml").write_text(COMPONENTS + "words = true\n")
    with pytest.raises(RequestError, match="described differently"):
        load_knowledge(base, [site])
    (site / "components.toml").write_text(COMPONENTS)
    (site / "coverage.toml").write_text(
        '[[coverage]]\ncomponent = "cuda"\nup-to = "1"\nchecked = 2026-01-01\n' * 2
    )
    with pytest.raises(RequestError, match="already given"):
        load_knowledge(base, [site])
