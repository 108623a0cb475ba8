"""The Python files and notebooks of a program, read for analysis only; nothing in them is run."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from envlock.analysis.notebooks import read_notebook
from envlock.edges.visible import is_file
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass

_NOT_OURS = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages", "venv"})
_NOTEBOOK = ".ipynb"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFile:
    """One file of a program.

    Attributes:
        name: its path.
        text: its Python.
        cells: for each line of a notebook's text, its cell and the line in it; empty for a Python file.
        unread: what cannot be read, and why: the whole file, or cells of a notebook.
    """

    name: str
    text: str = ""
    cells: tuple[tuple[int, int], ...] = ()
    unread: tuple[tuple[str, str], ...] = ()


def read_code(paths: Iterable[Path]) -> Iterator[CodeFile]:
    """Yield each file; for a folder, all files below it except hidden ones and environments.

    A folder that this user may not read is reported as unread.

    Raises:
        RequestError: a path does not exist, or is a folder without any such file.
    """
    for path in paths:
        files = sorted(_below(path)) if path.is_dir() else [path]
        if not files or not path.exists():
            raise RequestError(
                "no-code",
                "there is nothing to look at",
                where=f"--code {path}",
                hint="name a Python file, a notebook, or a folder with some",
            )
        yield from map(_read, files)


def _read(file: Path) -> CodeFile:
    name = str(file)
    try:
        content = file.read_bytes()
        if file.suffix != _NOTEBOOK:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)  # PEP 263
            return CodeFile(name=name, text=content.decode(encoding))
        found = read_notebook(content)
    except (OSError, LookupError, ValueError, SyntaxError, RecursionError) as error:
        return CodeFile(name=name, unread=((name, str(error)),))
    unread = tuple((f"{name}, cell {number}", why) for number, why in found.unread)
    return CodeFile(name=name, text=found.text, cells=found.cells, unread=unread)


def _below(folder: Path) -> Iterator[Path]:
    try:
        inside = list(folder.iterdir())
    except OSError:
        yield folder
        return
    for path in inside:
        if path.name.startswith(".") or path.name in _NOT_OURS:
            continue
        if path.is_dir() and not path.is_symlink():
            if not is_file(path / "pyvenv.cfg"):
                yield from _below(path)
        elif path.suffix in {".py", _NOTEBOOK} and is_file(path):
            yield path
