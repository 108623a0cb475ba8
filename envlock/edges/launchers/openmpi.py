"""Open MPI's mpirun, releases 3 to 5."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path


class OpenMpi:
    """``mpirun`` of ORTE (up to release 4) and PRRTE (from release 5); both read these options."""

    def command(
        self, *, ranks: int, python: Path, arguments: Sequence[str], hosts: Mapping[str, int]
    ) -> list[str]:
        """The command line; more ranks than processors are allowed, since correctness is what is asked."""
        places = ["--host", ",".join(f"{host}:{slots}" for host, slots in hosts.items())] if hosts else []
        return ["mpirun", "-np", str(ranks), "--oversubscribe", *places, str(python), *arguments]

    def environment(self) -> dict[str, str]:
        """As root, as in most containers, mpirun wants to be told twice that this is meant."""
        if os.geteuid() != 0:
            return {}
        return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
