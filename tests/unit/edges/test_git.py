"""Which repository git is asked about: that of the folder, wherever a command was started."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from envlock.edges.cache import Cache
from envlock.edges.git import read_at, run_git, sources_in
from envlock.edges.index.repositories import Repositories
from envlock.edges.knowledge_files import load_knowledge, load_knowledge_at, shipped_knowledge
from envlock.model.errors import RequestError
from tests.patience import PATIENCE_S


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=folder, env=environ, check=True, capture_output=True, text=True).stdout


def repository(folder: Path, name: str) -> Path:
    folder.mkdir()
    (folder / name).write_text(f"{name} of {folder.name}")
    git(folder, "init")
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "one")
    return folder


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return repository(tmp_path / "own", "mine.py")


@pytest.fixture
def hooked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in one of whose hooks the command runs, which git tells by variables."""
    other = repository(tmp_path / "hooked", "secret.py")
    for name, place in (("GIT_DIR", ".git"), ("GIT_WORK_TREE", "."), ("GIT_INDEX_FILE", ".git/index")):
        monkeypatch.setenv(name, str(other / place))
    return other


@pytest.mark.usefixtures("hooked")
def test_a_folder_is_asked_about_its_own_repository(own: Path) -> None:
    assert sources_in(own) == ["mine.py"]
    assert read_at(own, "HEAD", "mine.py") == b"mine.py of own"


def test_a_file_whose_name_is_no_text_is_one_of_the_sources(own: Path) -> None:
    """It would be missing from what is built, and nobody told."""
    name = os.fsdecode(b"gr\xfcn.txt")
    (own / name).touch()
    assert sources_in(own) == [name, "mine.py"]


def test_what_a_revision_has_is_read_byte_by_byte(own: Path) -> None:
    (own / "mine.py").write_bytes(content := b"a\r\nb\xff\n")
    git(own, "-c", "core.autocrlf=false", "commit", "-am", "two")
    assert read_at(own, "HEAD", "mine.py") == content


def test_a_checkout_leaves_the_repository_of_a_hook_as_it_is(tmp_path: Path, own: Path, hooked: Path) -> None:
    commit = git(own, "rev-parse", "HEAD").strip()
    before = git(hooked, "rev-parse", "HEAD"), (hooked / ".git/config").read_text()
    packed = io.BytesIO()
    Repositories(Cache(tmp_path / "cache"), offline=False).pack(f"git+{own.as_uri()}@{commit}", packed)
    assert b"mine.py of own" in packed.getvalue()
    assert (git(hooked, "rev-parse", "HEAD"), (hooked / ".git/config").read_text()) == before


def test_git_asks_nobody_for_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would ask on the terminal, past all pipes, and a job would wait for ever."""
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$GIT_TERMINAL_PROMPT"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "1")
    assert run_git(None, "ls-remote", patience_s=PATIENCE_S).stdout == "0\n"


def test_no_commit_is_an_option_of_git(tmp_path: Path, own: Path) -> None:
    """Of a lock that somebody else wrote: git would run what ``--upload-pack`` names."""
    run = tmp_path / "run"
    place = f"git+file://{own}@--upload-pack=touch {run};"
    with pytest.raises(RequestError) as caught:
        Repositories(Cache(tmp_path / "cache"), offline=False).pack(place, io.BytesIO())
    assert (caught.value.code, run.exists()) == ("unknown-revision", False)


def test_a_knowledge_base_of_a_revision_is_its_toml_alone(own: Path) -> None:
    shutil.copytree(shipped_knowledge(), own / "knowledge")
    (own / "knowledge/facts/README.md").write_text("Facts of ours.\n")
    shutil.copytree(shipped_knowledge() / "facts", own / "knowledge/drafts/facts")
    git(own, "add", "-A")
    git(own, "commit", "-m", "two")
    assert load_knowledge_at(own, "HEAD", "knowledge").digest == load_knowledge(own / "knowledge").digest
