"""What requirement files and projects ask for, as a manifest writes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from envlock.edges.files import parse_toml, read_bytes
from envlock.edges.requirement_files import need_requirement, requirement_lines, written_requirement
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.package_sources_codec import is_path


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
        RequestError: it is not there, is neither, or says what is no requirement.
    """
    return _of_project(path) if path.suffix == ".toml" else _of_requirements(path)


def _of_project(path: Path) -> Wishes:
    document = parse_toml(read_bytes(path), path)
    project = document.get("project")
    if not isinstance(project, dict):
        raise RequestError(
            "no-project",
            "the file has no [project], so that it asks for nothing",
            where=str(path),
            hint="name a pyproject.toml or a requirements file",
        )
    table = Table(project, file=str(path), path="project")
    requires = table.texts("dependencies")
    for text in requires:
        need_requirement(text, f"{path}, project.dependencies")
    left_out = [f"{kind}: write what the group needs of them" for kind in _further(table, document)]
    if "dependencies" in table.texts("dynamic"):
        left_out.append("dependencies are dynamic: only a build of the project tells them")
    return Wishes(python=table.text("requires-python", ""), requires=requires, left_out=tuple(left_out))


def _further(project: Table, document: Mapping[str, object]) -> Iterator[str]:
    """What a project can be asked for besides: extras, and groups of those who work on it (PEP 735)."""
    groups = document.get("dependency-groups")
    for kind, table in (("extras", project.document("optional-dependencies")), ("dependency groups", groups)):
        if isinstance(table, Mapping) and table:
            yield f"{kind} {', '.join(table)}"


def _of_requirements(path: Path) -> Wishes:
    return read_lines(requirement_lines(path))


def read_lines(lines: Iterable[tuple[str, str]]) -> Wishes:
    """Read lines that are for pip, each with its place.

    Raises:
        RequestError: one is neither a requirement nor an option.
    """
    requires, left_out = [], []
    for place, line in lines:
        if line.startswith("-"):
            left_out.append(f"{line} ({place}); see [[indexes]], [sources] and constraints of the manifest")
        else:
            requires.append(_of_line(line, place))
    return Wishes(requires=tuple(requires), left_out=tuple(left_out))


def _of_line(line: str, place: str) -> str:
    text = written_requirement(line)
    if not is_path(text):
        need_requirement(text, place)
    return text
