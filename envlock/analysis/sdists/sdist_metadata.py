"""What an sdist states about its dependencies without being run, most binding statement first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from envlock.analysis.core_metadata import DEFAULT_BUILD_REQUIRES, Fields, read_fields, read_raw
from envlock.analysis.requirement_repair import read_requirement
from envlock.analysis.sdists.backend_requires import asked_for_editable, asked_when_run, stated_names
from envlock.analysis.sdists.by_interpreter import with_other_interpreters
from envlock.analysis.sdists.egg_info import read_requires_txt, with_condition
from envlock.analysis.sdists.linked_wheels import linked_wheel
from envlock.analysis.sdists.own_packages import PackageSources, read_own_requires
from envlock.analysis.sdists.setup_files import read_setup_files
from envlock.analysis.sdists.setup_requires import parsed_script, read_setup_requires
from envlock.analysis.sdists.source_versions import read_pyproject, stated_name
from envlock.analysis.sdists.translated_sources import SUFFIXES
from envlock.model.markers import is_of_extras

_STATIC_SINCE = Version("2.2")
"""The metadata version since which fields hold for every wheel built from the sdist (PEP 643)."""

_LISTED_SINCE = Version("2.0")
"""Below this version, PKG-INFO was written by distutils, which lists no dependencies."""

_SETUPTOOLS = "setuptools"

_DYNAMIC: Mapping[str, str] = MappingProxyType(
    {"dependencies": "install_requires", "optional-dependencies": "extras_require"}
)
"""Fields of ``[project]``, by the keywords of ``setup`` that state what it leaves open."""

_OTHER_TOOLS = frozenset({"flit", "poetry"})
"""Tools that describe a project in a table of their own."""


def read_sdist_metadata(
    files: Mapping[str, str], distribution: str, sources: PackageSources
) -> Fields | None:
    """Return the fields; ``None`` if only a build would tell the dependencies.

    Args:
        files: path below the top folder -> text, as returned by ``read_metadata_files``.
        distribution: the canonical name.
        sources: reads top-level packages.
    """
    pyproject = read_pyproject(files)
    info = files.get("PKG-INFO", "").encode()
    fields = (
        _from_linked_wheel(pyproject, info)
        or _from_static_info(info)
        or _from_project_table(pyproject)
        or _from_egg_info(files, distribution)
        or _from_backend_info(info, by_setuptools=_is_built_by_setuptools(pyproject))
        or _from_setup_files(pyproject, files)
    )
    if fields is None:
        return None
    python = fields.requires_python or read_fields(info).requires_python
    needed = read_build_requires(files, fields, sources)
    return replace(fields, requires_python=python, build_requires=needed)


def read_build_requires(
    files: Mapping[str, str], fields: Fields, sources: PackageSources, *, editable: bool = False
) -> tuple[str, ...]:
    """Return what the build environment needs; ``fields`` are the sdist's, as far as known."""
    # setuptools asks for setup_requires in addition to what pyproject.toml states.
    beside = {path.removesuffix(".py"): text for path, text in files.items() if _is_beside(path)}
    script = beside.pop("setup", "")
    pyproject = read_pyproject(files)
    stated = _stated_build_requires(pyproject)
    untranslated = _untranslated(files)
    setup = read_setup_requires(
        script,
        files.get("setup.cfg", ""),
        _names(fields),
        beside,
        translated=[text for path, text in files.items() if path.endswith((".pyx", ".pxd"))],
        untranslated=untranslated,
        isolated=stated is not None,
    )
    own: tuple[str, ...] = ()
    if stated is None:
        stated = DEFAULT_BUILD_REQUIRES
        own = read_own_requires(script, files, _names(fields, extras=False), sources)
    dependencies = _listed(fields, extras=False)
    asked = asked_when_run(
        pyproject,
        stated,
        map(str, dependencies),
        untranslated=untranslated,
        described_by_table=not {"setup.py", "setup.cfg"} & files.keys(),
    )
    if editable:
        asked += asked_for_editable(pyproject)
    itself = canonicalize_name(stated_name(files))  # NumPy's own script imports it, too
    read = (text for text in (*asked, *setup, *own) if itself not in stated_names((text,)))
    return tuple(dict.fromkeys((*stated, *read)))


def _untranslated(files: Mapping[str, str]) -> bool:
    """Whether there are Cython sources, and beside none of them the C or C++ generated from it."""
    sources = {path.removesuffix(".pyx") for path in files if path.endswith(".pyx")}
    return bool(sources) and not any(
        path.removesuffix(suffix) in sources for path in files for suffix in SUFFIXES if path.endswith(suffix)
    )


def _is_beside(path: str) -> bool:
    return path.endswith(".py") and "/" not in path


def _names(fields: Fields, *, extras: bool = True) -> frozenset[str]:
    """Return the canonical names of the dependencies, with or without those of extras."""
    return frozenset(canonicalize_name(requirement.name) for requirement in _listed(fields, extras=extras))


