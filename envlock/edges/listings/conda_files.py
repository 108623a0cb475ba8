"""Reads conda's environment files, and the lists that ``conda list --export`` prints."""

from __future__ import annotations

import re
from pathlib import Path

from envlock.edges.files import read_text
from envlock.edges.listings.requirement_files import requirements_among
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass

ENDINGS = (".yml", ".yaml")
_DEPENDENCIES = re.compile(r"^dependencies:\s*$", re.MULTILINE)
_EXPORT = re.compile(r"\A(?!(?s:.*)^@EXPLICIT$)(?:#.*\n)*# \$ conda create ", re.MULTILINE)
"""What ``conda list --export`` writes above names and versions (``--explicit``: above addresses of files)."""
_BY_PIP = re.compile(r"(?P<name>[^=\s]+)=(?P<version>[^=\s]+)=pypi_\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CondaFile:
    """The content of an environment file.

    Attributes:
        specs: packages from conda channels, as written.
        pip: lines for pip, each with its place, including those of files that it names.
        variables: names of the variables that conda sets when it activates the environment.
    """

    specs: tuple[str, ...]
    pip: tuple[tuple[str, str], ...]
    variables: tuple[str, ...]


def is_conda_file(path: Path, text: str | None = None) -> bool:
    """Whether a file is conda's by its ending, or a text, its own or one from a ``.txt``, by its words."""
    if path.suffix in ENDINGS:
        return True
    if text is not None:
        return _DEPENDENCIES.search(text) is not None or _EXPORT.match(text) is not None
    return path.suffix == ".txt" and path.is_file() and _EXPORT.match(read_text(path)) is not None


def read_conda_file(path: Path, text: str | None = None) -> CondaFile:
    """Read an ``environment.yml`` or a list that conda exported, or a text from one.

    Raises:
        RequestError: it is not there (``file-missing``), is not YAML (``yaml-syntax``) or not an environment
            (``no-environment``); or a file for pip that it names is not there.
    """
    import yaml  # noqa: PLC0415 - few commands read such files

    text = read_text(path) if text is None else text
    if _EXPORT.match(text):
        return _read_export(path, text)
    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError from an invalid date
        mark = getattr(error, "problem_mark", None)
        raise RequestError(
            "yaml-syntax",
            "the file is not valid YAML",
            where=f"{path}, line {mark.line + 1}, column {mark.column + 1}" if mark else str(path),
            why=getattr(error, "problem", None) or str(error),
            hint="fix it there: each dependency on a line of its own behind a dash, all as far in",
        ) from error
    listed = document.get("dependencies") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise RequestError(
            "no-environment",
            "the file has no list of dependencies, so that it asks for nothing",
            where=str(path),
            hint="name a file that `conda env export --from-history` wrote, or a requirements file",
        )
    pip: list[tuple[str, str]] = []
    for place, one in enumerate(listed):
        if isinstance(one, dict):
            lines = Table(one, file=str(path), path=f"dependencies[{place}]").texts("pip")
            pip += requirements_among(lines, path)
    variables = document.get("variables")
    return CondaFile(
        specs=tuple(one for one in listed if isinstance(one, str)),
        pip=tuple(pip),
        variables=tuple(variables) if isinstance(variables, dict) else (),
    )


def _read_export(path: Path, text: str) -> CondaFile:
    """Read the lines ``NAME=VERSION=BUILD``; the builds of what pip installed tell that."""
    specs: list[str] = []
    pip: list[tuple[str, str]] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if by_pip := _BY_PIP.fullmatch(line):
            pip.append((f"{path}, line {number}", f"{by_pip['name']}=={by_pip['version']}"))
        elif line and not line.startswith("#"):
            specs.append(line)
    return CondaFile(specs=tuple(specs), pip=tuple(pip), variables=())
