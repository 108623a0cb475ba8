"""Where ranks are to run and how, and what a site says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from envlock.model.decode import Table
from envlock.model.frozen import dataclass

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchSettings:
    """What a site or a target says about starting ranks; ``[site.launch]``, ``[targets.NAME.launch]``.

    Attributes:
        launcher: the launcher's name; empty where none is said.
        options: added to its command line, after all others.
        submit_options: added likewise to the command that hands a job to the scheduler.
        variables: set on every rank, such as the network interface of each library on nodes with several.
    """

    launcher: str = ""
    options: tuple[str, ...] = ()
    submit_options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=lambda: _NONE)

    def over(self, other: LaunchSettings) -> LaunchSettings:
        """These settings where they say something, else the other's; variables of both."""
        return LaunchSettings(
            launcher=self.launcher or other.launcher,
            options=self.options or other.options,
            submit_options=self.submit_options or other.submit_options,
            variables=MappingProxyType({**other.variables, **self.variables}),
        )


NOTHING_SAID = LaunchSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Where a scheduler is asked for nodes.

    Attributes:
        name: the partition or queue; empty for the default one.
        account: who pays; empty likewise.
        minutes: for how long; 0 for the queue's own limit.
    """

    name: str = ""
    account: str = ""
    minutes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RankJob:
    """Ranks to start.

    Attributes:
        ranks: how many.
        program: what each of them runs: the environment's interpreter, the probe's archive, its arguments.
        nodes: on how many nodes; 0 for this host alone.
        per_node: how many on each node; 0 likewise.
        processors: how many the allocation has for each of its tasks; 0 for what the launcher gives.
        gpus: how many GPUs each node is to give; 0 for what the allocation has anyway.
        hosts: the nodes' names; empty for those that the scheduler has allocated.
        mpi: the MPI component that the ranks load; empty for none.
        interfaces: the process management interfaces that it speaks, the best one first; none where unknown.
        horovod: whether Horovod is there, which without an MPI starts its ranks itself.
        exported: variables that every rank must have, also where the launcher does not pass its own on.
        options: the site's additions to the command line.
    """

    ranks: int
    program: tuple[str, ...]
    nodes: int = 0
    per_node: int = 0
    processors: int = 0
    gpus: int = 0
    hosts: tuple[str, ...] = ()
    mpi: str = ""
    interfaces: tuple[str, ...] = ()
    horovod: bool = False
    exported: Mapping[str, str] = field(default_factory=lambda: _NONE)
    options: tuple[str, ...] = ()

    @property
    def places(self) -> int:
        """On how many nodes they run, this host being one."""
        return max(1, self.nodes, len(self.hosts))

    @property
    def each(self) -> int:
        """How many ranks each node takes at most."""
        return self.per_node or -(-self.ranks // self.places)

    @property
    def spread(self) -> bool:
        """Whether nodes were asked for or allocated; else everything stays on this host."""
        return self.nodes > 0 or bool(self.hosts)


def decode_launch(table: Table) -> LaunchSettings:
    """Read a ``launch`` table.

    Raises:
        RequestError: a key is unknown or has another shape.
    """
    settings = LaunchSettings(
        launcher=table.text("launcher", ""),
        options=table.texts("options"),
        submit_options=table.texts("submit-options"),
        variables=MappingProxyType(table.variables("variables")),
    )
    table.done()
    return settings
