"""What build backends ask for only when they are run, as far as a source tree tells it.

Beside ``build-system.requires`` a backend may ask for more (``get_requires_for_build_wheel`` of PEP 517 and
``get_requires_for_build_editable`` of PEP 660). What depends on the machine, such as CMake, is knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from packaging.utils import canonicalize_name

from envlock.analysis.requirement_repair import read_requirement
from envlock.model.decode import table_within

_CYTHON = "cython"
_EDITABLES = "editables~=0.3"
_HATCHLING = "hatchling"
_PDM = "pdm"
_SETUPTOOLS = "setuptools"
_READS_TABLE = "setuptools>=61"
"""setuptools 61.0.0 first read ``[project]`` (change log); one before makes UNKNOWN 0.0.0 of it."""
_EDITABLE = "setuptools>=64"
"""setuptools 64.0.0 first had the hooks of PEP 660 (change log)."""


def asked_when_run(
    pyproject: Mapping[str, object],
    stated: tuple[str, ...],
    dependencies: Iterable[str],
    *,
    untranslated: bool,
    described_by_table: bool,
) -> tuple[str, ...]:
    """Return what the backend of a tree asks for beyond what the tree states.

    Args:
        pyproject: what ``pyproject.toml`` holds.
        stated: its ``build-system.requires``, or what stands for it.
        dependencies: those of the distribution, without those of extras.
        untranslated: whether Cython sources lie in the tree that nobody has translated.
        described_by_table: whether the tree has no ``setup.py`` or ``setup.cfg``, which all releases read.
    """
    names = stated_names(stated)
    if _is_run_by(pyproject, _HATCHLING):
        return tuple(_asked_by_hatchling(table_within(pyproject, "tool", "hatch", "build"), dependencies))
    if _is_run_by(pyproject, _PDM):
        return (_SETUPTOOLS,) if table_within(pyproject, "tool", "pdm", "build").get("run-setuptools") else ()
    asked = ("wheel",) if _SETUPTOOLS in names and "wheel" not in names else ()  # before setuptools 70.1
    if _SETUPTOOLS in names and described_by_table and "name" in table_within(pyproject, "project"):
        asked = (*asked, _READS_TABLE)
    if untranslated and _has_own_backend(pyproject) and _CYTHON not in names:
        # As those of mpi4py 4 and yarl do, so that it is not there where nothing translates.
        asked = (*asked, _CYTHON)
    return asked


def asked_for_editable(pyproject: Mapping[str, object]) -> tuple[str, ...]:
    """Return what the backend of a tree asks for in addition where the installation is to be editable.

    hatchling asks for it even where it then writes the path of the sources alone
    (``hatchling/builders/constants.py``). A tree that names no backend is setuptools' (PEP 517).
    """
    if _is_run_by(pyproject, _HATCHLING):
        return (_EDITABLES,)
    is_setuptools = _is_run_by(pyproject, _SETUPTOOLS) or _is_run_by(pyproject, "")
    return (_EDITABLE,) if is_setuptools and not _has_own_backend(pyproject) else ()


def _is_run_by(pyproject: Mapping[str, object], backend: str) -> bool:
    """Whether a tree's build backend is a module of this package."""
    return (
        re.split(r"[.:]", str(table_within(pyproject, "build-system").get("build-backend", "")))[0] == backend
    )


def _has_own_backend(pyproject: Mapping[str, object]) -> bool:
    """Whether a tree has a backend of its own, in a folder of its own."""
    folders = table_within(pyproject, "build-system").get("backend-path")
    return isinstance(folders, list) and bool(folders)


def stated_names(stated: Iterable[str]) -> set[str]:
    """Return the canonical names of requirements."""
    return {
        canonicalize_name(requirement.name)
        for requirement in map(read_requirement, stated)
        if requirement is not None
    }


def _asked_by_hatchling(build: Mapping[str, object], dependencies: Iterable[str]) -> Iterator[str]:
    """Yield what hatchling's hooks and targets ask for (https://hatch.pypa.io/latest/config/build/)."""
    wheel = table_within(build, "targets", "wheel")
    named = {**table_within(build, "hooks"), **table_within(wheel, "hooks")}
    hooks = [table_within(named, name) for name in named]
    parts = [wheel, build, *(hook for hook in hooks if hook.get("enable-by-default", True))]
    for part in parts:
        listed = part.get("dependencies")
        yield from map(str, listed if isinstance(listed, list) else ())
    if any(part.get("require-runtime-dependencies") is True for part in parts):
        yield from dependencies
