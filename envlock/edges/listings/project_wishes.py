"""What a project's ``pyproject.toml`` requires, in the terms of a manifest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from packaging.dependency_groups import DependencyGroupResolver
from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from envlock.edges.files import read_text
from envlock.edges.listings.poetry_wishes import is_poetrys, read_poetry
from envlock.edges.listings.requirement_files import lines_of, need_requirement
from envlock.edges.listings.uv_settings import with_settings
from envlock.edges.listings.wish_files import Wishes, read_lines
from envlock.model.decode import Table, table_within
from envlock.model.errors import RequestError


def read_project(document: Mapping[str, object], path: Path) -> Wishes:
    """Read the ``[project]`` of a ``pyproject.toml``, its extras and its dependency groups.

    Raises:
        RequestError: it has no ``[project]`` (``no-project``), states an invalid requirement, or has
            dependency groups that PEP 735 does not allow (``invalid-project``).
    """
    if is_poetrys(document):
        return read_poetry(document, path)
    project = document.get("project")
    tools = Table(document, file=str(path)).document("tool")
    if not isinstance(project, dict):
        raise RequestError(
            "no-project",
            "the file has no [project], so it requires nothing",
            where=str(path),
            hint="name a pyproject.toml or a requirements file",
        )
    table = Table(project, file=str(path), path="project")
    requires = table.texts("dependencies")
    for text in requires:
        need_requirement(text, f"{path}, project.dependencies")
    left_out = []
    named = table_within(document, "tool", "setuptools", "dynamic")
    listed = _listed_in(named.get("dependencies"), path)
    if "dependencies" in table.texts("dynamic") and listed is None:
        left_out.append("dependencies are dynamic: only a build of the project tells them")
    more = table_within(named, "optional-dependencies")
    extras = {name: texts for name, entry in more.items() if (texts := _listed_in(entry, path)) is not None}
    wishes = Wishes(
        python=required_python(table),
        requires=(*requires, *(listed or ())),
        further=_further(table, extras, document, path),
        left_out=tuple(left_out),
    )
    return with_settings(wishes, Table(tools, file=str(path), path="tool").table("uv"), path)


def _listed_in(named: object, path: Path) -> tuple[str, ...] | None:
    """Return the content of requirements files that setuptools is to read; ``None`` without any.

    https://setuptools.pypa.io/en/latest/userguide/pyproject_config.html#dynamic-metadata
    """
    listed = named.get("file") if isinstance(named, Mapping) else None
    names = [listed] if isinstance(listed, str) else listed if isinstance(listed, list) else []
    files = [path.parent / str(name) for name in names]
    if not files or not all(file.is_file() for file in files):
        return None
    return tuple(text for file in files for text in read_lines(lines_of(read_text(file), file)).requires)


def required_python(table: Table) -> str:
    """Return the interpreters that a project accepts (``requires-python``), verbatim.

    Raises:
        RequestError: it is not a range of versions.
    """
    key = "requires-python"
    text = table.text(key, "")
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        hint = f'write {key} = ">=3.11"'
        raise table.error(f"{text!r} is not a range of versions", key=key, hint=hint) from None
    return text


def _further(
    project: Table, listed: Mapping[str, tuple[str, ...]], document: Mapping[str, object], path: Path
) -> Mapping[str, tuple[str, ...]]:
    """Return what can be asked for in addition, by name: extras, and developers' groups (PEP 735)."""
    own = canonicalize_name(project.text("name", ""))
    extras = {**_extras(project.table("optional-dependencies"), path), **_canonical(listed)}
    found: dict[str, tuple[str, ...]] = {
        extra: tuple(_resolved(requires, own, extras, {extra})) for extra, requires in extras.items()
    }
    for group, texts in _groups(document, path).items():
        requires = _resolved(texts, own, extras, set())
        found[group] = tuple(dict.fromkeys((*found.get(group, ()), *requires)))
    return {name: requires for name, requires in found.items() if requires}


def _extras(table: Table, path: Path) -> Mapping[str, tuple[str, ...]]:
    extras = _canonical({extra: table.texts(extra) for extra in table.names()})
    for extra, texts in extras.items():
        for text in texts:
            need_requirement(text, f"{path}, project.optional-dependencies.{extra}")
    return extras


def _canonical(extras: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    return {canonicalize_name(extra): texts for extra, texts in extras.items()}


def _groups(document: Mapping[str, object], path: Path) -> Mapping[str, tuple[str, ...]]:
    groups = Table(document, file=str(path)).document("dependency-groups")
    try:
        resolver = DependencyGroupResolver(cast("Mapping[str, Sequence[str | Mapping[str, str]]]", groups))
        return {
            canonicalize_name(name): tuple(str(requirement) for requirement in resolver.resolve(name))
            for name in groups
        }
    except ExceptionGroup as error:
        raise RequestError(
            "invalid-project",
            "the dependency groups do not follow PEP 735",
            where=f"{path}, dependency-groups",
            why="; ".join(map(str, error.exceptions)),
            hint="a group lists requirements and { include-group = NAME }",
        ) from error


def _resolved(
    requires: Iterable[str], own: str, extras: Mapping[str, tuple[str, ...]], seen: set[str]
) -> Iterator[str]:
    """Yield requirements, with the project's own extras (``all = ["name[fast,plots]"]``) expanded."""
    for text in requires:
        wanted = Requirement(text)
        if canonicalize_name(wanted.name) != own:
            yield text
            continue
        for extra in sorted(map(canonicalize_name, wanted.extras)):
            if extra not in seen:
                yield from _resolved(extras.get(extra, ()), own, extras, seen | {extra})
