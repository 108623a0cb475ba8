"""Launchers: how ranks are started for each MPI, one small module each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from envlock.edges.launchers import hydra, local, openmpi
from envlock.edges.launchers.protocol import Launcher

LAUNCHERS: Mapping[str, Launcher] = MappingProxyType(
    {
        "openmpi": openmpi.OpenMpi(),
        "mpich": hydra.Hydra(),
        "intelmpi": hydra.Hydra(),
        "mvapich2": hydra.Hydra(),
        "": local.Local(),
    }
)
"""MPI component -> launcher; the empty name is an environment without MPI."""

__all__ = ["LAUNCHERS", "Launcher"]
