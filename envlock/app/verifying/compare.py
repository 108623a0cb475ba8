"""``verify --compare``: the communication stacks of an environment side by side, and how training scales."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

from envlock.app.making.environment import Current
from envlock.app.project import Project
from envlock.app.verifying.evidence import readable_report, report_path
from envlock.app.verifying.launching import Placement, Start, nodes_held, starting
from envlock.app.verifying.probing import Probing, working_folder
from envlock.app.verifying.verify import limited, up_to_date
from envlock.edges.files import read_text
from envlock.edges.report_files import write_report
from envlock.lifecycle.evidence.comparison import compare
from envlock.lifecycle.evidence.launch import launch_check, supervision_check
from envlock.lifecycle.evidence.timeline import read_timeline
from envlock.lifecycle.plan import plan_verification
from envlock.model.errors import RefusedError
from envlock.model.frozen import dataclass
from envlock.model.progress import Progress
from envlock.model.proving.comparison import Comparison, Timeline
from envlock.model.proving.probing import Plan
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Check, Outcome

_STEPS = 50
_HOROVOD = "horovod-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A comparison, and what went wrong in starting ranks for it.

    Attributes:
        group: the group.
        target: where.
        comparison: what was measured.
        troubles: the checks of launching that failed.
        report: the report that it went into; ``None`` where this lock has none.
    """

    group: str
    target: str
    comparison: Comparison
    troubles: tuple[Check, ...]
    report: Path | None = None

    @property
    def complete(self) -> bool:
        """Whether every stack that can be used here was measured."""
        return bool(self.comparison.curves) and not self.comparison.failed and not self.troubles


def compare_stacks(
    project: Project,
    group: str,
    progress: Progress,
    *,
    place: Placement,
    max_bytes: int | None,
    timeline: bool,
    phase_s: float = 120.0,
) -> Compared:
    """Time every stack on all ranks, then train on fewer and fewer of them; put it into the lock's report.

    Args:
        project: the project.
        group: the group.
        progress: shows how far it is.
        place: where ranks run, and how many.
        max_bytes: the largest message; else 256 MiB, or what time allows.
        timeline: whether Horovod is to record its timeline, each of its interfaces in a run of its own,
            because in one process they share one file.
        phase_s: seconds that a rank may stay in one phase before it counts as hanging.

    Raises:
        RequestError: the group has no environment, or ranks cannot be started there.
        RefusedError: the environment has nothing that communicates.
        SurroundingsError: the disk is full, the project's folder cannot be written to, or the launcher is not
            here.
    """
    started = dt.datetime.now(dt.UTC)
    found = up_to_date(project, group)
    wanted = starting(project, found, place)
    ranks = wanted.job.ranks
    asked = plan_verification(found.file.lock, project.knowledge, ranks=ranks, max_bytes=max_bytes)
    need_back_ends(asked, group, str(found.file.path), timeline=timeline)
    wanted.need_program()
    plan = limited(replace(asked, correctness=False, compare=True, steps=_STEPS), phase_s)
    with (
        working_folder(project, found, "compare-") as folder,
        nodes_held(project, wanted, place.queue, progress) as start,
    ):
        with progress.task(f"timing every stack on {ranks} ranks"):
            results, troubles = _run(found, start, plan, folder / "all")
        runs = {ranks: results}
        for fewer in _fewer(ranks):
            with progress.task(f"training on {fewer} of {ranks} ranks"):
                small = replace(plan, timing=False, ranks=fewer)
                runs[fewer], more = _run(found, _on(start, fewer), small, folder / str(fewer))
                troubles += more
        recorded: dict[str, Timeline] = {}
        for name in _interfaces(plan) if timeline else ():
            with progress.task(f"recording the timeline of {name}"):
                own = replace(plan, timing=False, timeline=True, back_ends=(name,))
                results, more = _run(found, start, own, folder / name)
            path = folder / name / "ranks" / f"timeline-{name}.json"
            timeline_read = read_timeline(read_text(path)) if path.is_file() else None
            recorded |= {name: timeline_read} if timeline_read else {}
            troubles += more if timeline_read or more else unrecorded(name, results)
    comparison = compare(plan.back_ends, runs, recorded, started)
    return Compared(
        group=group,
        target=project.options.target,
        comparison=comparison,
        troubles=troubles,
        report=_recorded(found, comparison),
    )


def need_back_ends(plan: Plan, group: str, lock: str, *, timeline: bool) -> None:
    """Refuse to compare what does not communicate, and to record Horovod's timeline without Horovod.

    Raises:
        RefusedError: ``nothing-to-compare`` or ``nothing-to-record``.
    """
    if not plan.back_ends:
        raise RefusedError(
            "nothing-to-compare",
            f"{group!r} has no library that communicates",
            where=lock,
            hint="ask for mpi4py, torch or horovod in the group",
        )
    if timeline and not _interfaces(plan):
        raise RefusedError(
            "nothing-to-record",
            f"{group!r} has no Horovod, whose timeline --timeline would record",
            where=lock,
            hint="leave --timeline out, or ask for horovod in the group",
        )


def _interfaces(plan: Plan) -> list[str]:
    return [name for name in plan.back_ends if name.startswith(_HOROVOD)]


def unrecorded(name: str, ranks: tuple[RankResult, ...]) -> tuple[Check, ...]:
    """Return what is wrong where Horovod left no timeline, though it went well on a rank; else nothing."""
    ended = [rank.back_ends[name].outcome for rank in ranks if name in rank.back_ends]
    if Outcome.PASSED.value not in ended:
        return ()
    message = f"{name} left no timeline with a reduction in it"
    return (Check(id="C16", name="timeline", outcome=Outcome.FAILED, message=message),)


def _recorded(found: Current, comparison: Comparison) -> Path | None:
    """Put a comparison into the report beside the lock, if that is of the same lock."""
    path = report_path(found.file.path)
    report = readable_report(path)
    if report is None or report.lock_sha256 != found.file.sha256:
        return None
    write_report(path, replace(report, comparison=comparison))
    return path


def _run(
    found: Current, start: Start, plan: Plan, folder: Path
) -> tuple[tuple[RankResult, ...], tuple[Check, ...]]:
    """Run one launch; return the ranks' results, and the checks of launching that failed."""
    folder.mkdir()
    probing = Probing(found=found, plan=plan, start=start, folder=folder)
    probing.prepare()
    supervision = probing.ranks()
    results = tuple(probing.results())
    judged = replace(plan, nodes=start.job.fewest_places)
    checks = (launch_check(results, supervision, judged), supervision_check(results, supervision))
    return results, tuple(check for check in checks if not check.outcome.good)


def _fewer(ranks: int) -> list[int]:
    """Return 1, 2, 4 ... below the given number, largest first."""
    return [1 << power for power in reversed(range(ranks.bit_length())) if 1 << power < ranks]


def _on(start: Start, ranks: int) -> Start:
    """Return the same launcher for fewer ranks, on the fewest nodes that hold them at as many per node."""
    job = start.job
    each = job.each if job.spread else 0
    nodes = -(-ranks // each) if each else 0
    return replace(start, job=replace(job, ranks=ranks, nodes=nodes, hosts=job.hosts[:nodes]))
