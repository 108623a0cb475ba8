"""Schedulers: what they have allocated, and jobs handed to them; one small module each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from envlock.edges.schedulers.flux import Flux
from envlock.edges.schedulers.lsf import Lsf
from envlock.edges.schedulers.pbs import Pbs
from envlock.edges.schedulers.protocol import Scheduler
from envlock.edges.schedulers.slurm import Slurm

SCHEDULERS: Mapping[str, Scheduler] = MappingProxyType(
    {"sbatch": Slurm(), "qsub": Pbs(), "bsub": Lsf(), "flux": Flux()}
)
"""The command that submits -> its scheduler, as ``--submit`` takes it."""

__all__ = ["SCHEDULERS", "Scheduler"]
