"""What requirements files ask for, in the terms of a manifest."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import NamedTuple

from packaging.utils import canonicalize_name

from envlock.edges.files import read_text
from envlock.edges.listings.pip_options import EDITABLE, option_of, secured, without_secrets
from envlock.edges.listings.requirement_files import (
    compiled_in,
    is_of_programs,
    lines_of,
    need_requirement,
    with_constraints,
    written_requirement,
)
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.project.package_sources import filename_of, is_url, named_by
from envlock.model.project.package_sources_codec import is_path

_SEE = "see [[indexes]] and [sources] of the manifest"
_FOLDER = "in [sources] of the manifest: NAME = { path = FOLDER }"
_EDITABLE = "in [sources] of the manifest: NAME = { path = FOLDER, editable = true }"
_FILE = "constraints narrow versions; a file or an address belongs in requires"
_AT_REVISION = "it is built from its sources at that revision"
_NAMELESS = "an address without the distribution's name: write NAME @ ADDRESS in requires"
_RECIPE = "a recipe of knowledge/recipes says how a distribution is built"
_WHEEL_FIRST = "a wheel is taken wherever one can be used, and all else built"
_INDEXES = ("-i", "--index-url", "--extra-index-url")
_FORMS = ("--no-binary", "--only-binary")
_INSTEAD = {
    **dict.fromkeys(EDITABLE, _EDITABLE),
    "--pre": "prereleases = [NAME, ...] of the group names them",
    "--require-hashes": "locks always have hashes",
    "--hash": "the lock has the hashes of what the indexes offer: compare them, if yours are from elsewhere",
    **dict.fromkeys(("--config-settings", "--config-setting", "--global-option"), _RECIPE),
    "--prefer-binary": _WHEEL_FIRST,
    "--trusted-host": "pip's configuration counts: pip config set global.trusted-host HOST",
}
"""What replaces an option of pip's."""
_OF_ONE = re.compile(r"\s(-(?:-[a-z-]+|[a-z]))(?=[=\s]|\Z)")
"""An option of one requirement, behind it."""
_BUILT_BY_CONDA = re.compile(
    r"(?P<name>[A-Za-z0-9][\w.-]*) *@ *file:\S*?_\d{10,13}/work(?:/(?P<inside>[^\s#]*))?\S*(?P<rest>.*)"
)
"""What ``pip freeze`` prints of conda's packages: the folder, named for a time, in which conda built them."""
_PATH = re.compile(r"(?P<path>[^\s#\[\];]+)(?P<extras>\[[\w., -]*\])?(?:\s*[#;].*)?")
"""A folder, perhaps with extras; what stands behind it names it (``#egg=``) or says when it counts."""


class NamedFolder(NamedTuple):
    """A folder of sources that a file asks for.

    Attributes:
        path: where it is, as the file has it: relative to the file, or absolute.
        extras: the extras that are wanted, in brackets; empty for none.
        editable: whether its changes are to take effect at once.
        told: the line, its place, and what to write where the folder does not say what it is.
    """

    path: str
    extras: str
    editable: bool
    told: str


class NamedIndex(NamedTuple):
    """An index beside the usual ones.

    Attributes:
        url: its address.
        told: what names it, with what to write instead.
        name: its name in a manifest; empty where the file has no name for it.
        explicit: whether only those distributions come from it that are sent there.
    """

    url: str
    told: str
    name: str = ""
    explicit: bool = True


