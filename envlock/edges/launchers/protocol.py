"""What a launcher is asked: the command that starts ranks of the probe, and the environment that it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol


class Launcher(Protocol):
    """Starts ranks of the probe."""

    def command(
        self, *, ranks: int, python: Path, arguments: Sequence[str], hosts: Mapping[str, int]
    ) -> list[str]:
        """The command line.

        Args:
            ranks: how many processes.
            python: the environment's interpreter.
            arguments: what it runs, the probe's archive first.
            hosts: host -> how many ranks it takes; empty for this host alone, or for those that the scheduler
                has allocated.
        """

    def environment(self) -> dict[str, str]:
        """Variables that the launcher itself needs, on top of the environment's activation."""
