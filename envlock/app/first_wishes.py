"""What a project begins with: the wishes in a file of another tool."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.utils import canonicalize_name

from envlock.edges.index.source_folders import folder_name
from envlock.edges.listings.conda_files import is_conda_file, read_conda_file
from envlock.edges.listings.pipfile_wishes import PIPFILE, read_pipfile
from envlock.edges.listings.project_wishes import read_project
from envlock.edges.listings.script_wishes import read_script
from envlock.edges.listings.wish_files import NamedFolder, Wishes, read_lines, read_wishes
from envlock.lifecycle.from_conda import translate
from envlock.model.knowing.knowledge import Knowledge

_SCRIPTS = frozenset({"setup.py", "setup.cfg"})
"""Files that say what a project is, so that it is asked for itself."""


def first_wishes(path: Path, knowledge: Knowledge) -> Wishes:
    """Return what a requirements, a project's, Pipenv's or conda's file, or a program asks for.

    Args:
        path: the file.
        knowledge: the knowledge base, which knows conda's names.

    Raises:
        RequestError: it is not there, none of these, or asks for what cannot be understood.
    """
    if path.name == PIPFILE:
        return read_pipfile(path)
    if path.suffix == ".toml":
        return read_project(path)
    if path.name in _SCRIPTS and folder_name(path.parent):
        return Wishes(folders=(NamedFolder(".", "", editable=True, told=path.name),))
    if path.suffix == ".py" and path.name not in _SCRIPTS:
        return read_script(path)
    if not is_conda_file(path):
        return read_wishes(path)
    file = read_conda_file(path)
    ours, pip = translate(file.specs, knowledge), read_lines(file.pip)
    variables = f"variables {', '.join(file.variables)}: set them where the environment is used"
    # pip installs after conda, over what conda has installed.
    by_pip = {name: text for text in pip.requires if (name := name_of(text))}
    over = {text: by_pip[name] for text in ours.requires if (name := name_of(text)) in by_pip}
    return Wishes(
        python=ours.python,
        requires=(*(text for text in ours.requires if text not in over), *pip.requires),
        constraints=pip.constraints,
        no_binary=pip.no_binary,
        only_binary=pip.only_binary,
        folders=pip.folders,
        indexes=pip.indexes,
        left_out=(
            *ours.left_out,
            *(f"{text}: pip installs {other} over it" for text, other in over.items() if text != other),
            *pip.left_out,
            *((variables,) if file.variables else ()),
        ),
    )


def name_of(requirement: str) -> str:
    """Return the canonical name in a requirement; empty for a path."""
    name = re.match(r"[A-Za-z0-9][\w.-]*", requirement)
    return canonicalize_name(name[0]) if name else ""
