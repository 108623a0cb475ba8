"""Where a machine's tools are looked for, and how one is asked a question that it may not answer."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from envlock.edges.looking import folder_identity, is_file, is_there, matching
from envlock.edges.subprocesses import run
from envlock.model.errors import SurroundingsError

_PATIENCE_S = 10.0

T = TypeVar("T")
R = TypeVar("R")


class Ask(Protocol):
    """Asks a tool a question: its output, or nothing."""

    def __call__(self, command: Sequence[str], env: Mapping[str, str] | None = None, /) -> str:
        """What it prints; nothing if it is missing, fails or does not answer in time."""


class ForEach(Protocol):
    """Applies a function to many things, in turn or several at a time, as ``map`` does."""

    def __call__(self, function: Callable[[T], R], things: Iterable[T], /) -> Iterable[R]:
        """The results, in the order of the things."""


def tool_folders(environ: Mapping[str, str], usual: Iterable[str] = ()) -> tuple[Path, ...]:
    """The folders of ``PATH``, then the usual ones (patterns such as ``/opt/openmpi*/bin``), each once.

    Folders of virtual environments are left out: what lies there came in a wheel and belongs to no node.
    """
    found: dict[tuple[int, int], Path] = {}
    named = (Path(part) for part in environ.get("PATH", "").split(os.pathsep) if part)
    for folder in (*named, *(path for pattern in usual for path in _expand(pattern))):
        identity = folder_identity(folder)  # links lead to one folder by several names
        if identity is not None and not is_there(folder.parent / "pyvenv.cfg"):
            found.setdefault(identity, folder)
    return tuple(found.values())


def find_tool(name: str, folders: Iterable[Path]) -> Path | None:
    """The first executable of that name."""
    return next((folder / name for folder in folders if is_tool(folder / name)), None)


def is_tool(path: Path) -> bool:
    """Whether a path is a file that may be executed."""
    return is_file(path) and os.access(path, os.X_OK)


def ask(command: Sequence[str], env: Mapping[str, str] | None = None) -> str:
    """What a tool prints; nothing if it is missing, fails or does not answer in time."""
    return answer(command, env) or ""


def answer(command: Sequence[str], env: Mapping[str, str] | None = None) -> str | None:
    """As ``ask``; ``None`` for a tool that is missing or does not answer in time."""
    try:
        finished = run(command, env=env, timeout_s=_PATIENCE_S)
    except SurroundingsError:
        return None
    return finished.stdout + finished.stderr if finished.status == 0 else ""


def _expand(pattern: str) -> list[Path]:
    """The paths that match an absolute pattern, later versions first."""
    root = Path(pattern).anchor
    found = matching(Path(root), str(Path(pattern).relative_to(root)))
    return sorted(found, key=_numbers_apart, reverse=True)


def _numbers_apart(path: Path) -> list[str | int]:
    """Orders ``cuda-9.2`` before ``cuda-12.8``: text and numbers take turns."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", str(path))]
