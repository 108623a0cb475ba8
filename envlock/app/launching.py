"""Which ranks a verification starts, where, and by which launcher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from envlock.app.environment import Current, variables
from envlock.app.project import Project
from envlock.edges.activation import activation
from envlock.edges.launchers import LAUNCHERS, Launcher
from envlock.edges.launchers.choice import choose
from envlock.edges.schedulers.allocation import allocation
from envlock.model.frozen import dataclass
from envlock.model.launch import RankJob

_FEWEST = 2
_MPI = "mpi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where ranks are asked for; what is 0 or empty is found out.

    Attributes:
        ranks: how many.
        nodes: on how many nodes.
        per_node: how many on each.
        gpus: how many GPUs of each node are asked for.
        hosts: the nodes' names.
        launcher: what starts them.
    """

    ranks: int = 0
    nodes: int = 0
    per_node: int = 0
    gpus: int = 0
    hosts: tuple[str, ...] = ()
    launcher: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A launcher and what it is to start.

    Attributes:
        launcher: the launcher.
        job: the ranks, still without their program.
        environment: the whole environment of the launcher.
    """

    launcher: Launcher
    job: RankJob
    environment: Mapping[str, str]

    def command(self, program: tuple[str, ...]) -> list[str]:
        """The command line that starts ranks of a program."""
        return self.launcher.command(replace(self.job, program=program))


def starting(project: Project, found: Current, place: Place) -> Start:
    """How ranks of an environment are started: on the nodes asked for, else those allocated, else here.

    Raises:
        RequestError: the launcher is unknown, or needs something that was not said.
    """
    settings = project.launch()
    active = variables(found)
    given = allocation(active)
    nodes = place.nodes or len(place.hosts) or given.nodes
    own = activation({}, prefix=found.prefix, systems=found.file.lock.systems)
    mpi = next((pin for pin in found.file.lock.systems if pin.component in _members(project)), None)
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
        mpi_major=_major(mpi.version) if mpi else 0,
        horovod=any(pin.component == "horovod" for pin in found.file.lock.distributions),
        exported={name: active[name] for name in own} | dict(settings.variables),
        options=settings.options,
    )
    launcher = LAUNCHERS[choose(place.launcher, settings.launcher, job, given.scheduler)]
    return Start(
        launcher=launcher, job=job, environment={**active, **settings.variables, **launcher.environment()}
    )


def _members(project: Project) -> tuple[str, ...]:
    return project.knowledge.systems[_MPI].members


def _major(version: str) -> int:
    head = version.partition(".")[0]
    return int(head) if head.isdigit() else 0
