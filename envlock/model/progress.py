"""The port through which long work tells how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Task(Protocol):
    """One piece of work under way."""

    def advance(self, amount: int = 1) -> None:
        """So much more is done."""

    def note(self, text: str) -> None:
        """What is being done just now, one short line."""


class Progress(Protocol):
    """Shows tasks to whoever waits; the terminal does, a pipe does not."""

    def task(self, title: str, total: int | None = None) -> AbstractContextManager[Task]:
        """A task from here to the end of the block; ``total`` in the unit of ``advance``, if known."""


class _SilentTask:
    """Tells nobody."""

    def advance(self, amount: int = 1) -> None:
        """Nobody looks."""

    def note(self, text: str) -> None:
        """Nobody looks."""


class Silent:
    """Progress that nobody looks at."""

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:  # noqa: ARG002 - nobody looks
        """A task that nobody sees."""
        yield _SilentTask()
