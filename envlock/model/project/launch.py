"""Where and how to start ranks, and a site's settings for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from envlock.model.decode import Table
from envlock.model.frozen import dataclass
from envlock.model.near_names import near_names

OF_ANY_MPI = frozenset({"mpirun", "mpiexec", "horovodrun"})
"""Words of sites for which every MPI has its own program, so that the MPI decides which one is meant."""
LAUNCHER_NAMES = frozenset(
    {
        *("local", "mpirun", "hydra", "srun", "aprun", "pals", "jsrun", "flux"),
        *("torchrun", "ssh", "horovodrun"),
    }
)
"""The names of all launchers, as ``--launcher`` and manifests take them."""

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchSettings:
    """A site's or target's settings for starting ranks: ``[site.launch]``, ``[targets.NAME.launch]``.

    Attributes:
        launcher: the launcher's name; empty where none is given.
        options: appended to its command line, after all others.
        submit_options: likewise appended to the command that submits a job to the scheduler.
        variables: set on every rank, such as the network interface of each library on nodes with several.
    """

    launcher: str = ""
    options: tuple[str, ...] = ()
    submit_options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=lambda: _NONE)

    def over(self, other: LaunchSettings) -> LaunchSettings:
        """Return these settings with the other's where these are empty; variables are merged."""
        return LaunchSettings(
            launcher=self.launcher or other.launcher,
            options=self.options or other.options,
            submit_options=self.submit_options or other.submit_options,
            variables=MappingProxyType({**other.variables, **self.variables}),
        )


NOTHING_SAID = LaunchSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """How nodes are requested from a scheduler.

    Attributes:
        name: the partition or queue; empty for the default one.
        account: the account to charge; likewise.
        minutes: the time limit; 0 for the queue's own.
    """

    name: str = ""
    account: str = ""
    minutes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RankJob:
    """A set of ranks to start.

    Attributes:
        ranks: how many.
        program: what each rank runs: the environment's interpreter, the probe's archive, its arguments.
        nodes: how many nodes; 0 for this host alone.
        per_node: how many ranks on each node; 0 likewise.
        processors: how many processors the allocation has per task; 0 for what the launcher gives.
        gpus: how many GPUs to request on each node; 0 for what the allocation has anyway.
        hosts: the nodes' names; empty for those that the scheduler allocated.
        mpi: the MPI component that the ranks load; empty for none.
        interfaces: the process management interfaces that the MPI speaks, best first; empty where unknown.
        horovod: whether Horovod is present, which without an MPI starts its ranks itself.
        exported: variables that every rank must have even where the launcher does not pass on its own.
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
        """On how many nodes they run, where this host counts as one."""
        return max(1, self.nodes, len(self.hosts))

    @property
    def each(self) -> int:
        """How many ranks each node takes at most."""
        return self.per_node or -(-self.ranks // self.places)

    @property
    def fewest_places(self) -> int:
        """On how many nodes they run where a launcher fills one after the other, as mpirun does."""
        return -(-self.ranks // self.each)

    @property
    def spread(self) -> bool:
        """Whether nodes were requested or allocated; otherwise everything stays on this host."""
        return self.nodes > 0 or bool(self.hosts)


def decode_launch(table: Table) -> LaunchSettings:
    """Decode a ``launch`` table.

    Raises:
        RequestError: a key is unknown, its value has the wrong type, or there is no such launcher.
    """
    launcher = table.text("launcher", "")
    if launcher and launcher not in LAUNCHER_NAMES | OF_ANY_MPI:
        known = sorted(LAUNCHER_NAMES | OF_ANY_MPI)
        near = near_names(launcher, known)
        meant = f"did you mean {near[0]!r}? " if near else ""
        hint = f"{meant}launchers: {', '.join(known)}"
        raise table.error(f"there is no launcher {launcher!r}", key="launcher", hint=hint)
    settings = LaunchSettings(
        launcher=launcher,
        options=table.texts("options"),
        submit_options=table.texts("submit-options"),
        variables=MappingProxyType(table.variables("variables")),
    )
    table.done()
    return settings
