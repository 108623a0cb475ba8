"""Launchers: functions that return the command line by which a program starts ranks.

Each raises RequestError if it cannot start the ranks where they are asked for, SurroundingsError if it lacks
something here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from envlock.edges.launchers.mpis import horovodrun, hydra, mpirun
from envlock.edges.launchers.probe import local, ssh
from envlock.edges.launchers.pytorch import torchrun
from envlock.edges.launchers.slurm import srun
from envlock.edges.launchers.systems import aprun, flux, jsrun, pals
from envlock.model.project.launch import RankJob

Launcher = Callable[[RankJob], list[str]]

LAUNCHERS: Mapping[str, Launcher] = MappingProxyType(
    {
        "local": local,
        "mpirun": mpirun,
        "hydra": hydra,
        "srun": srun,
        "aprun": aprun,
        "pals": pals,
        "jsrun": jsrun,
        "flux": flux,
        "torchrun": torchrun,
        "ssh": ssh,
        "horovodrun": horovodrun,
    }
)
"""Name -> launcher, as ``--launcher`` takes it."""
