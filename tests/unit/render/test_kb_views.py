"""What people read of a knowledge base, word for word; a small one, so that new facts change nothing here."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from envlock.app import kb
from envlock.app.checking.check import judge_combination
from envlock.edges.knowledge_files import load_knowledge
from envlock.model.errors import RequestError
from envlock.render.knowing import kb as views
from envlock.render.knowing.judgement import checked_document, checked_text
from envlock.render.knowing.kb_component import component_document, component_text
from tests.shipped import KNOWLEDGE

GOLDEN = Path(__file__).parents[2] / "golden" / "kb"
BASE = load_knowledge(GOLDEN / "base")
PINS = ["horovod==0.19.0", "openmpi==3.1.3", "driver==535.1"]

VIEWS: dict[str, Callable[[Console], None]] = {
    "show": lambda console: views.inventory_text(kb.inventory(BASE), console),
    "show-horovod": lambda console: component_text(kb.show("horovod", BASE), console),
    "show-cuda": lambda console: component_text(kb.show("cuda", BASE), console),
    "show-torch": lambda console: component_text(kb.show("torch", BASE), console),
    "why": lambda console: views.why_text(kb.why("horovod-openmpi-3.1.3", BASE), console),
    "search": lambda console: views.search_text(kb.search(["OpenMPI"], BASE), console),
    "search-nothing": lambda console: views.search_text(kb.search(["nothing", "at all"], BASE), console),
    "stats": lambda console: views.stats_text(kb.stats(BASE), console),
    "diff": lambda console: views.diff_text(
        kb.diff(str(GOLDEN / "base"), str(GOLDEN / "next"), GOLDEN), console
    ),
    "diff-nothing": lambda console: views.diff_text(
        kb.diff(str(GOLDEN / "base"), str(GOLDEN / "base"), GOLDEN), console
    ),
    "lint": lambda console: views.lint_text(kb.lint(GOLDEN / "next"), console),
    "check": lambda console: checked_text(judge_combination(PINS, BASE), console),
}


def printed(view: Callable[[Console], None]) -> str:
    stream = io.StringIO()
    view(Console(file=stream, width=120, highlight=False, emoji=False))
    text = "".join(line.rstrip() + "\n" for line in stream.getvalue().splitlines())
    return text.replace(str(GOLDEN), "GOLDEN")


@pytest.mark.parametrize("name", VIEWS)
def test_text(name: str) -> None:
    """``UPDATE_GOLDEN=1`` writes the texts anew, for review."""
    path = GOLDEN / f"{name}.txt"
    text = printed(VIEWS[name])
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize(
    "document",
    [
        views.inventory_document(kb.inventory(BASE)),
        component_document(kb.show("horovod", BASE)),
        views.why_document(kb.why("horovodrun", BASE)),
        views.search_document(kb.search(["mpi"], BASE)),
        views.stats_document(kb.stats(BASE)),
        views.diff_document(kb.diff(str(GOLDEN / "base"), str(GOLDEN / "next"), GOLDEN)),
        views.lint_document(kb.lint(GOLDEN / "next")),
    ],
)
def test_documents_are_json_and_name_their_schema(document: dict[str, object]) -> None:
    assert json.loads(json.dumps(document))["schema"] == "envlock/kb/1"


def test_the_document_of_a_check_is_as_the_contract_has_it() -> None:
    document = checked_document(judge_combination(PINS, BASE))
    assert document["schema"] == "envlock/check/1"
    assert document["verdict"] == "incompatible"
    (finding,) = document["findings"]
    assert {"fact", "severity", "components", "message", "sources", "fixes"} <= set(finding)
    assert {"component": "openmpi", "range": "!=3.1.3", "versions": ["3.1.2", "5.0.0"]} in finding["fixes"]


def test_an_unknown_fact_offers_near_ones() -> None:
    with pytest.raises(RequestError) as caught:
        kb.why("horovod-openmpi", BASE)
    assert "horovod-openmpi-3.1.3" in caught.value.hint


def test_a_base_that_is_not_there_is_an_error() -> None:
    with pytest.raises(RequestError):
        kb.diff("no-such-revision", str(GOLDEN / "base"), GOLDEN)


@pytest.mark.parametrize(("name", "word"), [("mpi-threads", "multiple"), ("launcher", "srun")])
def test_words_that_a_component_can_be_are_listed(name: str, word: str) -> None:
    shown = kb.show(name, KNOWLEDGE)
    assert word in component_document(shown)["words"]
    assert f", {word}" in printed(lambda console: component_text(shown, console))


def test_what_is_said_alike_of_the_same_components_is_said_once():
    """SciPy has a fact for each Python of which it had no wheels yet."""
    out = io.StringIO()
    console = Console(file=out, width=120, color_system=None)
    checked_text(judge_combination(["scipy==1.4.1", "python==3.13"], KNOWLEDGE), console)
    told = out.getvalue()
    assert told.count("refused: ") == 1
    assert (
        "fact     scipy-python-3.10; alike: scipy-python-3.11, scipy-python-3.12, scipy-python-3.13" in told
    )
    assert "fine     python 3.9\n" in told
    assert (
        len(checked_document(judge_combination(["scipy==1.4.1", "python==3.13"], KNOWLEDGE))["findings"]) == 4
    )
