"""Submission with programs that stand in for sbatch: what is run, waited for, cancelled and read back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from envlock.app.verifying import submission
from envlock.app.verifying.launching import Placement
from envlock.app.verifying.submission import submit
from envlock.edges.store.store import Store
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.progress import Silent
from envlock.model.project.launch import LaunchSettings
from envlock.model.proving.report import encode_report
from tests.patience import PATIENCE_S
from tests.shipped import KNOWLEDGE
from tests.unit.model.proving.test_report import REPORT


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A project whose lock has a report from before, and a folder of programs that comes first on PATH."""
    lock = tmp_path / "pylock.stack.toml"
    found = SimpleNamespace(prefix=tmp_path / "env", file=SimpleNamespace(path=lock))
    monkeypatch.setattr(submission, "up_to_date", lambda _project, _group: found)
    monkeypatch.setattr(submission, "_SEEN_S", 0.0)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    report(tmp_path).write_text(json.dumps(encode_report(REPORT)))
    return SimpleNamespace(
        store=Store(tmp_path / "store"),
        options=SimpleNamespace(target="gpu"),
        root=tmp_path,
        knowledge=KNOWLEDGE,
        launch=lambda: LaunchSettings(submit_options=("--qos=short",)),
    )


def report(folder: Path) -> Path:
    return folder / "pylock.stack.report.json"


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_jobs_report_comes_back(project: SimpleNamespace) -> None:
    newer = replace(REPORT, group="of the job")
    (project.root / "newer").write_text(json.dumps(encode_report(newer)))
    job = f"""for script; do :; done; cp "$script" {project.root}/script; echo "$*" > {project.root}/told
echo 17; mv {project.root}/newer {report(project.root)}; exit 1"""
    program(project.root, "sbatch", job)
    got = submit(
        project,
        "stack",
        Silent(),
        place=Placement(nodes=2, gpus=2),
        by="sbatch",
        arguments=["--ranks", "4 4"],
    )
    assert got.report == newer
    script = (project.root / "script").read_text().splitlines()
    assert "--gres=gpu:2 --qos=short" in (project.root / "told").read_text()
    assert script[0] == "#!/bin/sh"
    assert script[1].endswith("-m envlock verify stack --ranks '4 4'")


@pytest.mark.parametrize("target", ["gpu", "gpu.v2"])
def test_jobs_that_are_handed_over_at_once_have_scripts_of_their_own(
    project: SimpleNamespace, target: str
) -> None:
    """As of two targets, or of two projects that share the store, each with a group of the name."""
    project.options.target = target
    program(project.root, "sbatch", f'for script; do :; done; echo "$script" >> {project.root}/told; echo 17')
    for _ in range(2):
        with pytest.raises(SurroundingsError, match="left no report"):
            submit(project, "stack", Silent(), place=Placement(), by="sbatch", arguments=[])
    scripts = (project.root / "told").read_text().split()
    assert len({*scripts}) == len(scripts) == 2
    assert all(f"verify-{target}-stack-" in script for script in scripts)


def test_a_report_that_is_seen_late_is_waited_for(
    project: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a node wrote it to a file system whose folders this node keeps for a while."""
    monkeypatch.setattr(submission, "_SEEN_S", PATIENCE_S)
    newer = replace(REPORT, group="of the job")
    (project.root / "newer").write_text(json.dumps(encode_report(newer)))
    job = f"echo 17; (sleep 1; mv {project.root}/newer {report(project.root)}) >/dev/null 2>&1 &"
    program(project.root, "sbatch", job)
    assert submit(project, "stack", Silent(), place=Placement(), by="sbatch", arguments=[]).report == newer


def test_a_job_that_leaves_no_report_is_an_error_with_its_words(project: SimpleNamespace) -> None:
    log = "for word; do case $word in --output=*) log=${word#*=};; esac; done"
    job = f'{log}; echo 17; echo "error: no such python" > "$log"'
    program(project.root, "sbatch", f"{job}; exit 127")
    with pytest.raises(SurroundingsError, match="the job 17 left no report") as raised:
        submit(project, "stack", Silent(), place=Placement(), by="sbatch", arguments=[])
    assert raised.value.why == "error: no such python"


def test_a_job_whose_time_was_over_is_told_as_that(project: SimpleNamespace) -> None:
    words = "slurmstepd-n1: error: *** JOB 25 ON n1 CANCELLED AT 2026-11-30T01:46:04 DUE TO TIME LIMIT ***"
    job = f"""for option; do case $option in --output=*) echo "{words}" > "${{option#*=}}";; esac; done
echo 25; exit 1"""
    program(project.root, "sbatch", job)
    with pytest.raises(SurroundingsError, match="job 25 left no report") as raised:
        submit(project, "stack", Silent(), place=Placement(), by="sbatch", arguments=[])
    assert raised.value.hint.startswith("ask for more --time")


def test_what_a_job_printed_need_not_be_utf8(project: SimpleNamespace) -> None:
    log = "for word; do case $word in --output=*) log=${word#*=};; esac; done"
    program(project.root, "sbatch", f"{log}; echo 17; printf 'kein Ger\\344t\\n' > \"$log\"; exit 1")
    with pytest.raises(SurroundingsError, match="left no report") as raised:
        submit(project, "stack", Silent(), place=Placement(), by="sbatch", arguments=[])
    assert raised.value.why == "kein Ger\ufffdt"


def test_a_scheduler_that_refuses_is_quoted(project: SimpleNamespace) -> None:
    program(project.root, "sbatch", "echo 'sbatch: error: invalid partition specified: gpu'; exit 1")
    with pytest.raises(SurroundingsError, match="not accepted") as raised:
        submit(project, "stack", Silent(), place=Placement(), by="sbatch", arguments=[])
    assert "invalid partition" in raised.value.why
    assert raised.value.hint.startswith("--partition")


def test_an_interrupted_wait_cancels_the_job(project: SimpleNamespace) -> None:
    program(project.root, "sbatch", "echo 17; sleep 60")
    program(project.root, "scancel", f"echo $* > {project.root}/cancelled")
    with pytest.raises(KeyboardInterrupt):
        submit(project, "stack", _Impatient(), place=Placement(), by="sbatch", arguments=[])
    assert (project.root / "cancelled").read_text() == "17\n"


def test_an_interruption_stays_one_where_the_job_cannot_be_cancelled(project: SimpleNamespace) -> None:
    program(project.root, "sbatch", "echo 17; sleep 60")
    with pytest.raises(KeyboardInterrupt):
        submit(project, "stack", _Impatient(), place=Placement(), by="sbatch", arguments=[])


class _Impatient(Silent):
    def task(self, title, total=None):
        return _Interrupting()


class _Interrupting:
    """Control-C as soon as the job's number is known."""

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def note(self, text: str) -> None:
        raise KeyboardInterrupt


def test_requests_that_make_no_sense(project: SimpleNamespace) -> None:
    with pytest.raises(RequestError, match="no scheduler takes jobs by 'qsbu'"):
        submit(project, "stack", Silent(), place=Placement(), by="qsbu", arguments=[])
    with pytest.raises(RequestError, match="the scheduler chooses"):
        submit(project, "stack", Silent(), place=Placement(hosts=("n1",)), by="sbatch", arguments=[])
    crowded = Placement(nodes=2, per_node=2, ranks=5)
    with pytest.raises(RequestError, match="do not fit on 2 nodes with 2 on each"):
        submit(project, "stack", Silent(), place=crowded, by="sbatch", arguments=[])