@dataclass(frozen=True, slots=True)
class NamedSource:
    """The one place from which a distribution is to come: an index, a file or folder, or an address.

    Attributes:
        distribution: its name.
        index: the name of one of the indexes, or ``pip``; else empty.
        path: where the file or folder is, as the file has it; else empty.
        url: the address of a file or a repository (``git+https://...``); else empty.
        editable: whether a folder's changes are to take effect at once.
        version: what stands for the version of sources that do not state theirs; empty where they do.
    """

    distribution: str
    index: str = ""
    path: str = ""
    url: str = ""
    editable: bool = False
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a file asks for.

    Attributes:
        python: the interpreters that it names, as a specifier; empty if it names none.
        requires: its requirements, verbatim but for their options.
        constraints: what it only narrows.
        no_binary: names, or ``:all:``, of what is to be built.
        only_binary: names, or ``:all:``, of what is never to be built.
        overrides: requirements that replace those of metadata.
        prereleases: names of what may be a pre-release.
        as_of: the last day whose releases count, where it names one.
        further: what some of its users need in addition: name -> requirements.
        folders: folders of sources.
        indexes: indexes beside the usual ones.
        sources: places of single distributions.
        left_out: options, with what to write instead.
    """

    python: str = ""
    requires: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    no_binary: tuple[str, ...] = ()
    only_binary: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    prereleases: tuple[str, ...] = ()
    as_of: dt.date | None = None
    further: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    folders: tuple[NamedFolder, ...] = ()
    indexes: tuple[NamedIndex, ...] = ()
    sources: tuple[NamedSource, ...] = ()
    left_out: tuple[str, ...] = ()


def index_name(text: str) -> str:
    """Return a name for an index, by the name that a file gives it or the last part of its address.

    >>> index_name("PyTorch_cu118"), index_name("https://example.org/whl/cu113")
    ('pytorch-cu118', 'cu113')
    """
    last = re.sub(r"[^a-z0-9.]+", "-", text.rstrip("/").rpartition("/")[2].lower()).strip("-.")
    return "extra" if last in {"", "pip", "simple"} else last


def read_wishes(path: Path) -> Wishes:
    """Read a requirements file.

    Raises:
        RequestError: it is missing, is no requirements file (``no-wishes``), or has an invalid requirement.
    """
    if is_of_programs(path):
        raise RequestError(
            "no-wishes",
            "a project cannot begin with this file",
            where=str(path),
            why="a lock holds answers, not wishes" if path.suffix == ".lock" else "",
            hint="name a requirements file, a pyproject.toml or an environment.yml; "
            "envlock check --from judges locks",
        )
    text = read_text(path)
    lines = list(lines_of(text, path))
    if not lines:
        raise RequestError(
            "no-wishes",
            "the file requires nothing",
            where=str(path),
            hint="name one with requirements, or begin with some: envlock init torch==2.6.0",
        )
    return replace(read_lines(lines), python=compiled_in(text))


def read_lines(lines: Iterable[tuple[str, str]]) -> Wishes:
    """Read lines for pip, each with its place.

    Raises:
        RequestError: one is neither a requirement nor an option, or a constraints file includes itself.
    """
    requires: list[str] = []
    constraints: list[str] = []
    places: list[NamedFolder | NamedIndex] = []
    left_out: list[str] = []
    behind: dict[str, str] = {}
    by_conda: list[str] = []
    forms: dict[str, dict[str, None]] = {option: {} for option in _FORMS}
    for place, written, narrows in secured(with_constraints(lines), left_out):
        line = _by_name(written, by_conda)
        option, value = option_of(line)
        for single in () if option else _OF_ONE.findall(line):
            behind.setdefault(single, f"{single} ({place}); {_INSTEAD.get(single, _SEE)}")
        is_fixed = option in EDITABLE and is_url(value.partition(" ")[0])
        if is_fixed:
            left_out.append(f"{option} of {without_secrets(value)} ({place}); {_AT_REVISION}")
        if option in _FORMS:
            if not narrows:
                _take_form(option, value, forms)
        elif not narrows and (named := _place(option, value, line, place)):
            places.append(named)
        elif line.startswith("-") and not is_fixed:
            left_out.append(f"{without_secrets(line)} ({place}); {_INSTEAD.get(option, _SEE)}")
        elif is_url(text := written_requirement(value if is_fixed else line)):
            left_out.append(f"{without_secrets(text)} ({place}); {_NAMELESS}")
        elif narrows and _is_of_a_file(text, place):
            left_out.append(f"{without_secrets(text)} ({place}); {_FILE}")
        else:
            (constraints if narrows else requires).append(_checked(text, place))
    no_binary, only_binary = (tuple(forms[option]) for option in _FORMS)
    return Wishes(
        requires=tuple(requires),
        constraints=tuple(constraints),
        no_binary=no_binary,
        only_binary=only_binary,
        folders=tuple(found for found in places if isinstance(found, NamedFolder)),
        indexes=tuple(found for found in places if isinstance(found, NamedIndex)),
        left_out=(*left_out, *behind.values(), *_told_of_conda(by_conda)),
    )


def _by_name(line: str, by_conda: list[str]) -> str:
    """Return a line that names the folder in which conda built something as a wish for that by its name.

    The folder is on no other machine. A wheel in it gives the version; otherwise the name joins ``by_conda``.
    """
    built = _BUILT_BY_CONDA.fullmatch(line)
    if built is None:
        return line
    wheel = named_by(filename_of(built["inside"] or ""))
    if wheel is None:
        by_conda.append(built["name"])
    return f"{built['name']}{f'=={wheel.version}' if wheel else ''}{built['rest']}"


def _told_of_conda(names: Sequence[str]) -> Iterator[str]:
    if names:
        yield (
            f"folders in which conda built {', '.join(names)}: they tell no versions, so that those of the "
            "other pins' time are taken"
        )


def _place(option: str, value: str, line: str, place: str) -> NamedFolder | NamedIndex | None:
    """Return the folder or the index that a line names; ``None`` for any other line."""
    if option in _INDEXES and without_secrets(value) == value:
        return NamedIndex(value, f"{line} ({place}); {_SEE}")
    return _folder(option, value, line, place)


def _folder(option: str, value: str, line: str, place: str) -> NamedFolder | None:
    """Return the folder that a line names (``-e .[train]``, ``./ours``); ``None`` for any other line."""
    editable = option in EDITABLE
    found = _PATH.fullmatch(value if editable else line)
    if found is None or is_url(found["path"]) or (option and not editable):
        return None
    if not editable and (found["path"] != "." and (not is_path(line) or named_by(filename_of(line)))):
        return None
    described = f"{without_secrets(line)} ({place}); {_EDITABLE if editable else _FOLDER}"
    return NamedFolder(found["path"], found["extras"] or "", editable, described)


def _take_form(option: str, value: str, forms: Mapping[str, dict[str, None]]) -> None:
    """Apply ``--no-binary`` or ``--only-binary`` like pip: later ones win, ``:none:`` revokes all."""
    here, there = forms[option], forms[next(form for form in _FORMS if form != option)]
    for part in filter(None, map(str.strip, value.split(","))):
        name = part if part.startswith(":") else canonicalize_name(part)
        if name == ":none:":
            here.clear()
            continue
        if name == ":all:":
            here.clear()
            there.clear()
        here[name] = None
        there.pop(name, None)


def _is_of_a_file(text: str, place: str) -> bool:
    return is_path(text) or need_requirement(text, place).url is not None


def _checked(text: str, place: str) -> str:
    if not is_path(text):
        need_requirement(text, place)
    return text
