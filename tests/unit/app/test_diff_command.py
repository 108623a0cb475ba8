from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.app.diff import examine
from envlock.app.named_locks import find_lock
from envlock.app.project import Options, Project, open_project
from envlock.edges.lock_files import write_lock
from envlock.lifecycle.diff import Diff
from envlock.model.errors import RequestError
from tests.locks import distribution, lock

MANIFEST = '[groups.base]\npython = "3.7"\n[groups.next]\nextends = "base"\n[groups.unlocked]\n'


def write(project: Path, group: str, version: str) -> Path:
    path = project / "locks" / "local" / f"pylock.{group}.toml"
    write_lock(path, lock(distribution("gensim", version), group=group))
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    folder = tmp_path / "repository" / "project"
    folder.mkdir(parents=True)
    (folder / "envlock.toml").write_text(MANIFEST)
    write(folder, "base", "3.8.1")
    write(folder, "next", "4.0.1")
    return folder


@pytest.fixture
def project(folder: Path) -> Project:
    return open_project(Options(project=folder))


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(folder: Path) -> Path:
    """A repository whose first commit has both locks, and whose second has moved one."""
    git(folder.parent, "init")
    write(folder, "gone", "3.8.0")
    git(folder.parent, "add", "-A")
    git(folder.parent, "commit", "-m", "one")
    git(folder.parent, "tag", "v1")
    write(folder, "base", "3.8.3")
    git(folder.parent, "commit", "-am", "two")
    write(folder, "base", "4.1.0")
    return folder


def between(old: str, new: str, project: Project) -> Diff:
    return examine(old, new, project, None).diff


def versions(found) -> list[tuple[str, str]]:
    return [(move.old.version, move.new.version) for move in found.distributions.moved]


def test_between_groups(project: Project):
    found = between("base", "next", project)
    assert versions(found) == [("3.8.1", "4.0.1")]
    assert (found.old.group, found.new.group) == ("base", "next")


def test_between_files(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_lock(tmp_path / "pylock.other.toml", lock(distribution("gensim", "3.8.2"), group="other"))
    monkeypatch.chdir(tmp_path)
    assert versions(between("pylock.other.toml", "next", project)) == [("3.8.2", "4.0.1")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("HEAD:base", "base", ("3.8.3", "4.1.0")),
        ("v1:base", "HEAD:base", ("3.8.1", "3.8.3")),
        ("HEAD~1:locks/local/pylock.base.toml", "base", ("3.8.1", "4.1.0")),
        ("main:./locks/local/pylock.base.toml", "v1:gone", ("3.8.3", "3.8.0")),
    ],
)
def test_at_revisions(repository: Path, project: Project, old: str, new: str, expected: tuple[str, str]):
    assert versions(between(old, new, project)) == [expected]


def test_a_group_that_is_gone_has_a_past(repository: Path, project: Project):
    assert find_lock("v1:gone", project).group == "gone"


def code(text: str, project: Project) -> str:
    with pytest.raises(RequestError) as caught:
        find_lock(text, project)
    assert caught.value.hint
    return caught.value.code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unlocked", "not-locked"),
        ("nothing", "unknown-lock"),
        ("nothing.toml", "unknown-lock"),
        ("", "unknown-lock"),
        (":base", "unknown-lock"),
        ("HEAD:", "unknown-lock"),
        ("HEAD:base", "no-repository"),
    ],
)
def test_without_a_repository(project: Project, text: str, expected: str):
    assert code(text, project) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no-such-branch:base", "unknown-revision"),
        ("--help:base", "unknown-revision"),
        ("HEAD:unlocked", "not-in-revision"),
        ("HEAD:../../pylock.base.toml", "not-in-revision"),
        ("HEAD:envlock.toml", "invalid-document"),
    ],
)
def test_in_a_repository(repository: Path, project: Project, text: str, expected: str):
    assert code(text, project) == expected


def test_a_target_that_the_manifest_has_not(project: Project):
    elsewhere = replace(project, options=replace(project.options, target="gpu"))
    assert code("base", elsewhere) == "unknown-target"


def test_a_file_that_is_no_lock(project: Project, folder: Path):
    with pytest.raises(RequestError) as caught:
        find_lock(str(folder / "envlock.toml"), project)
    assert caught.value.code == "invalid-lock"
