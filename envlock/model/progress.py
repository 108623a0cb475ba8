"""The port through which long-running work reports its progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Task(Protocol):
    """One piece of work in progress."""

    def advance(self, amount: int = 1) -> None:
        """Report that this much more is done."""

    def note(self, text: str) -> None:
        """Report what is being done right now, in one short line."""


class Progress(Protocol):
    """Shows tasks to the user; a terminal does, a pipe does not."""

    def task(self, title: str, total: int | None = None) -> AbstractContextManager[Task]:
        """Open a task that lasts as long as the block; ``total`` is in the unit of ``advance``, if known."""


class _SilentTask:
    """A task that is not shown."""

    def advance(self, amount: int = 1) -> None:
        """Nobody looks."""

    def note(self, text: str) -> None:
        """Nobody looks."""


class Silent:
    """Progress that is not shown."""

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:  # noqa: ARG002 - nobody looks
        """Open a task that is not shown."""
        yield _SilentTask()
