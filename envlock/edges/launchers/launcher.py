"""What every launcher does: the command that starts ranks of the probe, and the variables it needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from envlock.model.project.launch import RankJob


class Launcher(ABC):
    """A program that starts ranks of the probe."""

    @abstractmethod
    def command(self, job: RankJob) -> list[str]:
        """Return the command line, beginning with the launcher itself.

        Raises:
            RequestError: it cannot start the ranks where they are asked for.
            SurroundingsError: it lacks something here.
        """

    def environment(self) -> Mapping[str, str]:
        """Return the variables that the launcher itself needs, on top of the environment's activation."""
        return {}
