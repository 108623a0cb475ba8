"""Reads what is installed together from whatever states it: locks, requirements files, environments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from envlock.edges.files import parse_toml, read_toml
from envlock.edges.listings.installed import read_prefix
from envlock.edges.listings.marker_environments import Reader
from envlock.edges.listings.pipfile_locks import PIPFILE_LOCK, read_pipfile_lock
from envlock.edges.listings.pipfile_wishes import PIPFILE
from envlock.edges.listings.poetry_locks import is_poetry_lock, read_poetry_lock
from envlock.edges.listings.project_pins import read_pipfile_pins, read_project_pins
from envlock.edges.listings.requirement_files import is_of_programs, read_requirements
from envlock.edges.listings.uv_locks import read_uv_lock
from envlock.model.component import PYTHON, Via
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.locked.lock import Lock, decode_lock
from envlock.model.locked.pins import Origin
from envlock.model.published.listing import Listed, Listing, of_files

_TOML = (".toml", ".lock")
_PIPENVS = MappingProxyType({PIPFILE: read_pipfile_pins, PIPFILE_LOCK: read_pipfile_lock})
_LOCK = re.compile(r"^(\[\[packages?\]\]|\[project\]|\[tool\.poetry\]|lock-version *=.*)$", re.MULTILINE)
"""Lines that only a lock or a project has, for a text without a file name to go by."""


def read_listing(path: Path, reader: Reader | None = None, text: str | None = None) -> Listing:
    """Return what a file or an environment's prefix lists.

    Accepted are locks (ours, ``pylock.toml`` of any tool, ``uv.lock``, ``poetry.lock``, ``Pipfile.lock``),
    requirements files such as ``pip freeze`` prints, the dependencies of a ``pyproject.toml`` or ``Pipfile``,
    and prefixes of environments. Of what is meant only for some platforms, the reader's counts.

    Args:
        path: the file or the prefix.
        reader: the interpreter for which it is read.
        text: the file's content, if known; its form is then recognised by its words.

    Raises:
        RequestError: it is none of these, or malformed.
    """
    reader = reader or Reader()
    if text is not None:
        if _LOCK.search(text):
            return _read_lock(parse_toml(text.encode(), path), path, reader)
        return read_requirements(path, reader, text)
    if path.is_dir():
        return read_prefix(path)
    if path.name in _PIPENVS:
        return _PIPENVS[path.name](path, reader)
    if path.suffix in _TOML:
        return _read_lock(read_toml(path), path, reader)
    if is_of_programs(path):
        raise _no_packages(path)
    return read_requirements(path, reader)


def _read_lock(document: Mapping[str, object], path: Path, reader: Reader) -> Listing:
    tool = document.get("tool")
    if isinstance(tool, Mapping) and "envlock" in tool:
        return _ours(decode_lock(document, str(path)))
    if "lock-version" in document:
        return _pylock(document, path, reader)
    if is_poetry_lock(document):
        return read_poetry_lock(document, path, reader)
    if "package" in document and "version" in document:
        return read_uv_lock(document, path, reader)
    if "project" in document or path.name == "pyproject.toml":
        return read_project_pins(document, path, reader)
    raise _no_packages(path)


def _no_packages(path: Path) -> RequestError:
    return RequestError(
        "no-lock",
        "the file lists no packages that can be read",
        where=str(path),
        hint="name a pylock.toml, uv.lock, poetry.lock, Pipfile.lock, conda-lock.yml, pixi.lock, "
        "pyproject.toml, Pipfile, environment.yml, a requirements file or an environment's prefix; "
        "or give what pip freeze prints to envlock check --from -",
    )


def _ours(lock: Lock) -> Listing:
    systems = [Listed(name=PYTHON, version=lock.python)]
    for pin in lock.systems:
        via = Via.WHEEL if pin.origin is Origin.INDEX else Via.SITE
        systems.append(Listed(name=pin.component, version=pin.version, via=via))
    return Listing(
        solved=True,
        kind=f"the lock of {lock.group} on {lock.target}",
        distributions=tuple(
            Listed(name=pin.name, version=pin.version, via=Via.BUILD if pin.build else Via.WHEEL)
            for pin in lock.distributions
        ),
        systems=tuple(systems),
    )


def _pylock(document: Mapping[str, object], path: Path, reader: Reader) -> Listing:
    root = Table(document, file=str(path))
    platform = reader.platform(root.text("requires-python", ""))
    listed, passed_over = [], []
    for table in root.tables("packages"):
        name = table.text("name")
        if not table.has("version"):
            passed_over.append(f"{name} (no version)")
        elif not platform.meets_in(table, table.text("marker", ""), key="marker"):
            passed_over.append(f"{name} {table.text('version')} (for other platforms)")
        else:
            wheels = table.tables("wheels")
            listed.append(Listed(name=name, version=table.text("version"), via=of_files(wheels)))
    return Listing(
        solved=True,
        kind="a pylock.toml",
        distributions=tuple(listed),
        passed_over=tuple(passed_over),
        read_for=platform.python,
    )
