"""Schedulers: what they have allocated, and jobs handed to them; one small module each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from envlock.edges.schedulers.cobalt import Cobalt
from envlock.edges.schedulers.flux import Flux
from envlock.edges.schedulers.lsf import Lsf
from envlock.edges.schedulers.pbs import Pbs
from envlock.edges.schedulers.protocol import Scheduler
from envlock.edges.schedulers.slurm import Slurm

SCHEDULERS: Mapping[str, Scheduler] = MappingProxyType(
    {"sbatch": Slurm(), "qsub": Pbs(), "bsub": Lsf(), "flux": Flux(), "cobalt": Cobalt()}
)
"""As ``--submit`` takes it: the command that submits, or a scheduler with another one's -> the scheduler."""

__all__ = ["SCHEDULERS", "Scheduler"]
