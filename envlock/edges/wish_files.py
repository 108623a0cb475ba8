"""What requirement files and projects ask for, as a manifest writes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from packaging.utils import canonicalize_name

from envlock.edges.files import parse_toml, read_bytes
from envlock.edges.requirement_files import (
    compiled_for,
    need_requirement,
    requirement_lines,
    written_requirement,
)
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.package_sources import is_url
from envlock.model.package_sources_codec import is_path

_CONSTRAINTS = ("-c", "--constraint")
_SEE = "see [[indexes]] and [sources] of the manifest"
_FOLDER = "in [sources] of the manifest: NAME = { path = FOLDER, editable = true }"
_NAMELESS = "an address does not tell the distribution's name: NAME @ ADDRESS in requires"
_OF_PROGRAMS = frozenset({".cfg", ".json", ".lock", ".py"})
"""Endings of what is no list of requirements, and would be read as one line by line."""
_WHEEL_FIRST = "a wheel is taken wherever one can be used, and all else built"
_FORMS = ("--no-binary", "--only-binary")
_OF_UV = {
    "sources": "[sources] of the manifest sends a distribution to an index, a file, a folder or a repository",
    "index": "[[indexes]] of the manifest, with name, url and explicit",
    "override-dependencies": "overrides of the group, each with its reason",
    "environments": "a group is solved for each target",
    "conflicts": "groups of their own",
}
"""What takes the place of a setting of uv's (https://docs.astral.sh/uv/reference/settings)."""
_INSTEAD = {
    "-e": _FOLDER,
    "--editable": _FOLDER,
    "--pre": "prereleases = [NAME, ...] of the group names them",
    "--require-hashes": "locks always have hashes",
    "--prefer-binary": _WHEEL_FIRST,
    "--trusted-host": "pip's configuration counts: pip config set global.trusted-host HOST",
}
"""What takes the place of an option of pip's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a file asks for.

    Attributes:
        python: the interpreters that it names, as a specifier; empty where it does not.
        requires: its requirements, as they are written, without hashes, which locks have.
        constraints: what it only narrows.
        no_binary: names, or ``:all:``, of what it wants built.
        only_binary: names, or ``:all:``, of what it never wants built.
        left_out: options and editable folders, with what to write in their place.
    """

    python: str = ""
    requires: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    no_binary: tuple[str, ...] = ()
    only_binary: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def read_wishes(path: Path) -> Wishes:
    """Read a requirements file, or the ``[project]`` of a ``pyproject.toml``.

    Raises:
        RequestError: it is not there, is neither (``no-wishes``), or says what is no requirement.
    """
    if path.suffix in _OF_PROGRAMS or path.name == "Pipfile":
        raise RequestError(
            "no-wishes",
            "the file is none that a project begins with",
            where=str(path),
            why="a lock holds answers, and no wishes" if path.suffix == ".lock" else "",
            hint="name a requirements file, a pyproject.toml or an environment.yml; "
            "envlock check --from judges locks",
        )
    return _of_project(path) if path.suffix == ".toml" else _of_requirements(path)


def _of_project(path: Path) -> Wishes:
    document = parse_toml(read_bytes(path), path)
    project = document.get("project")
    tools = Table(document, file=str(path)).document("tool")
    if not isinstance(project, dict):
        exported = "poetry export --output requirements.txt, and begin with that"
        raise RequestError(
            "no-project",
            "the file has no [project], so that it asks for nothing",
            where=str(path),
            why="[tool.poetry] is Poetry's own form" if "poetry" in tools else "",
            hint=exported if "poetry" in tools else "name a pyproject.toml or a requirements file",
        )
    table = Table(project, file=str(path), path="project")
    requires = table.texts("dependencies")
    for text in requires:
        need_requirement(text, f"{path}, project.dependencies")
    further = "write what the group needs of them, or groups of their own that extend it"
    left_out = [f"{kind}: {further}" for kind in _further(table, document)]
    uv = Table(tools, file=str(path), path="tool").table("uv")
    constraints = uv.texts("constraint-dependencies")
    for text in constraints:
        need_requirement(text, f"{path}, tool.uv.constraint-dependencies")
    left_out += [f"tool.uv.{key}: {instead}" for key, instead in _OF_UV.items() if uv.has(key)]
    if "dependencies" in table.texts("dynamic"):
        left_out.append("dependencies are dynamic: only a build of the project tells them")
    return Wishes(
        python=table.text("requires-python", ""),
        requires=requires,
        constraints=constraints,
        left_out=tuple(left_out),
    )


def _further(project: Table, document: Mapping[str, object]) -> Iterator[str]:
    """What a project can be asked for besides: extras, and groups of those who work on it (PEP 735)."""
    groups = document.get("dependency-groups")
    for kind, table in (("extras", project.document("optional-dependencies")), ("dependency groups", groups)):
        if isinstance(table, Mapping) and table:
            yield f"{kind} {', '.join(table)}"


def _of_requirements(path: Path) -> Wishes:
    return replace(read_lines(requirement_lines(path)), python=compiled_for(path))


def read_lines(lines: Iterable[tuple[str, str]]) -> Wishes:
    """Read lines that are for pip, each with its place.

    Raises:
        RequestError: one is neither a requirement nor an option.
    """
    requires: list[str] = []
    constraints: list[str] = []
    left_out: list[str] = []
    forms: dict[str, dict[str, None]] = {option: {} for option in _FORMS}
    for place, line in lines:
        option, _, value = line.replace("=", " ", 1).partition(" ")
        if option in _CONSTRAINTS:
            beside = Path(place.partition(", line ")[0]).parent
            narrowed = read_lines(requirement_lines(beside / value.strip()))
            constraints += [*narrowed.requires, *narrowed.constraints]
            left_out += narrowed.left_out
        elif option in _FORMS:
            _take_form(option, value, forms)
        elif line.startswith("-"):
            left_out.append(f"{line} ({place}); {_INSTEAD.get(option, _SEE)}")
        elif is_url(text := written_requirement(line)):
            left_out.append(f"{text} ({place}); {_NAMELESS}")
        else:
            requires.append(_checked(text, place))
    no_binary, only_binary = (tuple(forms[option]) for option in _FORMS)
    return Wishes(
        requires=tuple(requires),
        constraints=tuple(constraints),
        no_binary=no_binary,
        only_binary=only_binary,
        left_out=tuple(left_out),
    )


def _take_form(option: str, value: str, forms: Mapping[str, dict[str, None]]) -> None:
    """Read ``--no-binary`` or ``--only-binary`` as pip does: later words count, ``:none:`` takes all back."""
    here, there = forms[option], forms[next(one for one in _FORMS if one != option)]
    for part in filter(None, map(str.strip, value.split(","))):
        name = part if part.startswith(":") else canonicalize_name(part)
        if name == ":none:":
            here.clear()
            continue
        if name == ":all:":
            here.clear()
            there.clear()
        here[name] = None
        there.pop(name, None)


def _checked(text: str, place: str) -> str:
    if not is_path(text):
        need_requirement(text, place)
    return text
