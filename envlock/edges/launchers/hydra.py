"""Hydra, the process manager of MPICH and of what descends from it: Intel MPI and MVAPICH."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path


class Hydra:
    """``mpiexec`` of MPICH, Intel MPI and MVAPICH."""

    def command(
        self, *, ranks: int, python: Path, arguments: Sequence[str], hosts: Mapping[str, int]
    ) -> list[str]:
        """The command line."""
        places = ["-hosts", ",".join(f"{host}:{slots}" for host, slots in hosts.items())] if hosts else []
        return ["mpiexec", "-n", str(ranks), *places, str(python), *arguments]

    def environment(self) -> dict[str, str]:
        """Hydra needs none."""
        return {}
