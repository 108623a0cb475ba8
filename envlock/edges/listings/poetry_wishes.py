"""What a ``pyproject.toml`` of Poetry's requires, as poetry-core reads it, in the terms of a manifest."""

from __future__ import annotations

import copy
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envlock.edges.listings.pip_options import without_secrets
from envlock.edges.listings.requirement_files import need_requirement
from envlock.edges.listings.wish_files import NamedFolder, NamedIndex, NamedSource, Wishes, index_name
from envlock.model.decode import table_within
from envlock.model.errors import RequestError
from envlock.model.project.package_sources import PIP

if TYPE_CHECKING:
    from poetry.core.packages.dependency import Dependency
    from poetry.core.packages.project_package import ProjectPackage

_SPECIFIER = re.compile(r"^([^ ;]+) \(([^)]*)\)")
"""A name with its extras, and the specifier that poetry-core writes in parentheses."""
_BOUND_BY_LABEL = re.compile(r"([<>]=? *[^ ,;()+]+)\+[A-Za-z0-9.]+")
"""A bound with a local label (of ``^2.4.0+cu124``): PEP 440 allows one with ``==`` and ``!=`` alone."""
_OR = " || "
_ANY = "*"
_SEE = "see [[indexes]] and [sources] of the manifest"
_PYPI = "pypi"
"""What Poetry calls the usual index."""


def is_poetrys(document: Mapping[str, object]) -> bool:
    """Whether a ``pyproject.toml`` says in Poetry's own form, or there too, what a project requires."""
    poetry, project = table_within(document, "tool", "poetry"), table_within(document, "project")
    dynamic = project.get("dynamic")
    left_open = isinstance(dynamic, list) and "dependencies" in dynamic
    return bool(poetry) and (not project or left_open or bool({"group", "dev-dependencies"} & poetry.keys()))


def read_poetry(document: Mapping[str, object], path: Path) -> Wishes:
    """Read the dependencies, extras and groups of a project of Poetry's.

    Raises:
        RequestError: ``invalid-project``: poetry-core does not accept it.
    """
    package = _package(document, path)
    groups = sorted(package.dependency_group_names(include_optional=True) - {"main"})
    mine = [requirement for requirement in package.requires if not requirement.is_optional()]
    further: dict[str, list[Dependency]] = {name: [*package.extras[name]] for name in sorted(package.extras)}
    for name in groups:  # an extra may bear the same name
        further.setdefault(name, []).extend(package.dependency_group(name).dependencies)
    placed = [wish for wish in mine if wish.is_directory()]
    everything = [*mine, *(wish for some in further.values() for wish in some)]
    return Wishes(
        python=_python(str(package.python_constraint)),
        requires=tuple(_texts(mine, path)),
        further={name: texts for name, some in further.items() if (texts := tuple(_texts(some, path)))},
        folders=tuple(map(_folder, placed)),
        indexes=tuple(_indexes(document)),
        sources=tuple({wish.name: source for wish in everything if (source := _source(wish))}.values()),
        prereleases=tuple({wish.name: None for wish in everything if _may_be_early(wish)}),
        left_out=(
            *_secret_indexes(document),
            *dict.fromkeys(_in_sources(wish) for wish in everything if _is_beside(wish, placed)),
            *dict.fromkeys(_widened(wish) for wish in everything if _has_gap(wish)),
        ),
    )


def _python(constraint: str) -> str:
    """Return interpreters as a specifier, of several ranges (``^2.7 || ^3.6``) the last; empty for any."""
    last = constraint.rpartition(_OR)[2]
    return "" if last == _ANY else last


def _package(document: Mapping[str, object], path: Path) -> ProjectPackage:
    # Its import takes long, and few projects are of this form.
    from poetry.core.factory import Factory  # noqa: PLC0415
    from poetry.core.pyproject.toml import PyProjectTOML  # noqa: PLC0415

    class Read(PyProjectTOML):
        """A file that has been read before, from wherever it came."""

        @property
        def data(self) -> dict[str, Any]:
            return content

    logging.getLogger("poetry").addHandler(logging.NullHandler())  # it reports deprecated keys
    content = copy.deepcopy(dict(document))
    try:
        errors = Factory.validate(content)["errors"]
        package = Factory.get_package("project", "0")
        if not errors:
            Factory.configure_package(package, Read(path), path.absolute().parent)
    except Exception as error:  # noqa: BLE001 - its parser of markers has errors of its own, which it hides
        errors = [str(error).partition("\n")[0] or type(error).__name__]
    if errors:
        raise RequestError(
            "invalid-project",
            "Poetry does not accept the file",
            where=str(path),
            why="; ".join(errors),
            hint="poetry check tells more",
        )
    return package


