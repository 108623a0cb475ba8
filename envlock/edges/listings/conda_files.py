"""Reads files that say what conda is to install or has installed: its own, conda-lock's and pixi's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from envlock.edges.files import parse_toml, read_text
from envlock.edges.listings.conda_locks import is_conda_lock, read_conda_lock
from envlock.edges.listings.conda_packages import CondaPackages
from envlock.edges.listings.pixi_manifests import PIXI_MANIFEST, read_pixi_manifest
from envlock.edges.listings.requirement_files import requirements_among
from envlock.model.component import USUAL_MACHINE
from envlock.model.decode import Table
from envlock.model.errors import RequestError

ENDINGS = (".yml", ".yaml")
_PIXIS = frozenset({PIXI_MANIFEST, "pixi.lock"})
_YAML = re.compile(r"^(dependencies|package|environments):\s*$", re.MULTILINE)
"""Lines that only an environment file, a lock of conda-lock's or one of pixi's has."""
_EXPORT = re.compile(r"\A(?!(?s:.*)^@EXPLICIT$)(?:#.*\n)*# \$ conda create ", re.MULTILINE)
"""What ``conda list --export`` writes above names and versions (``--explicit``: above addresses of files)."""
_BY_PIP = re.compile(r"(?P<name>[^=\s]+)=(?P<version>[^=\s]+)=pypi_\d+")


def is_conda_file(path: Path, text: str | None = None) -> bool:
    """Whether a file is conda's by its ending, or a text, its own or one from a ``.txt``, by its words."""
    if path.suffix in ENDINGS or path.name in _PIXIS:
        return True
    if text is not None:
        return _YAML.search(text) is not None or _EXPORT.match(text) is not None
    return path.suffix == ".txt" and path.is_file() and _EXPORT.match(read_text(path)) is not None


def read_conda_file(path: Path, text: str | None = None, *, machine: str = USUAL_MACHINE) -> CondaPackages:
    """Read an ``environment.yml``, a list that conda exported, a lock, pixi's manifest, or a text from one.

    Args:
        path: the file.
        text: its content, if known.
        machine: the architecture whose packages count, of a lock for several.

    Raises:
        RequestError: it is not there (``file-missing``), is not YAML (``yaml-syntax``) or not an environment
            (``no-environment``); or a file for pip that it names is not there.
    """
    text = read_text(path) if text is None else text
    if path.name == PIXI_MANIFEST:
        return read_pixi_manifest(parse_toml(text.encode(), path), path)
    if _EXPORT.match(text):
        return _read_export(path, text)
    document = _yaml(text, path)
    content = document if isinstance(document, dict) else {}
    return read_conda_lock(content, path, machine) if is_conda_lock(content) else _read(content, path)


def _yaml(text: str, path: Path) -> object:
    import yaml  # noqa: PLC0415 - few commands read such files

    try:
        # That in C reads a lock of a megabyte in a second, the other in ten.
        return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError from an invalid date
        mark = getattr(error, "problem_mark", None)
        raise RequestError(
            "yaml-syntax",
            "the file is not valid YAML",
            where=f"{path}, line {mark.line + 1}, column {mark.column + 1}" if mark else str(path),
            why=getattr(error, "problem", None) or str(error),
            hint="fix it there: each dependency on its own line after a dash, all indented alike",
        ) from error


def _read(document: Mapping[str, object], path: Path) -> CondaPackages:
    listed = document.get("dependencies")
    if not isinstance(listed, list):
        raise RequestError(
            "no-environment",
            "the file has no list of dependencies, so it requires nothing",
            where=str(path),
            hint="name a file that `conda env export --from-history` wrote, or a requirements file",
        )
    pip: list[tuple[str, str]] = []
    for place, entry in enumerate(listed):
        if isinstance(entry, dict):
            lines = Table(entry, file=str(path), path=f"dependencies[{place}]").texts("pip")
            pip += requirements_among(lines, path)
    variables = document.get("variables")
    return CondaPackages(
        kind="a conda environment file",
        specs=tuple(entry for entry in listed if isinstance(entry, str)),
        pip=tuple(pip),
        variables=tuple(variables) if isinstance(variables, dict) else (),
    )


def _read_export(path: Path, text: str) -> CondaPackages:
    """Read the lines ``NAME=VERSION=BUILD``; the builds of what pip installed tell that."""
    specs: list[str] = []
    pip: list[tuple[str, str]] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if by_pip := _BY_PIP.fullmatch(line):
            pip.append((f"{path}, line {number}", f"{by_pip['name']}=={by_pip['version']}"))
        elif line and not line.startswith("#"):
            specs.append(line)
    return CondaPackages(kind="a list that conda exported", specs=tuple(specs), pip=tuple(pip))