def _listed(fields: Fields, *, extras: bool) -> list[Requirement]:
    """Return the dependencies that can be read, with or without those of extras."""
    requirements = [
        requirement for requirement in map(read_requirement, fields.requires_dist) if requirement is not None
    ]
    return [
        requirement
        for requirement in requirements
        if extras or requirement.marker is None or not is_of_extras(requirement.marker)
    ]


def _from_linked_wheel(pyproject: Mapping[str, object], info: bytes) -> Fields | None:
    """Read PKG-INFO where it is the metadata of the wheel that the build fetches, and nothing is dynamic."""
    linked = linked_wheel(pyproject)
    return read_fields(info) if linked is not None and linked.fetched else None


def _from_static_info(info: bytes) -> Fields | None:
    """Read PKG-INFO of a metadata version that is binding."""
    return _from_info(info, _STATIC_SINCE)


def _from_backend_info(info: bytes, *, by_setuptools: bool) -> Fields | None:
    """Read PKG-INFO of an older metadata version, as poetry writes it.

    setuptools wrote dependencies into its egg-info alone, and an sdist may lack that: none there say nothing.
    """
    fields = _from_info(info, _LISTED_SINCE)
    return None if by_setuptools and fields is not None and not fields.requires_dist else fields


def _from_info(info: bytes, since: Version) -> Fields | None:
    """Read PKG-INFO of this metadata version or a later one, unless its dependencies are dynamic."""
    raw = read_raw(info)
    try:
        version = Version(raw.get("metadata_version", "0"))
    except ValueError:  # also for a number with more digits than Python parses
        return None
    dynamic = {name.lower() for name in raw.get("dynamic", ())}
    return read_fields(info) if version >= since and "requires-dist" not in dynamic else None


def _from_project_table(pyproject: Mapping[str, object]) -> Fields | None:
    """Read ``[project]`` if it has PEP 621's form and its dependencies are not dynamic."""
    match pyproject.get("project"):
        case {"dynamic": [*names]} if {"dependencies", "optional-dependencies"} & set(map(str, names)):
            return None
        case dict() as project:
            requires = _texts(project.get("dependencies", []))
            extras = project.get("optional-dependencies", {})
        case _:
            return None
    if requires is None or not isinstance(extras, dict):
        return None
    for extra, listed in extras.items():
        if (texts := _texts(listed)) is None:
            return None
        requires += tuple(with_condition(text, extra, "") for text in texts)
    return Fields(
        requires_dist=requires,
        requires_python=str(project.get("requires-python", "")),
        provides_extra=tuple(extras),
    )


def _texts(value: object) -> tuple[str, ...] | None:
    """Return a list of strings as a tuple; ``None`` for anything else."""
    return tuple(value) if isinstance(value, list) and all(isinstance(text, str) for text in value) else None


def _from_egg_info(files: Mapping[str, str], distribution: str) -> Fields | None:
    """Read what setuptools wrote into the sdist; without dependencies it writes no requires.txt."""
    for path in sorted(files, key=lambda path: path.count("/")):
        folder, _, name = path.rpartition("/")
        egg = folder.rpartition("/")[2]
        if name == "PKG-INFO" and canonicalize_name(egg.removesuffix(".egg-info")) == distribution:
            packed = read_requires_txt(files.get(f"{folder}/requires.txt", ""))
            return with_other_interpreters(packed, parsed_script(files.get("setup.py", "")))
    return None


def _from_setup_files(pyproject: Mapping[str, object], files: Mapping[str, str]) -> Fields | None:
    """Read what setup.py and setup.cfg state, if they count and nothing else may state more."""
    needed = _needed_of_setup(pyproject) if _is_built_by_setuptools(pyproject) else None
    if needed is None:
        return None
    return read_setup_files(files.get("setup.py", ""), files.get("setup.cfg", ""), needed)


def _is_built_by_setuptools(pyproject: Mapping[str, object]) -> bool:
    """Whether the build backend is setuptools: by default, by name, or within one that lies in the sdist."""
    match pyproject.get("build-system"):
        case {"build-backend": str(backend), "backend-path": [*_]} if backend:
            return _SETUPTOOLS in stated_names(_stated_build_requires(pyproject) or ())
        case {"build-backend": str(backend)}:
            return _SETUPTOOLS in re.split(r"[.:]", backend)
    return True


def _needed_of_setup(pyproject: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the keywords that setup files have to state; ``None`` if what they state does not count.

    They count for what ``[project]`` leaves to them. Beside the table of another tool they may be there only
    for programs that know nothing else.
    """
    tool = pyproject.get("tool")
    match pyproject.get("project"):
        case {"dynamic": [*names]} if "dependencies" in names:
            return tuple(keyword for name, keyword in _DYNAMIC.items() if name in names)
        case None if isinstance(tool, dict) and _OTHER_TOOLS & tool.keys():
            return (_DYNAMIC["dependencies"],)
        case None:
            return ()
    return None


def _stated_build_requires(pyproject: Mapping[str, object]) -> tuple[str, ...] | None:
    system = pyproject.get("build-system")
    stated = system.get("requires") if isinstance(system, dict) else None
    return tuple(map(str, stated)) if isinstance(stated, list) else None
