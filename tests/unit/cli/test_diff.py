"""``envlock diff`` as people call it: locks, files, interfaces and a program, over a small index."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]

OLD = "def f(a, size=1): ...\ndef gone(): ...\n"
NEW = "def f(a, vector_size=1): ...\n"
GROUPS = '[groups.old]\nrequires = ["gamma==1.0"]\n[groups.new]\nextends = "old"\nrequires = ["gamma==2.0"]\n'
PROGRAM = "from gamma import f, gone\nf(1, size=2)\nf(1, 2)\n"


@pytest.fixture
def program(site: Site, envlock: Envlock) -> Path:
    """Two locked groups that differ in one distribution, and a program that uses it."""
    site.offer("gamma", "1.0", source=OLD)
    site.offer("gamma", "2.0", source=NEW)
    site.manifest(GROUPS)
    for group in ("old", "new"):
        assert envlock("solve", group, "--target", "here", "--lock-only").status == 0
    path = site.project / "train.py"
    path.write_text(PROGRAM)
    return path


def document(said: Said) -> dict:
    assert said.status == 0, said.golden
    return json.loads(said.out)


def test_the_lines_of_a_program(program: Path, envlock: Envlock):
    found = document(envlock("diff", "old", "new", "--target", "here", "--code", str(program), "--json"))
    told = [(one["line"], one["kind"], one["name"], one["certainty"]) for one in found["code"]["breaks"]]
    assert told == [
        (1, "removed", "gamma.gone", "certain"),
        (2, "parameter-removed", "gamma.f", "certain"),
    ]
    assert found["schema"] == "envlock/diff/1"
    assert [one["state"] for one in found["api"]] == ["compared"]
    assert found["files"]["downloads"] == 1
    assert found["files"]["unknown"] == 0


def test_the_second_time_nothing_is_compared(
    program: Path, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    first = envlock("diff", "old", "new", "--target", "here")
    monkeypatch.setattr("envlock.edges.api.bounded._start", None)
    assert envlock("diff", "old", "new", "--target", "here") == first


def test_a_folder_with_an_environment_and_old_python_in_it(program: Path, envlock: Envlock):
    environment = program.parent / "env"
    environment.mkdir()
    (environment / "pyvenv.cfg").touch()
    (environment / "lib.py").write_text(PROGRAM)
    (program.parent / "two.py").write_text("print 'two'\n")
    found = document(envlock("diff", "old", "new", "--target", "here", "--code", ".", "--json"))
    assert found["code"]["files"] == 2
    assert [one["file"] for one in found["code"]["unread"]] == ["two.py"]
    assert {one["file"] for one in found["code"]["breaks"]} == {"train.py"}


def test_markdown(program: Path, envlock: Envlock):
    said = envlock("diff", "old", "new", "--target", "here", "--code", "train.py", "--markdown")
    assert said.out.startswith("## old on here -> new on here\n")
    assert "| `train.py:2` | `f(1, size=2)` | gamma.f takes no 'size' any more |  | certain |" in said.out


def test_two_locks_of_one_group_are_told_apart(program: Path, envlock: Envlock, site: Site):
    kept = site.project / "kept.toml"
    kept.write_bytes((site.project / "locks/here/pylock.old.toml").read_bytes())
    quick = ("diff", "kept.toml", "old", "--target", "here", "--quick")
    assert envlock(*quick).out.startswith("old on here: kept.toml -> old\n")
    assert envlock(*quick, "--markdown").out.startswith("## old on here: kept.toml -> old\n")
    assert document(envlock(*quick, "--json"))["asked"] == {"old": "kept.toml", "new": "old"}


def test_quick_looks_at_the_locks_alone(program: Path, envlock: Envlock, site: Site):
    for wheel in site.index.rglob("*.whl"):
        wheel.unlink()
    found = document(envlock("diff", "old", "new", "--target", "here", "--quick", "--json"))
    assert (found["files"], found["api"], found["code"]) == (None, None, None)
    assert [one["component"] for one in found["distributions"]["moved"]] == ["gamma"]


def test_files_that_are_gone_are_told_and_nothing_fails(program: Path, envlock: Envlock, site: Site):
    for path in (*site.index.rglob("*.whl"), *(site.root / "cache").rglob("*.whl")):
        path.unlink()
    found = document(envlock("diff", "old", "new", "--target", "here", "--json"))
    assert [one["state"] for one in found["api"]] == ["not-at-hand"]


def test_a_program_that_is_not_there(program: Path, envlock: Envlock):
    said = envlock("diff", "old", "new", "--target", "here", "--code", "nothing.py")
    assert (said.status, said.out) == (2, "")
    assert "code   no-code" in said.err


def test_from_target_to_target(program: Path, envlock: Envlock):
    assert envlock("solve", "old", "--target", "real", "--lock-only").status == 0
    found = document(envlock("diff", "old@here", "old@real", "--quick", "--json"))
    assert (found["old"]["target"], found["new"]["target"]) == ("here", "real")
    said = envlock("diff", "old@nowhere", "old@here", "--quick")
    assert (said.status, "code   unknown-target" in said.err) == (2, True)
