"""Reads what a ``pyproject.toml`` or a ``Pipfile`` pins and requires for whoever installs the project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from envlock.edges.listings.marker_environments import Reader
from envlock.edges.listings.pipfile_wishes import read_pipfile, series_of
from envlock.edges.listings.project_wishes import read_project
from envlock.edges.listings.requirement_files import listed_among
from envlock.edges.listings.wish_files import Wishes
from envlock.model.published.listing import Listing


def read_project_pins(document: Mapping[str, object], path: Path, reader: Reader) -> Listing:
    """Return a project's dependencies on the reader's platform; extras and groups are named, not read.

    Raises:
        RequestError: as ``read_project``.
    """
    wishes = read_project(document, path)
    found = _listed(wishes, f"{path}, project.dependencies", path, wishes.python, reader)
    return replace(found, kind="a pyproject.toml")


def read_pipfile_pins(path: Path, reader: Reader) -> Listing:
    """Return the packages of a Pipfile on the reader's platform; other categories are named, not read.

    Raises:
        RequestError: as ``read_pipfile``.
    """
    wishes = read_pipfile(path)
    found = _listed(wishes, f"{path}, packages", path, series_of(wishes.python), reader)
    return replace(found, kind="a Pipfile")


def _listed(wishes: Wishes, place: str, path: Path, python: str, reader: Reader) -> Listing:
    lines = [(place, text, False) for text in wishes.requires]
    lines += [(f"{path}, tool.uv.constraint-dependencies", text, True) for text in wishes.constraints]
    found = listed_among(lines, reader.platform(python))
    further = tuple(
        f"{name}: {', '.join(texts)} (of an extra or a group)" for name, texts in wishes.further.items()
    )
    return replace(
        found,
        name=path.name,
        requires_python=python,
        passed_over=(*found.passed_over, *further, *wishes.left_out),
    )
