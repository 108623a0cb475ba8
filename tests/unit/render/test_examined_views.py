"""What files and a program tell of a difference, for people, merge requests and programs."""

from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from envlock.analysis.program.uses import Use
from envlock.app.diff import Examined, FileChanges, ProgramBreaks
from envlock.edges.files import read_toml
from envlock.edges.lock_files import read_lock
from envlock.lifecycle.code_breaks import CodeBreak
from envlock.lifecycle.diff import diff_locks
from envlock.lifecycle.minimum_changes import MinimumChange
from envlock.lifecycle.weight import Licence, Weight
from envlock.model.published.api import Api, ApiChange, ApiChangeKind, ApiState
from envlock.render.changes.diff_markdown import diff_markdown
from envlock.render.changes.examined import examined_document, examined_text
from tests.locks import knowledge

GOLDEN = Path(__file__).parents[2] / "golden" / "diff"


def use(line: int, text: str, path: str) -> Use:
    return Use(file="train.py", line=line, column=5, text=text, path=path, call=None, sure=True)


def code_break(line: int, text: str, name: str, parameter: str, new: str, *, sure: bool) -> CodeBreak:
    return CodeBreak(
        component="gensim",
        use=use(line, text, name),
        kind=ApiChangeKind.PARAMETER_REMOVED if parameter else ApiChangeKind.REMOVED,
        name=name,
        parameter=parameter,
        new=new,
        note="",
        sure=sure,
    )


CODE = ProgramBreaks(
    files=3,
    unread=(("old.py", "Missing parentheses in call to 'print'"),),
    breaks=(
        code_break(
            7,
            "Word2Vec(text, size=100)",
            "g.Word2Vec.__init__",
            "size",
            "Word2Vec(vector_size=...)",
            sure=True,
        ),
        code_break(9, "model.wv.vocab", "model.wv.vocab", "", "model.wv.key_to_index", sure=False),
        code_break(12, "a | gone(b)", "g.gone", "", "", sure=True),
    ),
)
FILES = FileChanges(
    weight=Weight(
        download=782_000_000, downloads=8, installed_old=41_000_000, installed_new=1_400_000_000, unknown=2
    ),
    licences=(
        Licence(component="gensim", old="MIT", new="LGPL-2.1-only", changed=True),
        Licence(component="torch", old="", new="BSD License", changed=False),
    ),
    apis={
        "gensim": Api(
            state=ApiState.COMPARED,
            packages=("gensim",),
            changes=(
                ApiChange(kind=ApiChangeKind.PARAMETER_REMOVED, name="g.Word2Vec.__init__", parameter="size"),
                ApiChange(kind=ApiChangeKind.REMOVED, name="g.gone", sure=False),
            ),
            compiled=9,
        ),
        "numpy": Api(state=ApiState.COMPARED, packages=("numpy",)),
        "torch": Api(state=ApiState.TOO_LARGE),
        "horovod": Api(state=ApiState.NO_SOURCES),
    },
)


@pytest.fixture
def examined() -> Examined:
    locks = [read_lock(GOLDEN / f"pylock.{name}.toml").lock for name in ("base", "next")]
    changes = read_toml(GOLDEN / "changes.toml")["change"]
    return Examined(
        diff=diff_locks(*locks, knowledge(*changes)),
        minimums=(
            MinimumChange(component="driver", old="", new="418.39"),
            MinimumChange(component="glibc", old="2.5", new="2.17"),
            MinimumChange(component="gpu_cc", old="3.5", new="3.5"),
        ),
        mpi=("openmpi 4.1.4", "openmpi 5.0.3"),
        files=FILES,
        code=CODE,
    )


def golden(name: str, text: str) -> None:
    path = GOLDEN / name
    lines = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(lines)
    assert lines == path.read_text()


def test_text(examined: Examined):
    stream = io.StringIO()
    examined_text(examined, Console(file=stream, width=100, highlight=False, emoji=False))
    golden("examined.txt", stream.getvalue())


def test_markdown(examined: Examined):
    golden("examined.md", diff_markdown(examined))


def test_document(examined: Examined):
    golden("examined.json", json.dumps(examined_document(examined), indent=1))


def test_the_document_keeps_every_key_that_it_had(examined: Examined):
    before = json.loads((GOLDEN / "base-next.json").read_text())
    now = json.loads(json.dumps(examined_document(examined)))
    assert {key: now[key] for key in before} == before


def test_interfaces_that_lost_nothing_stand_under_their_heading(examined: Examined):
    apis = {"numpy": FILES.apis["numpy"]}
    stream = io.StringIO()
    changed = replace(examined, files=replace(FILES, apis=apis))
    examined_text(changed, Console(file=stream, width=100, highlight=False, emoji=False))
    assert "\nPublic interfaces\n  1 distribution moved and lost no public name\n" in stream.getvalue()


def test_code_is_code_in_lists_and_in_cells(examined: Examined):
    locks = [read_lock(GOLDEN / f"pylock.{name}.toml").lock for name in ("base", "next")]
    first, *_ = read_toml(GOLDEN / "changes.toml")["change"]
    fault = code_break(1, "f(`a`) | `b`", "g.f", "", "", sure=True)
    changed = replace(
        examined,
        diff=diff_locks(*locks, knowledge({**first, "old": "a | b", "new": "`c`"})),
        code=replace(CODE, breaks=(fault,)),
    )
    text = diff_markdown(changed)
    assert "`a | b` -> `` `c` ``" in text
    assert "| `` f(`a`) \\| `b` `` |" in text
