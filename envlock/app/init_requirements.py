"""What a project begins with: the wishes in a file of another tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.edges.files import read_toml
from envlock.edges.index.source_folders import folder_name
from envlock.edges.listings.conda_files import is_conda_file, read_conda_file
from envlock.edges.listings.conda_packages import CondaPackages
from envlock.edges.listings.pip_options import without_secrets
from envlock.edges.listings.pipfile_wishes import PIPFILE, read_pipfile
from envlock.edges.listings.pixi_manifests import read_pixi_manifest
from envlock.edges.listings.project_wishes import read_project
from envlock.edges.listings.script_wishes import read_script
from envlock.edges.listings.wish_files import NamedFolder, Wishes, read_lines, read_wishes
from envlock.judging.stand_ins import one_of_each
from envlock.lifecycle.from_conda import translate
from envlock.model.decode import table_within
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.project.package_sources import PASSWORD, SECRET_PARAMETER

_SCRIPTS = frozenset({"setup.py", "setup.cfg"})
"""Files that make a folder a project, so that the project itself becomes a requirement."""
_ALWAYS = re.compile(r"[^;@/]+")
"""A requirement without a condition and without an address."""
_VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")
"""A variable of the environment, whose value pip reads into a requirements file."""
_NO_SECRETS = "a manifest has no password, token or variable: a name and its password go into ~/.netrc"


def init_requirements(path: Path, knowledge: Knowledge) -> Wishes:
    """Return what a requirements, a project's, Pipenv's or conda's file, or a program asks for.

    What has a password or a token in it, or a variable that stands for one, is left out: no manifest may
    have that. Of several builds of one library one stays, since an environment can hold one.

    Args:
        path: the file.
        knowledge: the knowledge base, which knows conda's names.

    Raises:
        RequestError: it is not there, none of these, or asks for what cannot be understood.
    """
    return _one_of_each(_without_secrets(_read(path, knowledge)), knowledge)


def _read(path: Path, knowledge: Knowledge) -> Wishes:
    if path.name == PIPFILE:
        return read_pipfile(path)
    if path.suffix == ".toml" and not is_conda_file(path):
        return _of_project(path, knowledge)
    if path.name in _SCRIPTS and folder_name(path.parent):
        return Wishes(folders=(NamedFolder(".", "", editable=True, told=path.name),))
    if path.suffix == ".py" and path.name not in _SCRIPTS:
        return read_script(path)
    if is_conda_file(path):
        return _by_index(read_conda_file(path), knowledge)
    return read_wishes(path)


def _without_secrets(wishes: Wishes) -> Wishes:
    """Return wishes without those that no manifest may have, which are told in their place."""
    named = (*wishes.requires, *(text for texts in wishes.further.values() for text in texts))
    told = [f"{without_secrets(text)}: {_NO_SECRETS}" for text in named if _is_secret(text)]
    told += [
        f"{one.distribution} of [sources]: {_NO_SECRETS}" for one in wishes.sources if _is_secret(one.url)
    ]
    return replace(
        wishes,
        requires=tuple(text for text in wishes.requires if not _is_secret(text)),
        further={
            name: left
            for name, texts in wishes.further.items()
            if (left := tuple(text for text in texts if not _is_secret(text)))
        },
        sources=tuple(source for source in wishes.sources if not _is_secret(source.url)),
        left_out=(*wishes.left_out, *told),
    )


def _one_of_each(wishes: Wishes, knowledge: Knowledge) -> Wishes:
    """Return wishes with one of several builds of one library (opencv-python, the headless one), told of.

    pip installs one over the other, by chance in this order or that. What stays and names no version gets the
    other's.
    """
    asked = {name: text for text in wishes.requires if _ALWAYS.fullmatch(text) and (name := name_of(text))}
    stays, told = dict(asked), list[str]()
    for name, stand_in in one_of_each(asked, knowledge).items():
        one, left = stand_in.distribution, stays.pop(name)
        if stand_in.numbered_alike and not Requirement(stays[one]).specifier:
            stays[one] += str(Requirement(left).specifier)
        told.append(f"{left}: {stays[one]} stays; {stand_in.reason}")
    texts = ((name_of(text), text) for text in wishes.requires)
    return replace(
        wishes,
        requires=tuple(stays.get(name, text) for name, text in texts if name not in asked or name in stays),
        left_out=(*wishes.left_out, *told),
    )


def _is_secret(text: str) -> bool:
    return any(pattern.search(text) for pattern in (PASSWORD, SECRET_PARAMETER, _VARIABLE))


def _of_project(path: Path, knowledge: Knowledge) -> Wishes:
    """Return what a ``pyproject.toml`` asks for, with what it tells pixi."""
    document = read_toml(path)
    pixi = table_within(document, "tool", "pixi")
    if not pixi:
        return read_project(document, path)
    own = read_project(document, path) if "project" in document else Wishes()
    packages = _by_index(read_pixi_manifest(pixi, path, "tool.pixi"), knowledge)
    return replace(
        own,
        python=packages.python or own.python,
        requires=(*packages.requires, *own.requires),
        further={**own.further, **packages.further},
        folders=packages.folders,
        indexes=(*own.indexes, *packages.indexes),
        left_out=(*own.left_out, *packages.left_out),
    )


def _by_index(packages: CondaPackages, knowledge: Knowledge) -> Wishes:
    """Return packages of conda's as wishes for what the index has."""
    ours, pip = translate(packages.specs, knowledge), read_lines(packages.pip)
    variables = f"variables {', '.join(packages.variables)}: set them where the environment is used"
    # pip installs after conda, over what conda has installed.
    by_pip = {name: text for text in pip.requires if (name := name_of(text))}
    over = {text: by_pip[name] for text in ours.requires if (name := name_of(text)) in by_pip}
    further = {name: _by_index(more, knowledge) for name, more in packages.further.items()}
    return Wishes(
        python=ours.python,
        requires=(*(text for text in ours.requires if text not in over), *pip.requires),
        constraints=pip.constraints,
        no_binary=pip.no_binary,
        only_binary=pip.only_binary,
        further={name: wishes.requires for name, wishes in further.items() if wishes.requires},
        folders=pip.folders,
        indexes=pip.indexes,
        left_out=(
            *ours.left_out,
            *(
                f"{text}: pip installs {other} over it"
                for text, other in over.items()
                if _differs(text, other)
            ),
            *pip.left_out,
            *((variables,) if packages.variables else ()),
            *packages.left_out,
            *(f"{name}: {text}" for name, wishes in further.items() for text in _beside_requirements(wishes)),
        ),
    )


def _differs(text: str, other: str) -> bool:
    return text.replace(" ", "") != other.replace(" ", "")


def _beside_requirements(wishes: Wishes) -> Iterator[str]:
    """Yield everything in some wishes that a group which extends another cannot have."""
    yield from wishes.left_out
    yield from (folder.told for folder in wishes.folders)
    yield from (index.told for index in wishes.indexes)


def name_of(requirement: str) -> str:
    """Return the canonical name in a requirement; empty for a path."""
    name = re.match(r"[A-Za-z0-9][\w.-]*", requirement)
    return canonicalize_name(name[0]) if name else ""
