"""``envlock kb`` and ``envlock check`` as commands: exit statuses, one document, errors with a place."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from envlock.cli import run

BASE = Path(__file__).parents[2] / "golden" / "kb" / "base"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["kb", "show"], 0),
        (["kb", "show", "horovod"], 0),
        (["kb", "show", "no-such-component"], 2),
        (["kb", "why", "horovod-openmpi-3.1.3"], 0),
        (["kb", "why", "no-such-fact"], 2),
        (["kb", "search", "horovod"], 0),
        (["kb", "search", "no such words anywhere"], 1),
        (["kb", "search", "horovod", " "], 2),
        (["kb", "stats"], 0),
        (["kb", "lint", str(BASE)], 0),
        (["kb", "diff", str(BASE), str(BASE.parent / "next")], 0),
        (["kb", "diff", str(BASE), "no-such-revision"], 2),
    ],
)
def test_every_view_has_a_text_and_one_document(arguments, status, capsys) -> None:
    assert run(arguments) == status
    assert "".join(capsys.readouterr()).strip()
    assert run([*arguments, "--json"]) == status
    document = json.loads(capsys.readouterr().out)
    assert document["schema"].startswith("envlock/")


def test_lint_ends_with_one_and_names_file_fact_and_path(tmp_path, capsys) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "a.toml").write_text(
        '[[fact]]\nid = "here"\nwhen = { torch = "<>1" }\nevidence = "derived"\nreason = "r"\n'
    )
    assert run(["kb", "lint", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "facts/a.toml, fact[0].when.torch" in told.replace("\n", "")
    assert "'here'" in told
    assert f"envlock kb lint --knowledge {tmp_path}" in told.replace("\n", "")


def test_a_revision_of_a_base_is_read_from_git(tmp_path, monkeypatch, capsys) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    facts = tmp_path / "knowledge" / "facts"
    facts.mkdir(parents=True)
    fact = '[[fact]]\nid = "{0}"\nwhen = {{ torch = "<1" }}\nevidence = "derived"\nreason = "r"\n'
    git("init", "-q")
    for name in ("one", "two"):
        (facts / "a.toml").write_text(fact.format(name))
        git("add", ".")
        git("commit", "-q", "-m", name)
    monkeypatch.chdir(tmp_path)
    assert run(["kb", "diff", "HEAD~1", "HEAD", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [entry["key"] for entry in document["added"]] == ["two"]
    assert [entry["key"] for entry in document["removed"]] == ["one"]


def test_check_reads_a_list_and_names_come_first(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "r.txt").write_text("torch==2.0.1\nnumpy==2.0.0\n")
    assert run(["check", "--from", str(tmp_path / "r.txt"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["read"]["distributions"] == 2
    assert run(["check", "--from", str(tmp_path / "r.txt"), "numpy==1.26.4"]) == 0


def test_check_on_a_target_says_what_joined(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "envlock.toml").write_text(
        '[groups.a]\npython = "3.11"\n[targets.gpu]\ncomponents = { driver = "410.48", gpu_cc = "7.0" }\n'
        '[[targets.gpu.interpreter]]\npath = "/p"\nversion = "3.11.1"\nabi = "cp311"\n'
    )
    arguments = ["check", "torch==1.4.0", "--project", str(tmp_path), "--target", "gpu"]
    assert run([*arguments, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["target"]["name"] == "gpu"
    assert [one["component"] for one in document["target"]["components"]] == [
        *("driver", "gpu_cc", "processor", "python")
    ]
    assert run(arguments) == 1
    assert "on the target gpu: driver 410.48, gpu_cc 7.0" in capsys.readouterr().out
    assert run(["check", "torch==1.4.0", "--project", str(tmp_path), "--target", "cpu"]) == 2


FACT = """[[fact]]
id = "ours"
when = {{ torch = {range} }}
{severity} = "refuse"
evidence = "derived"
reason = "r"
sources = [{{ title = "t"{checked} }}]
"""


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"severity": "severty"}, "fact[0].severty"),
        ({"range": '"<>1"'}, "fact[0].when.torch"),
        ({"checked": ""}, "fact[0].sources[0].checked"),
    ],
)
def test_a_broken_overlay_stops_the_judgement(tmp_path, monkeypatch, capsys, changes, path) -> None:
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path / "cache"))
    parts = {"range": '"<1"', "severity": "severity", "checked": ", checked = 2026-11-20"} | changes
    (tmp_path / "site/facts").mkdir(parents=True)
    (tmp_path / "site/facts/a.toml").write_text(FACT.format(**parts))
    assert run(["check", "horovod==0.19.0", "openmpi==3.1.3", "--knowledge", str(tmp_path / "site")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert f"facts/a.toml, {path}" in told.err.replace("\n", "")
    assert "'ours'" in told.err


def test_an_example_of_an_unknown_component_is_told(tmp_path, capsys) -> None:
    (tmp_path / "facts").mkdir()
    fact = FACT.format(range='"<1"', severity="severity", checked=", checked = 2026-11-20")
    (tmp_path / "facts/a.toml").write_text(
        fact + 'refuses = [{ torhc = "0.4" }]\naccepts = [{ torch = "2" }]\n'
    )
    assert run(["kb", "lint", "--knowledge", str(tmp_path)]) == 1
    assert "ours: 'torhc' is not described" in capsys.readouterr().out


def test_a_range_without_members_is_told(tmp_path, capsys) -> None:
    (tmp_path / "facts").mkdir()
    fact = FACT.format(range='">=2,<1"', severity="severity", checked=", checked = 2026-11-20")
    (tmp_path / "facts/a.toml").write_text(fact)
    assert run(["kb", "lint", str(tmp_path)]) == 1
    assert "ours.torch: no version is in '>=2,<1'" in capsys.readouterr().out


def test_lint_of_nothing_is_a_wrong_request(tmp_path, capsys) -> None:
    assert run(["kb", "lint", "--knowledge", str(tmp_path / "nowhere")]) == 2
    told = capsys.readouterr().err
    assert "there is no knowledge base here" in told
    assert "a single file in one of these is enough" in " ".join(told.split())


@pytest.mark.parametrize("command", ["show", "stats", "lint .", "search torch", "why horovod-intelmpi"])
def test_kb_takes_what_all_commands_take(command, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(BASE)
    common = ["--offline", "--project", str(tmp_path), "--target", "local"]
    assert run(["kb", *command.split(), *common]) == 0
