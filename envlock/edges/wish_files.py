"""What requirement files and projects ask for, as a manifest writes it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from envlock.edges.files import parse_toml, read_bytes
from envlock.edges.requirement_files import requirement_lines
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a file asks for.

    Attributes:
        python: the interpreters that it names, as a specifier; empty where it does not.
        requires: its requirements, as they are written, without hashes, which locks have.
        left_out: options and editable folders, with what to write in their place.
    """

    python: str = ""
    requires: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def read_wishes(path: Path) -> Wishes:
    """Read a requirements file, or the ``[project]`` of a ``pyproject.toml``.

    Raises:
        RequestError: it is not there, or is neither.
    """
    return _of_project(path) if path.suffix == ".toml" else _of_requirements(path)


def _of_project(path: Path) -> Wishes:
    project = parse_toml(read_bytes(path), path).get("project")
    if not isinstance(project, dict):
        raise RequestError(
            "no-project",
            "the file has no [project], so that it asks for nothing",
            where=str(path),
            hint="name a pyproject.toml or a requirements file",
        )
    table = Table(project, file=str(path), path="project")
    dynamic = "dependencies" in table.texts("dynamic")
    return Wishes(
        python=table.text("requires-python", ""),
        requires=tuple(table.texts("dependencies")),
        left_out=("dependencies are dynamic: only a build of the project tells them",) if dynamic else (),
    )


def _of_requirements(path: Path) -> Wishes:
    return read_lines(requirement_lines(path))


def read_lines(lines: Iterable[tuple[str, str]]) -> Wishes:
    """Read lines that are for pip, each with its place."""
    requires, left_out = [], []
    for place, line in lines:
        if line.startswith("-"):
            left_out.append(f"{line} ({place}); see [[indexes]], [sources] and constraints of the manifest")
        else:
            requires.append(line.partition(" --")[0].strip())
    return Wishes(requires=tuple(requires), left_out=tuple(left_out))
