"""Progress of long work on standard error: bars in a terminal, nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from envlock.model import progress as port
from envlock.render.terminal.output import console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_NOTE_WIDTH = 60


class _Bar:
    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def advance(self, amount: int = 1) -> None:
        self._progress.advance(self._task, amount)

    def note(self, text: str) -> None:
        self._progress.update(self._task, note=text.strip()[:_NOTE_WIDTH])


class TerminalProgress:
    """Bars on standard error."""

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[port.Task]:
        """Show a bar from here to the end of the block."""
        from rich.progress import (  # noqa: PLC0415 - for terminals only
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}", style="dim", markup=False),  # the output of compilers, as it is
        )
        with Progress(*columns, console=console(stderr=True), transient=True) as progress:
            yield _Bar(progress, progress.add_task(title, total=total, note=""))


def progress_for_people() -> port.Progress:
    """Return bars where somebody looks, silence elsewhere."""
    return TerminalProgress() if sys.stderr.isatty() else port.Silent()
