"""Find a machine's tools, and ask one a question that it may not answer."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from envlock.edges.subprocesses import run
from envlock.edges.visible import folder_identity, is_file, is_there, matching
from envlock.model.errors import SurroundingsError

_PATIENCE_S = 10.0

T = TypeVar("T")
R = TypeVar("R")


class Ask(Protocol):
    """Ask a tool a question."""

    def __call__(self, command: Sequence[str], env: Mapping[str, str] | None = None, /) -> str:
        """Return what it prints; nothing if it is missing, fails or does not answer in time."""


class ForEach(Protocol):
    """Apply a function to many things, like ``map``, in turn or several at a time."""

    def __call__(self, function: Callable[[T], R], things: Iterable[T], /) -> Iterable[R]:
        """Return the results in the order of the things."""


def tool_folders(environ: Mapping[str, str], usual: Iterable[str] = ()) -> tuple[Path, ...]:
    """Return the folders of ``PATH``, then the usual ones (patterns like ``/opt/openmpi*/bin``), each once.

    Virtual environments' folders are left out: what lies there came in a wheel and is not part of the node.
    """
    found: dict[tuple[int, int], Path] = {}
    named = (Path(part) for part in environ.get("PATH", "").split(os.pathsep) if part)
    for folder in (*named, *(path for pattern in usual for path in _expand(pattern))):
        identity = folder_identity(folder)  # through links, one folder has several names
        if identity is not None and not is_there(folder.parent / "pyvenv.cfg"):
            found.setdefault(identity, folder)
    return tuple(found.values())


def find_tool(name: str, folders: Iterable[Path]) -> Path | None:
    """Return the first executable of that name."""
    return next((folder / name for folder in folders if is_tool(folder / name)), None)


def is_tool(path: Path) -> bool:
    """Whether a path is a file that may be executed."""
    return is_file(path) and os.access(path, os.X_OK)


def ask(command: Sequence[str], env: Mapping[str, str] | None = None) -> str:
    """Return what a tool prints; nothing if it is missing, fails or does not answer in time."""
    return answer(command, env) or ""


def answer(command: Sequence[str], env: Mapping[str, str] | None = None) -> str | None:
    """Ask like ``ask``, but return ``None`` for a tool that is missing or does not answer in time."""
    try:
        finished = run(command, env=env, timeout_s=_PATIENCE_S)
    except SurroundingsError:
        return None
    return finished.stdout + finished.stderr if finished.status == 0 else ""


def _expand(pattern: str) -> list[Path]:
    """Return the paths that match an absolute pattern, later versions first."""
    root = Path(pattern).anchor
    found = matching(Path(root), str(Path(pattern).relative_to(root)))
    return sorted(found, key=_numbers_apart, reverse=True)


def _numbers_apart(path: Path) -> list[str | int]:
    """Return a sort key of alternating text and numbers, which puts ``cuda-9.2`` before ``cuda-12.8``."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", str(path))]
