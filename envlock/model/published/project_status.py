"""The status that an index gives a whole project."""

from __future__ import annotations

from typing import NamedTuple


class ProjectStatus(NamedTuple):
    """The status that an index gives a whole project (PEP 792).

    Attributes:
        word: ``archived``, ``deprecated``, ``quarantined``, ...; empty for one that is active.
        reason: why, where the index gives a reason.
    """

    word: str = ""
    reason: str = ""

    @property
    def quarantined(self) -> bool:
        """Whether the index considers it unsafe, so that none of its files may be used."""
        return self.word == "quarantined"

    def __str__(self) -> str:
        return f"{self.word}: {self.reason}" if self.reason else self.word


ACTIVE = ProjectStatus()
