"""``verify``: the probe inside the group's environment, in one process and on ranks, and its report."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from envlock import __version__
from envlock.app.environment import Current, current, variables
from envlock.app.project import Project
from envlock.edges.files import read_bytes, write_text
from envlock.edges.heartbeats import read_heartbeats
from envlock.edges.launchers import LAUNCHERS
from envlock.edges.probe_archive import write_probe
from envlock.edges.subprocesses import run_logged
from envlock.edges.supervision import supervise
from envlock.lifecycle.evidence import assemble
from envlock.lifecycle.plan import plan_verification
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.probing import Plan, Supervision, encode_plan
from envlock.model.progress import Progress
from envlock.model.rank_result import RankResult, decode_rank
from envlock.model.report import Report, encode_report

_SLACK_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A verification, where its report lies, and the prefix of the environment that was verified."""

    report: Report
    path: Path
    prefix: Path


def verify(
    project: Project, group: str, progress: Progress, *, ranks: int = 2, max_bytes: int = 1 << 20
) -> Verified:
    """Verify a group's environment on this node and write the report beside the lock.

    A check that crashes or hangs is a result; only what keeps the verification itself from running is an
    error.

    Args:
        project: the project.
        group: the group.
        progress: told how far it is.
        ranks: how many ranks communicate.
        max_bytes: the largest message of an allreduce.

    Raises:
        RequestError: the group has no environment, or one of another lock.
        SurroundingsError: the disk is full, or the project's folder cannot be written to.
    """
    found = current(project, group)
    if not found.matches:
        raise RequestError(
            "environment-stale",
            f"the environment of {group!r} was made from another lock than the present one",
            where=str(found.file.path),
            hint=f"envlock solve {group}",
        )
    plan = plan_verification(found.file.lock, project.knowledge, ranks=ranks, max_bytes=max_bytes)
    started = dt.datetime.now(dt.UTC)
    # Ranks on other nodes must see this folder, so it is the store's and not a temporary one of this node.
    project.store.root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=project.store.root.absolute(), prefix="verify-") as folder:
        probing = _Probing(found=found, plan=plan, folder=Path(folder))
        with progress.task("importing everything into one process"):
            one_process = probing.one_process()
        with progress.task(f"communicating among {ranks} ranks"):
            supervision = probing.ranks() if plan.back_ends else None
        results = tuple(probing.results()) if supervision else ()
        checks = assemble(one_process, results, supervision, plan)
    report = Report(
        lock=found.file.path.name,
        lock_sha256=found.file.sha256,
        group=group,
        target=project.options.target,
        started=started,
        seconds=round((dt.datetime.now(dt.UTC) - started).total_seconds(), 1),
        envlock=__version__,
        knowledge=project.knowledge.digest,
        host=_host(),
        checks=checks,
        ranks=results,
    )
    path = report_path(found.file.path)
    write_text(path, json.dumps(encode_report(report), indent=1) + "\n")
    return Verified(report=report, path=path, prefix=found.prefix)


def report_path(lock: Path) -> Path:
    """Where the report of a lock lies: beside it."""
    return lock.with_name(lock.name.removesuffix(".toml") + ".report.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Probing:
    """The probe at work in one folder."""

    found: Current
    plan: Plan
    folder: Path

    def one_process(self) -> Mapping[str, object] | None:
        """The probe's result of one process; ``None`` if it left none."""
        write_probe(self._archive)
        write_text(self._plan, json.dumps(encode_plan(self.plan)))
        result = self.folder / "one-process.json"
        command = [str(self._python), str(self._archive), "one-process"]
        command += ["--plan", str(self._plan), "--out", str(result)]
        deadlines = self.plan.deadlines
        try:
            run_logged(
                command,
                env=variables(self.found),
                log=self.folder / "one-process.log",
                timeout_s=deadlines.imports + deadlines.exercise + _SLACK_S,
            )
        except SurroundingsError:
            if not result.is_file():
                return None
        document: Mapping[str, object] = json.loads(read_bytes(result))
        return document

    def ranks(self) -> Supervision:
        """Ranks under the environment's own launcher, supervised."""
        installed = {pin.component for pin in self.found.file.lock.systems}
        family = next((name for name in LAUNCHERS if name in installed), "")
        launcher = LAUNCHERS[family]
        out = self.folder / "ranks"
        out.mkdir()
        arguments = [str(self._archive), "rank", "--plan", str(self._plan), "--out-dir", str(out)]
        active = variables(self.found)
        command = launcher.command(ranks=self.plan.ranks, python=self._python, arguments=arguments, hosts={})
        command[0] = shutil.which(command[0], path=active["PATH"]) or command[0]
        return supervise(
            command,
            environment={**active, **launcher.environment()},
            deadline_s=self.plan.deadlines.ranks,
            phase_deadline_s=self.plan.deadlines.phase,
            out_dir=out,
            ranks=self.plan.ranks,
        )

    def results(self) -> list[RankResult]:
        """The ranks' last heartbeats."""
        found = read_heartbeats(self.folder / "ranks")
        return [decode_rank(document, file=name) for name, document in found.items()]

    @property
    def _python(self) -> Path:
        return self.found.prefix / "bin/python"

    @property
    def _archive(self) -> Path:
        return self.folder / "probe.pyz"

    @property
    def _plan(self) -> Path:
        return self.folder / "plan.json"


def _host() -> dict[str, object]:
    name = os.uname()
    return {"name": name.nodename, "kernel": name.release, "machine": name.machine}
