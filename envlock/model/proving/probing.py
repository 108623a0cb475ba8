"""The probe's instructions, and what supervision observed from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToImport:
    """A distribution to import.

    Attributes:
        name: its name.
        version: the version that must be installed.
        imports: its modules; ``None`` to find them from the installed files.
        wanted: whether the group requires it by name, not merely something else.
    """

    name: str
    version: str
    wanted: bool = False
    imports: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Time limits in seconds.

    Attributes:
        imports: for importing everything.
        exercise: for calling every library.
        check: for each other check of one process.
        phase: for one phase of one rank.
        ranks: for the whole run of the ranks.
    """

    imports: float = 300.0
    exercise: float = 300.0
    check: float = 120.0
    phase: float = 120.0
    ranks: float = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The probe's instructions.

    Attributes:
        distributions: what to import, in order.
        back_ends: the communication back ends to check, in order: ``mpi4py``, ``torch-gloo``, ``torch-nccl``,
            ``torch-mpi``, ``horovod-torch``, ``horovod-tensorflow``.
        ranks: the world size.
        nodes: the number of nodes; where ranks are judged, the fewest on which they should run.
        max_bytes: the size of the largest message.
        patience_s: how many seconds messages beyond 1 MiB may take in one series of sums or of times; 0 for
            no limit.
        correctness: whether to compare values.
        timing: whether to time reductions by size.
        compare: whether to time them for longer, and in several tensors, fused and unfused.
        steps: how many steps to train a tiny model.
        timeline: whether Horovod records its timeline.
        deadlines: the time limits.
        expect: what the lock says about node and builds; the probe's ``plan.py`` shows its form.
        calls: size in bytes -> how many calls of it a benchmark times; only for the probe's run beside one.
        sweeps: how many times a benchmark goes through all sizes.
        stack_tools: commands that show the stacks of the process whose number is appended to them.
        variables: names of the environment variables set where a launcher is called; any others that its
            processes find come from the launcher or their node.
        inherited: those of them, with their values, that another launcher may have set for this process, and
            that could be taken for a rank's place.
        sabotage: a negative control for tests; the probe's ``sabotage.py`` lists them.
    """

    distributions: tuple[ToImport, ...]
    back_ends: tuple[str, ...]
    ranks: int = 2
    nodes: int = 1
    max_bytes: int = 1 << 20
    patience_s: float = 0.0
    correctness: bool = True
    timing: bool = True
    compare: bool = False
    steps: int = 20
    timeline: bool = False
    deadlines: Deadlines = field(default_factory=Deadlines)
    expect: Mapping[str, object] = field(default_factory=dict)
    calls: Mapping[int, int] = field(default_factory=dict)
    sweeps: int = 1
    stack_tools: tuple[tuple[str, ...], ...] = ()
    variables: tuple[str, ...] = ()
    inherited: Mapping[str, str] = field(default_factory=dict)
    sabotage: Mapping[str, object] = field(default_factory=dict)


class Ending(StrEnum):
    """How a supervised run ended."""

    EXITED = "exited"
    NOT_STARTED = "not-started"
    PHASE_DEADLINE = "phase-deadline"
    OVERALL_DEADLINE = "overall-deadline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """A rank that did not finish.

    Attributes:
        rank: the launcher's number for it; ``None`` where it gave none.
        host: where it ran.
        pid: its process id.
        phase: the last phase that it entered.
        step: how many phases it entered; the others wait for the rank with the fewest.
        seconds: how long it had been in that phase.
    """

    rank: int | None
    host: str
    pid: int
    phase: str
    step: int
    seconds: float

    @property
    def label(self) -> str:
        """Its name for users."""
        return f"rank {'?' if self.rank is None else self.rank} on {self.host}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OneProcess:
    """The outcome of the probe in one process.

    Attributes:
        document: its result; ``None`` if it left none.
        command: the launcher's, where it ran on another node; the probe's, where there is no result.
        trouble: how it ended, where there is no result.
        output: what it printed, likewise.
    """

    document: Mapping[str, object] | None = None
    command: tuple[str, ...] = ()
    trouble: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervision:
    """What was observed from outside.

    Attributes:
        command: what was started.
        ending: how it ended.
        status: the launcher's exit status, negative for a signal; ``None`` unless it exited by itself.
        seconds: how long it took.
        expected: how many ranks were requested.
        reported: how many wrote at least one heartbeat.
        unfinished: ranks that began but did not finish, those furthest behind first.
        stacks: ``host-pid`` -> the Python stacks of a rank that hung; ``host-pid native`` -> the native ones,
            or why there are none.
        output: the end of what the launcher and the ranks printed.
    """

    command: tuple[str, ...]
    ending: Ending
    status: int | None
    seconds: float
    expected: int
    reported: int
    unfinished: tuple[Unfinished, ...]
    stacks: Mapping[str, str]
    output: str

    @property
    def timed_out(self) -> bool:
        """Whether a deadline ended it."""
        return self.ending in (Ending.PHASE_DEADLINE, Ending.OVERALL_DEADLINE)


def encode_plan(plan: Plan) -> dict[str, object]:
    """Encode a plan as the probe reads it."""
    return {
        "distributions": [
            {"name": asked.name, "version": asked.version, "wanted": asked.wanted}
            | ({} if asked.imports is None else {"imports": list(asked.imports)})
            for asked in plan.distributions
        ],
        "back_ends": list(plan.back_ends),
        "ranks": plan.ranks,
        "nodes": plan.nodes,
        "max_bytes": plan.max_bytes,
        "patience_s": plan.patience_s,
        "correctness": plan.correctness,
        "timing": plan.timing,
        "compare": plan.compare,
        "steps": plan.steps,
        "timeline": plan.timeline,
        "deadlines": {
            "imports": plan.deadlines.imports,
            "exercise": plan.deadlines.exercise,
            "check": plan.deadlines.check,
            "phase": plan.deadlines.phase,
        },
        "expect": dict(plan.expect),
        "calls": {str(size): calls for size, calls in plan.calls.items()},
        "sweeps": plan.sweeps,
        "stack_tools": [list(tool) for tool in plan.stack_tools],
        "variables": list(plan.variables),
        "inherited": dict(plan.inherited),
        "sabotage": dict(plan.sabotage),
    }
