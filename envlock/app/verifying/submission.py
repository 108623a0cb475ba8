"""``verify --submit``: a verification as a job of the scheduler, waited for, and its report collected."""

from __future__ import annotations

import datetime as dt
import json
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from uuid import uuid4

from envlock.app.project import Project
from envlock.app.verifying.evidence import report_path
from envlock.app.verifying.launching import Placement
from envlock.app.verifying.verify import Verified, up_to_date
from envlock.edges.files import read_bytes, write_text
from envlock.edges.log_files import both_ends
from envlock.edges.program_errors import last_lines
from envlock.edges.schedulers import SCHEDULERS, Scheduler
from envlock.edges.subprocesses import run, run_logged
from envlock.lifecycle.evidence.signatures import Diagnosis, recognised
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.progress import Progress, Task
from envlock.model.proving.batch import BatchJob
from envlock.model.proving.report import decode_report

_LONGEST_S = 14 * 24 * 3600.0
_CANCEL_S = 60.0
_SEEN_S = 30.0
"""How late another node's files may appear here: an NFS client caches folders for 30 s (nfs(5), acdirmin)."""
_LOOK_S = 0.5


def submit(
    project: Project, group: str, progress: Progress, *, place: Placement, by: str, arguments: Sequence[str]
) -> Verified:
    """Hand a verification to the scheduler, wait for its end, and read the report that it left.

    The job runs ``envlock verify`` on its first node, so the nodes must see this envlock, the project and the
    store. When this process is interrupted or fails, the job is cancelled.

    Args:
        project: the project.
        group: the group.
        progress: shows how far it is.
        place: how many nodes and ranks, and where to ask for them.
        by: ``sbatch``, ``qsub``, ``bsub``, ``flux`` or ``cobalt``.
        arguments: those of ``envlock verify`` inside the job.

    Raises:
        RequestError: the scheduler is unknown, hosts are named, there are more ranks than places, or the
            group cannot be verified.
        SurroundingsError: the scheduler refuses, or the job ended without a report; ``where`` is its log.
    """
    if by not in SCHEDULERS:
        raise RequestError(
            "unknown-scheduler",
            f"no scheduler takes jobs by {by!r}",
            hint=f"--submit {', '.join(SCHEDULERS)}",
        )
    if place.hosts:
        raise RequestError(
            "hosts-not-chosen", "the scheduler chooses the hosts", hint="--nodes N, not --hosts"
        )
    place.need_room(place.nodes)
    found = up_to_date(project, group)
    report = report_path(found.file.path)
    before = read_bytes(report) if report.is_file() else b""
    stamp = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%S")
    # Other targets, and projects that share the store, may be verifying a group of this name right now.
    name = f"verify-{project.options.target}-{group}-{stamp}-{uuid4().hex[:8]}"
    base = project.store.root.absolute() / "logs" / name
    job = _job(base, group, place, project.launch().submit_options)
    write_text(job.script, _script(group, arguments))
    waiting = _Waiting(scheduler=SCHEDULERS[by])
    try:
        with progress.task(f"waiting for {by}") as task:
            refusal = waiting.run(job, _beside(base, ".submit.log"), task)
    finally:
        job.script.unlink(missing_ok=True)
    after = _arrived(report, before, patience_s=_SEEN_S if waiting.identifier else 0.0)
    if after in (b"", before):
        said = both_ends(job.log) if job.log.is_file() else ""
        printed = last_lines(said.splitlines()) if said else []
        signs = recognised(said, project.knowledge.running.signatures)
        raise SurroundingsError(
            "job-failed",
            f"the job {waiting.identifier} left no report"
            if waiting.identifier
            else "the job was not accepted",
            where=str(job.log if printed else _beside(base, ".submit.log")),
            why="\n".join(printed) or refusal,
            hint=_next_step(signs, taken=bool(waiting.identifier)),
        )
    return Verified(
        report=decode_report(json.loads(after), file=str(report)), path=report, prefix=found.prefix
    )


def _next_step(signs: Sequence[Diagnosis], *, taken: bool) -> str:
    """Return what to do about a job without a report: what its words are a sign of, else what is usual."""
    if signs:
        return f"{signs[0].action} ({signs[0].meaning})"
    if taken:
        return "the nodes must see this envlock, the project and the store under the same paths"
    return (
        "--partition, --account and --time say where to ask, and [site.launch] submit-options adds the rest"
    )


def _arrived(report: Path, before: bytes, *, patience_s: float) -> bytes:
    """Return the report's content once it differs from before or patience ends; empty for none."""
    end = time.monotonic() + patience_s
    while True:
        content = read_bytes(report) if report.is_file() else b""
        if content not in (b"", before) or time.monotonic() >= end:
            return content
        time.sleep(_LOOK_S)


@dataclass(slots=True, kw_only=True)
class _Waiting:
    """One job, from handing it over to its end.

    Attributes:
        scheduler: what runs it.
        identifier: the scheduler's name for it, once known.
    """

    scheduler: Scheduler
    identifier: str = field(default="")

    def run(self, job: BatchJob, log: Path, task: Task) -> str:
        """Wait for the end of a job, and return what the scheduler complained of, empty for nothing.

        A failed job also gives a failing exit status, so its report decides.
        """

        def look(line: str) -> None:
            if not self.identifier:
                self.identifier = self.scheduler.job_id(line)
                task.note(f"job {self.identifier}" if self.identifier else line)

        try:
            run_logged(self.scheduler.submit(job), log=log, on_line=look, timeout_s=_LONGEST_S)
            if self.scheduler.wait and self.identifier:
                run_logged([*self.scheduler.wait, self.identifier], log=log, timeout_s=_LONGEST_S)
        except SurroundingsError as error:
            if error.code != "tool-failed":
                raise
            return error.why
        except BaseException:
            with suppress(SurroundingsError):  # the reason why the wait ended is what gets reported
                if self.identifier:
                    run([*self.scheduler.cancel, self.identifier], timeout_s=_CANCEL_S)
            raise
        return ""


def _job(base: Path, group: str, place: Placement, options: tuple[str, ...]) -> BatchJob:
    nodes = place.nodes or 1
    return BatchJob(
        name=f"envlock-{group}",
        script=_beside(base, ".sh"),
        log=_beside(base, ".log"),
        nodes=nodes,
        per_node=place.per_node or -(-(place.ranks or max(2, nodes)) // nodes),
        gpus=place.gpus,
        queue=place.queue.name,
        account=place.queue.account,
        minutes=place.queue.minutes,
        options=options,
    )


def _beside(base: Path, ending: str) -> Path:
    """Return a job's file with an ending; a target's name may have dots, whose rest is no ending."""
    return base.with_name(base.name + ending)


def _script(group: str, arguments: Sequence[str]) -> str:
    command = shlex.join([sys.executable, "-m", "envlock", "verify", group, *arguments])
    return f"#!/bin/sh\nexec {command}\n"
