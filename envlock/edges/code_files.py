"""The Python files of a program, read for looking at; nothing of them is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from envlock.model.errors import RequestError

_NOT_OURS = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages", "venv"})


def read_code(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """The name and text of each file; of a folder all below it, but for hidden ones and environments.

    Raises:
        RequestError: a path leads to nothing, or to a file that cannot be read as text.
    """
    for path in paths:
        if not path.exists():
            raise RequestError(
                "no-code",
                "there is nothing to look at",
                where=f"--code {path}",
                hint="name a Python file, or a folder with some",
            )
        for file in sorted(_below(path)) if path.is_dir() else [path]:
            try:
                yield str(file), file.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                raise RequestError(
                    "unreadable-code", "a program cannot be read", where=str(file), why=str(error)
                ) from error


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name in _NOT_OURS:
            continue
        if path.is_dir() and not path.is_symlink():
            if not (path / "pyvenv.cfg").exists():
                yield from _below(path)
        elif path.suffix == ".py" and path.is_file():
            yield path
