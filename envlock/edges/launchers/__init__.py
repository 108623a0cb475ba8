"""Launchers: how ranks are started, with one small module for each program that does it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from envlock.edges.launchers.aprun import Aprun
from envlock.edges.launchers.flux import Flux
from envlock.edges.launchers.horovodrun import Horovodrun
from envlock.edges.launchers.hydra import Hydra
from envlock.edges.launchers.jsrun import Jsrun
from envlock.edges.launchers.launcher import Launcher
from envlock.edges.launchers.local import Local
from envlock.edges.launchers.mpirun import Mpirun
from envlock.edges.launchers.pals import Pals
from envlock.edges.launchers.srun import Srun
from envlock.edges.launchers.ssh import Ssh
from envlock.edges.launchers.torchrun import Torchrun

LAUNCHERS: Mapping[str, Launcher] = MappingProxyType(
    {
        "local": Local(),
        "mpirun": Mpirun(),
        "hydra": Hydra(),
        "srun": Srun(),
        "aprun": Aprun(),
        "pals": Pals(),
        "jsrun": Jsrun(),
        "flux": Flux(),
        "torchrun": Torchrun(),
        "ssh": Ssh(),
        "horovodrun": Horovodrun(),
    }
)
"""Name -> launcher, as ``--launcher`` takes it."""

__all__ = ["LAUNCHERS", "Launcher"]
