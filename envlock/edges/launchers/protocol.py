"""The interface of a launcher: the command that starts ranks of the probe, and the variables it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from envlock.model.project.launch import RankJob


class Launcher(Protocol):
    """A program that starts ranks of the probe."""

    def command(self, job: RankJob) -> list[str]:
        """Return the command line, beginning with the launcher itself.

        Raises:
            RequestError: it cannot start the ranks where they are asked for.
            SurroundingsError: it lacks something here.
        """

    def environment(self) -> Mapping[str, str]:
        """Return the variables that the launcher itself needs, on top of the environment's activation."""