def _texts(dependencies: Iterable[Dependency], path: Path) -> Iterator[str]:
    """Yield requirements as PEP 508 has them, but for files and folders beside the project."""
    for dependency in dependencies:
        if not (dependency.is_directory() or dependency.is_file()):
            one = _within_one_range(dependency) if _has_gap(dependency) else dependency
            text = _SPECIFIER.sub(r"\1\2", one.to_pep_508(with_extras=False))
            if not dependency.is_direct_origin():
                text = _BOUND_BY_LABEL.sub(r"\1", text)
            need_requirement(text, f"{path}, tool.poetry")
            yield text


def _has_gap(dependency: Dependency) -> bool:
    """Whether it admits several ranges (``^1.0 || ^3.0``), which no specifier of PEP 440 can say."""
    return _OR in str(dependency.constraint)


def _within_one_range(dependency: Dependency) -> Dependency:
    """Return it with the one range from the start of its first to the end of its last."""
    from poetry.core.constraints.version import VersionRange, VersionUnion  # noqa: PLC0415 - as above

    several = dependency.constraint
    assert isinstance(several, VersionUnion)  # noqa: S101 - for the type's sake
    first, last = several.ranges[0], several.ranges[-1]
    return dependency.with_constraint(
        VersionRange(first.min, last.max, include_min=first.include_min, include_max=last.include_max)
    )


def _widened(dependency: Dependency) -> str:
    one = _within_one_range(dependency).constraint
    return f"{dependency.name} {dependency.constraint}: taken as {one}, as a requirement has no 'or'"


def _folder(dependency: Dependency) -> NamedFolder:
    from poetry.core.packages.directory_dependency import DirectoryDependency  # noqa: PLC0415 - as above

    assert isinstance(dependency, DirectoryDependency)  # noqa: S101 - for the type's sake
    extras = f"[{','.join(sorted(dependency.extras))}]" if dependency.extras else ""
    return NamedFolder(dependency.path.as_posix(), extras, dependency.develop, _in_sources(dependency))


def _in_sources(dependency: Dependency) -> str:
    name, path = dependency.name, dependency.source_url
    return f'{name}: in [sources] of the manifest: {name} = {{ path = "{path}" }}'


def _is_beside(dependency: Dependency, placed: Sequence[Dependency]) -> bool:
    """Whether it is a file or folder that is not among those that have a place already."""
    return (dependency.is_directory() or dependency.is_file()) and dependency not in placed


def _may_be_early(dependency: Dependency) -> bool:
    return bool(dependency.allows_prereleases()) and not dependency.is_direct_origin()


def _indexes(document: Mapping[str, object]) -> Iterator[NamedIndex]:
    """Yield ``[[tool.poetry.source]]``; all but the primary ones are asked only for what is sent there.

    https://python-poetry.org/docs/repositories/#package-sources
    """
    for source, name, url in _listed_sources(document):
        if without_secrets(url) == url:
            usual = "secondary" if source.get("secondary") else "primary"  # Poetry before 1.5
            explicit = source.get("priority", usual) not in {"primary", "default"}
            yield NamedIndex(url, f"source {name}: {_SEE}", name=index_name(name), explicit=explicit)


def _secret_indexes(document: Mapping[str, object]) -> Iterator[str]:
    """Yield, of sources whose address has a name or a password in it, what to write instead."""
    for _, name, url in _listed_sources(document):
        if without_secrets(url) != url:
            yield f"source {name}: {_SEE}"


def _listed_sources(document: Mapping[str, object]) -> Iterator[tuple[Mapping[str, object], str, str]]:
    """Yield each source that has an address, with its name and that."""
    listed = table_within(document, "tool", "poetry").get("source")
    for source in listed if isinstance(listed, list) else ():
        if isinstance(source, dict) and source.get("url"):  # Poetry does not mind what is no table
            yield source, str(source.get("name")), str(source["url"])


def _source(dependency: Dependency) -> NamedSource | None:
    """Return where a dependency is sent on Linux; ``None`` where it is sent nowhere."""
    if not dependency.source_name or not dependency.marker.validate(
        {"sys_platform": "linux", "platform_system": "Linux"}
    ):
        return None
    name = dependency.source_name.lower()
    return NamedSource(dependency.name, index=PIP if name == _PYPI else index_name(name))
