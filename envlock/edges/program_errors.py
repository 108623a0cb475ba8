"""Errors for programs that could not start, did not end in time, or failed."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from envlock.edges.visible import is_folder, is_nowhere
from envlock.model.errors import SurroundingsError

KEPT_LINES = 12
"""How many of the last lines of a program's output an error tells."""


def not_started(
    command: Sequence[str], env: Mapping[str, str] | None, cwd: Path | None, error: OSError
) -> SurroundingsError:
    """Return the error for a program that could not start, ready to raise.

    Args:
        command: the program and its arguments.
        env: the environment it was to have; ours if none is given.
        cwd: the folder it was to start in.
        error: the system's error.
    """
    if cwd is not None and not is_folder(cwd):
        return SurroundingsError(
            "folder-missing",
            f"{_name(command)} cannot start in a folder that is not there",
            where=str(cwd),
        )
    path = None if env is None else env.get("PATH")
    if isinstance(error, FileNotFoundError) or is_nowhere(command[0], path):
        return SurroundingsError(
            "tool-missing",
            f"there is no program {command[0]!r}",
            hint="install it, or put it on PATH (on a cluster: load its module)",
        )
    return SurroundingsError(
        "tool-not-runnable", f"{command[0]} cannot be started", why=error.strerror or str(error)
    )


def stopped_late(
    command: Sequence[str], timeout_s: float, *, where: str = "", why: str = ""
) -> SurroundingsError:
    """Return the error for a program that was stopped after so many seconds, ready to raise."""
    return SurroundingsError(
        "tool-timeout",
        f"{_name(command)} did not end within {timeout_s:g} s and was stopped",
        where=where or " ".join(command),
        why=why,
        hint="if it was only slow, run again",
    )


def ended_badly(
    command: Sequence[str], status: int, *, log: Path | None = None, why: str = ""
) -> SurroundingsError:
    """Return the error for a program that failed, ready to raise.

    Args:
        command: the program and its arguments.
        status: its exit status, negative for the signal that ended it.
        log: where all its output is kept.
        why: the end of its output.
    """
    return SurroundingsError(
        "tool-failed",
        f"{_name(command)} ended with {_status_words(status)}",
        where="" if log is None else str(log),
        why=why,
        hint="" if log is None else "the log holds all that it printed",
    )


def last_lines(lines: Sequence[str], count: int = KEPT_LINES) -> list[str]:
    """Return the last lines that are not blank."""
    return [line for line in lines if line.strip()][-count:]


def _name(command: Sequence[str]) -> str:
    return Path(command[0]).name


def _status_words(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
