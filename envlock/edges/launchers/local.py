"""No MPI: the probe starts its ranks itself, as plain processes on this host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from envlock.model.errors import RequestError


class Local:
    """The probe's own ``local`` command, with rank and size in the generic variables."""

    def command(
        self, *, ranks: int, python: Path, arguments: Sequence[str], hosts: Mapping[str, int]
    ) -> list[str]:
        """The command line.

        Raises:
            RequestError: ranks on other hosts need a launcher.
        """
        if hosts:
            raise RequestError(
                "no-launcher",
                f"ranks on {', '.join(hosts)} need an MPI launcher and the environment has no MPI",
                hint='add an MPI to the group, for example system = ["openmpi"]',
            )
        return [str(python), arguments[0], "local", "--ranks", str(ranks), "--", *arguments[1:]]

    def environment(self) -> dict[str, str]:
        """Nothing is needed."""
        return {}
