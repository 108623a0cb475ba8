"""A store of several projects: who holds what, and letting go of one that is no more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.conftest import TINY, Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
REAL = ["--target", "real"]
FREEZE = ["--until", "2999-12-31", "--reason", "the thesis"]


@pytest.fixture
def other(site: Site, envlock: Envlock) -> Path:
    """A second project in the store of the first, with another environment than that one's."""
    site.manifest(f'[site]\nstore = "{site.root}/store"\n' + TINY)
    folder = site.root / "other"
    folder.mkdir()
    shutil.copy(site.project / "envlock.toml", folder)
    assert envlock("solve", "tiny", *REAL).status == 0
    site.offer("beta", "1.2")
    assert envlock("solve", "tiny", *REAL, "--project", str(folder)).status == 0
    return folder


def environments(site: Site) -> int:
    return len(list((site.root / "store/environments").iterdir()))


def code(said: Said) -> str:
    found: str = json.loads(said.out)["error"]["code"]
    return found


def test_each_project_is_named_with_what_it_holds(site: Site, other: Path, envlock: Envlock):
    document = json.loads(envlock("gc", "--json").out)
    held = {one["folder"]: (one["gone"], list(one["current"])) for one in document["projects"]}
    assert held == {"<root>/project": (False, ["real/tiny"]), "<root>/other": (False, ["real/tiny"])}
    assert "forget" not in envlock("status").out


def test_a_frozen_group_takes_the_environment_that_another_project_has_made(
    site: Site, other: Path, envlock: Envlock
):
    """A colleague's clone of a thesis: manifest and lock, and no environment of its own yet."""
    assert envlock("freeze", "tiny", *REAL, *FREEZE, "--project", str(other)).status == 0
    clone = site.root / "clone"
    shutil.copytree(other, clone)
    there = [*REAL, "--project", str(clone)]
    assert envlock("where", "tiny", *there).status == 2
    assert envlock("solve", "tiny", *there).status == 0
    assert (
        envlock("where", "tiny", *there).out == envlock("where", "tiny", *REAL, "--project", str(other)).out
    )
    again = envlock("solve", "tiny", *there, "--json")
    assert (again.status, code(again)) == (1, "frozen")


@pytest.mark.parametrize("frozen", [False, True])
def test_an_environment_whose_interpreter_is_gone_is_made_anew_for_all(
    frozen: bool, site: Site, other: Path, envlock: Envlock
):
    """A colleague's Python was uninstalled: the same lock, solved with one that is there, has to run."""
    there = [*REAL, "--project", str(other)]
    clone = site.root / "clone"
    if frozen:
        assert envlock("freeze", "tiny", *there, *FREEZE).status == 0
    shutil.copytree(other, clone)
    python = Path(
        envlock("where", "tiny", *there).out.replace("<root>", str(site.root)).strip(), "bin/python"
    )
    python.parent.chmod(0o755)
    python.unlink()
    python.symlink_to("/nowhere/python")
    first, second = (other, clone) if frozen else (clone, other)
    assert envlock("solve", "tiny", *REAL, "--project", str(first)).status == 0
    assert python.is_file()
    assert envlock("solve", "tiny", *REAL, "--project", str(second)).status == 0
    for folder in (first, second):
        assert envlock("run", "tiny", *REAL, "--project", str(folder), "--json").status == 0


def test_a_deleted_project_is_let_go_by_name_alone(site: Site, other: Path, envlock: Envlock):
    shutil.rmtree(other)
    assert "envlock gc --forget <root>/other" in envlock("status").out
    assert envlock("gc", "--yes").status == 0
    assert environments(site) == 2  # its file system may not be mounted
    before = sorted(path for path in (site.root / "store").rglob("*") if path.parts[-2] != "locks")
    shown = envlock("gc", "--forget", str(other))
    assert (shown.status, "would forget <root>/other: tiny on real" in shown.out) == (0, True)
    assert "envlock gc --forget <root>/other --yes" in shown.out
    assert before == sorted(path for path in (site.root / "store").rglob("*") if path.parts[-2] != "locks")
    done = json.loads(envlock("gc", "--forget", str(other), "--yes", "--json").out)
    assert (done["forgotten"]["folder"], [one["removed"] for one in done["environments"]]) == (
        "<root>/other",
        [True],
    )
    assert environments(site) == 1
    assert [one["folder"] for one in done["projects"]] == ["<root>/project"]
    assert not list((site.root / "store").glob("*/*-other*"))
    assert code(envlock("gc", "--forget", str(other), "--json")) == "unknown-project"


def test_a_project_that_is_there_is_not_forgotten(site: Site, other: Path, envlock: Envlock):
    for folder in (other, site.project):
        said = envlock("gc", "--forget", str(folder), "--yes", "--json")
        assert (said.status, code(said)) == (1, "project-exists")
    assert environments(site) == 2


def test_promises_of_a_deleted_project_hold_until_that_is_said(site: Site, other: Path, envlock: Envlock):
    assert envlock("freeze", "tiny", *REAL, *FREEZE, "--project", str(other)).status == 0
    shutil.rmtree(other)
    for link in (site.root / "store/current").glob("*-other/real/tiny"):
        link.unlink()  # the promise alone holds it
    assert envlock("gc", "--yes").status == 0
    assert environments(site) == 2
    said = envlock("gc", "--forget", str(other), "--yes", "--json")
    assert (said.status, code(said)) == (1, "frozen")
    assert "tiny frozen until 2999-12-31" in envlock("gc").out
    assert envlock("gc", "--forget", str(other), "--frozen-too", "--yes").status == 0
    assert environments(site) == 1


def test_a_store_of_one_project_has_nobody_to_forget(site: Site, envlock: Envlock):
    assert envlock("solve", "tiny", *REAL).status == 0
    assert code(envlock("gc", "--forget", str(site.root / "x"), "--json")) == "store-not-shared"
    assert json.loads(envlock("status", "--json").out)["projects"] == []
    assert envlock("gc", "--frozen-too").status == 2


def test_the_project_that_a_shared_store_lies_in_is_none_of_those_that_share_it(site: Site, envlock: Envlock):
    """Its links are by target; what lies behind them is no project's."""
    assert envlock("solve", "tiny", *REAL).status == 0
    other = site.root / "other"
    other.mkdir()
    text = (site.project / "envlock.toml").read_text()
    (other / "envlock.toml").write_text(f'[site]\nstore = "{site.project}/.envlock"\n' + text)
    assert envlock("solve", "tiny", *REAL, "--project", str(other)).status == 0
    document = json.loads(envlock("gc", "--project", str(other), "--json").out)
    assert [(one["folder"], list(one["current"])) for one in document["projects"]] == [
        ("<root>/other", ["real/tiny"])
    ]


def test_a_store_may_be_each_users_own(site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SCRATCH", raising=False)
    site.manifest('[site]\nstore = "$SCRATCH/envlock"\n' + TINY)
    said = envlock("solve", "tiny", *REAL, "--json")
    assert (said.status, code(said)) == (2, "unset-variable")
    assert not (site.project / "$SCRATCH").exists()
    monkeypatch.setenv("SCRATCH", str(site.root / "scratch"))
    assert envlock("solve", "tiny", *REAL).status == 0
    assert len(list((site.root / "scratch/envlock/environments").iterdir())) == 1
