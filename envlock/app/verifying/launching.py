"""Which ranks a verification starts, where, and by which launcher."""

from __future__ import annotations

import os
import re
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from envlock.app.making.environment import Current, for_other_nodes, variables
from envlock.app.project import Project
from envlock.edges.environments.activation import activation
from envlock.edges.free_memory import free_bytes
from envlock.edges.launchers import LAUNCHERS, Launcher
from envlock.edges.launchers.choice import by_mpi, choose
from envlock.edges.launchers.mpis import own_variables
from envlock.edges.schedulers.allocation import Allocation, allocation, short_name
from envlock.edges.schedulers.salloc import granted
from envlock.model.counting import number_of
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.locked.pinned import mpi_of
from envlock.model.progress import Progress
from envlock.model.project.launch import Queue, RankJob

_FEWEST = 2
_LEAST_OF_A_RANK = 8 << 20
"""What Python and an MPI keep for one rank alone; with PyTorch it is 140 MiB."""
_STEP = "SLURM_STEP_ID"
_OF_A_TASK = (
    *("PMI", "SLURM_STEP", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_GTIDS", "SLURM_TASK_PID"),
    *("SLURM_SRUN", "SLURM_LAUNCH", "SLURM_PMI"),
)
"""Prefixes of the variables by which srun informs a task, a shell of ``srun --pty`` included (srun(1))."""

_OF_A_PLACE = re.compile(r"RANK|SIZE|PROCID|LOCALID|NUM_TASKS|TASK_LOCAL_ID|APP_PE")
"""What the names of variables have in common that give a rank, a world's size or a local rank."""

_ON_NODES = frozenset({"srun", "aprun", "pals", "jsrun", "flux"})
"""Launchers that start nothing on this host, such as a login node, unless it belongs to the allocation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where ranks are wanted; whatever is 0 or empty is found out.

    Attributes:
        ranks: how many.
        nodes: on how many nodes.
        per_node: how many on each.
        gpus: how many GPUs of each node are requested.
        hosts: the nodes' names.
        launcher: what starts them.
        queue: where a scheduler is asked for nodes.
    """

    ranks: int = 0
    nodes: int = 0
    per_node: int = 0
    gpus: int = 0
    hosts: tuple[str, ...] = ()
    launcher: str = ""
    queue: Queue = Queue()

    def need_as_many_hosts(self) -> None:
        """Refuse to run on another number of nodes than are named.

        Raises:
            RequestError: ``nodes-and-hosts``.
        """
        if self.hosts and self.nodes not in (0, len(self.hosts)):
            raise RequestError(
                "nodes-and-hosts",
                f"{number_of(self.nodes, 'node')} and {number_of(len(self.hosts), 'host')} are asked for",
                where="--nodes, --hosts",
                hint="leave --nodes out, or name as many hosts",
            )

    def need_room(self, nodes: int) -> None:
        """Refuse more ranks than were asked for on each of this many nodes: some would never be started.

        Raises:
            RequestError: ``too-many-ranks``.
        """
        nodes = max(1, nodes)
        if self.per_node and self.ranks > nodes * self.per_node:
            raise RequestError(
                "too-many-ranks",
                f"{self.ranks} ranks do not fit on {number_of(nodes, 'node')} with {self.per_node} on each",
                where="--ranks, --ranks-per-node",
                hint=f"--ranks {nodes * self.per_node}, or --nodes {-(-self.ranks // self.per_node)}",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A launcher and what it is to start.

    Attributes:
        launcher: the launcher.
        job: the ranks, still without their program.
        environment: the whole environment of the launcher.
        here: whether this host is one of those that ranks run on.
        queues: whether each launch would ask the scheduler for nodes of its own, and wait for them.
    """

    launcher: Launcher
    job: RankJob
    environment: Mapping[str, str]
    here: bool = True
    queues: bool = False

    def command(self, program: tuple[str, ...]) -> list[str]:
        """Return the command line that starts ranks of a program."""
        return self.launcher(replace(self.job, program=program))

    def need_program(self) -> None:
        """Refuse a launcher whose program is not here: nothing would be learnt of the environment.

        Raises:
            SurroundingsError: ``launcher-missing``.
        """
        own = ("python", "probe", "rank")
        program = self.command(own)[0]
        path = self.environment.get("PATH", os.defpath)
        if program not in own and shutil.which(program, path=path) is None:
            raise SurroundingsError(
                "launcher-missing",
                f"there is no program {program!r} here to start ranks with",
                where="PATH of the environment",
                why="neither the environment nor the lock's modules bring it",
                hint="load what provides it, or name another: --launcher NAME",
            )

    def known_variables(self) -> tuple[str, ...]:
        """Return the names of the launcher's variables, less those that a Slurm step set for its task, us."""
        return tuple(
            sorted(
                name
                for name in self.environment
                if not (_STEP in self.environment and name.startswith(_OF_A_TASK))
            )
        )

    def inherited(self) -> dict[str, str]:
        """Return the variables that ranks could take for their place, though the launcher has them from here.

        Such as in a shell of ``srun --pty``, or of another ``mpirun``.
        """
        return {name: value for name, value in self.environment.items() if _OF_A_PLACE.search(name)}

    def alone(self, program: tuple[str, ...]) -> list[str]:
        """Return the command line that starts one process, which speaks to no MPI, on the first node."""
        job = replace(
            self.job,
            ranks=1,
            nodes=1,
            per_node=1,
            processors=0,
            hosts=self.job.hosts[:1],
            mpi="",
            program=program,
        )
        return self.launcher(job)


def starting(project: Project, found: Current, place: Placement) -> Start:
    """Work out how to start ranks of an environment: on the nodes asked for, else those allocated, else here.

    Raises:
        RequestError: the launcher is unknown, or needs something that was not given; or there are more ranks
            than places, or than this host has memory for.
    """
    settings = project.launch()
    active = variables(found)
    given = allocation(active)
    place.need_as_many_hosts()
    nodes = place.nodes or len(place.hosts) or given.nodes
    place.need_room(nodes)
    own = activation({}, prefix=found.prefix, systems=found.file.lock.systems)
    mpi = mpi_of(found.file.lock, project.knowledge)
    if mpi is None and by_mpi(place.launcher, settings.launcher) and _alone(place, nodes, given):
        nodes = 0
    ranks = place.ranks or max(_FEWEST, nodes * (place.per_node or 1))
    job = RankJob(
        ranks=ranks,
        program=(),
        nodes=nodes,
        per_node=place.per_node,
        processors=given.processors if given.tasks >= ranks else 0,
        gpus=place.gpus,
        hosts=place.hosts,
        mpi=mpi.component if mpi else "",
        interfaces=project.knowledge.running.interfaces(mpi.component, mpi.version) if mpi else (),
        horovod=any(pin.component == "horovod" for pin in found.file.lock.distributions),
        exported=for_other_nodes(active, own) | dict(settings.variables),
        options=settings.options,
    )
    need_memory(job, free_bytes())
    name = choose(place.launcher, settings.launcher, job, given.scheduler)
    return Start(
        launcher=LAUNCHERS[name],
        job=job,
        environment={**active, **settings.variables, **own_variables(name), **_within_a_step(active)},
        here=_here(job, name, within=given.here),
        queues=(name == "srun" or (name == "torchrun" and job.spread)) and not active.get("SLURM_JOB_ID"),
    )


def need_memory(job: RankJob, free: int) -> None:
    """Refuse more ranks on this host alone than its memory holds: it would end what others run here.

    Args:
        job: the ranks.
        free: how many bytes are free here; 0 where nobody knows.

    Raises:
        RequestError: ``too-many-ranks``.
    """
    most = free // _LEAST_OF_A_RANK
    if most and not job.spread and job.ranks > most:
        raise RequestError(
            "too-many-ranks",
            f"{job.ranks} ranks do not fit into the memory of this host",
            where="--ranks",
            why=f"each takes {_LEAST_OF_A_RANK >> 20} MiB or more, and {free >> 20} MiB are free",
            hint="use fewer --ranks, or --nodes for more hosts",
        )


def _alone(place: Placement, nodes: int, given: Allocation) -> bool:
    """Whether the only node asked for is this host, on which processes start without any launcher.

    Not every scheduler has a launcher of its own for ranks without an MPI: PBS has none on most clusters.
    """
    return nodes == 1 and given.here and not place.hosts


def _within_a_step(active: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that let steps begin inside another step.

    A shell of ``srun --pty`` holds its whole allocation, and further steps, including those by which mpirun
    starts its daemons, would wait for its end (srun(1), --overlap).
    """
    return {"SLURM_OVERLAP": "1"} if active.get(_STEP) else {}


@contextmanager
def nodes_held(project: Project, start: Start, queue: Queue, progress: Progress) -> Iterator[Start]:
    """Yield a start whose launches share one allocation for as long as the block lasts.

    Outside an allocation, each srun in turn would wait for one of its own, and the wait would look like ranks
    that hang.

    Raises:
        SurroundingsError: ``no-allocation``: Slurm refuses.
    """
    if not start.queues or shutil.which("salloc", path=start.environment["PATH"]) is None:
        yield start
        return
    options = project.launch().submit_options
    with ExitStack() as held:
        with progress.task("waiting for Slurm to give nodes") as task:
            allocated = granted(start.job, queue, options, environ=start.environment, note=task.note)
            allocation_variables = held.enter_context(allocated)
        yield replace(start, environment={**start.environment, **allocation_variables})


def _here(job: RankJob, launcher: str, *, within: bool) -> bool:
    """Whether ranks also run on this host; ``within`` says that it is a node of the allocation."""
    if job.hosts:
        return short_name(socket.gethostname()) in map(short_name, job.hosts)
    return within or not (job.spread or launcher in _ON_NODES)
