"""What a launcher is asked: the command that starts ranks of the probe, and the environment that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from envlock.model.project.launch import RankJob


class Launcher(Protocol):
    """Starts ranks of the probe."""

    def command(self, job: RankJob) -> list[str]:
        """The command line; the launcher itself comes first.

        Raises:
            RequestError: it cannot start ranks in such a place.
            SurroundingsError: it lacks something here.
        """

    def environment(self) -> Mapping[str, str]:
        """Variables that the launcher itself needs, on top of the environment's activation."""
