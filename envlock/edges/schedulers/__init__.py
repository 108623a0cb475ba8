"""Schedulers: what they have allocated, and how to submit jobs to them; one small module each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from envlock.edges.schedulers.cobalt import Cobalt
from envlock.edges.schedulers.flux import Flux
from envlock.edges.schedulers.lsf import Lsf
from envlock.edges.schedulers.pbs import Pbs
from envlock.edges.schedulers.scheduler import Scheduler
from envlock.edges.schedulers.slurm import Slurm

SCHEDULERS: Mapping[str, Scheduler] = MappingProxyType(
    {"sbatch": Slurm(), "qsub": Pbs(), "bsub": Lsf(), "flux": Flux(), "cobalt": Cobalt()}
)
"""Words for ``--submit`` -> scheduler: its submit command, or its name if that command is another one's."""

__all__ = ["SCHEDULERS", "Scheduler"]
