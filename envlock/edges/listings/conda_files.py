"""Reads conda's environment files."""

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


def is_conda_text(text: str) -> bool:
    """Whether a text looks like a conda environment file."""
    return _DEPENDENCIES.search(text) is not None


def read_conda_file(path: Path, text: str | None = None) -> CondaFile:
    """Read an ``environment.yml``, or a text from one.

    Raises:
        RequestError: it is not there (``file-missing``), is not YAML (``yaml-syntax``) or not an environment
            (``no-environment``); or a file for pip that it names is not there.
    """
    import yaml  # noqa: PLC0415 - few commands read such files

    text = read_text(path) if text is None else text
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
