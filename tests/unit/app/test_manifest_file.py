"""A site's own knowledge, where the manifest names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from envlock.app.manifest_file import overlays_of
from envlock.app.project import Options, open_project
from envlock.cli import run
from envlock.model.errors import RequestError

FACT = """\
[[fact]]
id = "{name}"
when = {{ gensim = "==4.3.2" }}
evidence = "verified-here"
reason = "it loses our vectors"
sources = [{{ title = "our cluster's diary", checked = 2026-01-31 }}]
"""


def overlay(folder: Path, name: str) -> Path:
    (folder / "facts").mkdir(parents=True)
    (folder / "facts/own.toml").write_text(FACT.format(name=name))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose manifest names knowledge beside itself."""
    overlay(tmp_path / "project/ours", "our-gensim")
    (tmp_path / "project/envlock.toml").write_text('[site]\nknowledge = ["ours"]\n')
    return tmp_path / "project"


def known(project: Path, *given: Path) -> set[str]:
    knowledge = open_project(Options(project=project, overlays=given)).knowledge
    return {fact.id for fact in knowledge.facts if "gensim" in fact.id and fact.reason.startswith("it loses")}


def test_what_the_manifest_names_adds_to_the_base_before_what_is_given(project: Path, tmp_path: Path) -> None:
    given = overlay(tmp_path / "given", "given-gensim")
    assert known(project) == {"our-gensim"}
    assert known(project, given) == {"our-gensim", "given-gensim"}
    assert overlays_of(project, [given]) == (project / "ours", given)


def test_a_folder_in_both_places_counts_once(project: Path) -> None:
    assert known(project, project / "../project/ours") == {"our-gensim"}


def test_a_folder_of_the_users_home(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    overlay(tmp_path / "at-home", "home-gensim")
    (project / "envlock.toml").write_text('[site]\nknowledge = ["~/at-home"]\n')
    assert known(project) == {"home-gensim"}


def test_a_folder_that_is_not_there_is_told_with_its_place(project: Path) -> None:
    (project / "envlock.toml").write_text('[site]\nknowledge = ["theirs"]\n')
    with pytest.raises(RequestError, match="there is no folder") as caught:
        open_project(Options(project=project))
    assert caught.value.where == f"{project / 'envlock.toml'}, site.knowledge"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["check", "gensim==4.3.2", "--offline"], 1),
        (["kb", "why", "our-gensim"], 0),
        (["kb", "search", "our-gensim"], 0),
    ],
)
def test_commands_that_need_no_project_know_it_in_one(
    words: list[str], status: int, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, "--project", str(project)]) == status
    assert "our" in capsys.readouterr().out
    assert run([*words, "--project", str(tmp_path)]) != status


def test_lint_looks_at_it_together_with_the_base(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["kb", "lint", "--project", str(project)]) == 1
    assert "our-gensim: no example that it refuses" in capsys.readouterr().out
