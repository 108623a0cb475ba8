"""``init``: begin a project with the smallest manifest, whose comments show further options."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import tomlkit
from packaging.utils import canonicalize_name

from envlock.app.init_requirements import init_requirements
from envlock.app.init_sources import STAND_IN, init_sources
from envlock.app.manifest_file import MANIFEST
from envlock.app.nodes import why_no_node
from envlock.app.solving.interpreter import refuse_too_old
from envlock.edges.cache import Cache, default_root
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.files import write_named
from envlock.edges.index.source_folders import folder_name, folder_version
from envlock.edges.listings.wish_files import NamedFolder, Wishes, read_lines
from envlock.model.command_line import as_word
from envlock.model.component import DISTRIBUTION_PREFIX
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.package_sources_codec import is_path

GROUP = "stack"
_ON_ONE_LINE = 4
_EXAMPLE = '["torch==2.4.*", "mpi4py"]'

_TEMPLATE = """\
# The environments of this project. A group is a set of people with one environment.
# Lock it and create it:  envlock solve {group}
# Prove it:               envlock verify {group}

[groups.{group}]
{python}
requires = {requires}
{narrowing}# system = ["openmpi>=4"]     # what comes from the machine, its modules or a wheel
{as_of}
# extends = "base"            # everything that another group has, and more
"""
_AT_PATH = re.compile(r"(?P<name>[^@;]+@\s*)(?:file:(?!/))?(?P<path>(?![\w+.-]+:)[^\s;]+)(?P<rest>.*)")
"""A requirement for a file or folder by its path, which is no URL."""
_FOLDER = re.compile(r"\.{0,2}/|\.(?:\[|\Z)")
"""How a path on the command line begins; a dot alone is the folder itself."""
_OPEN_PYTHON = '# python = "3.11"             # left out: the newest that has wheels of what is asked for'
_OPEN_TIME = (
    "# as-of = 2024-06-30          # only releases published by that day; without it: those of the pins' time"
)
_FURTHER = """
[groups.{group}]
extends = "{base}"
requires = {requires}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A project that was begun.

    Attributes:
        manifest: the file that was written.
        group: the group in it.
        python: its Python; empty where it is left open, so that a solve chooses one by what is asked for.
        requires: its requirements.
        further: groups that extend it, with what each requires besides.
        left_out: what else the file that it began from says.
        no_node: why nothing can be solved for this machine; empty where it can be a node.
    """

    manifest: Path
    group: str
    python: str
    requires: tuple[str, ...]
    further: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...] = ()
    no_node: str = ""


def init(
    folder: Path,
    *,
    python: str | None,
    requires: Sequence[str],
    begin_from: Path | None = None,
    force: bool = False,
    overlays: Sequence[Path] = (),
) -> Begun:
    """Write a manifest into a folder, which is made if it is missing.

    Args:
        folder: the project's folder.
        python: ``3.11`` or a specifier; where none is given, what the file says, else it is left open.
        requires: the requirements.
        begin_from: a requirements file, a pyproject.toml, a Pipfile, an environment.yml or a program, whose
            requirements come first; extras and dependency groups become groups that extend the first.
        force: whether an existing manifest may be overwritten.
        overlays: folders that add to the knowledge base, by which names are read.

    Raises:
        RequestError: a manifest exists, or a requirement or the Python version is wrong.
        SurroundingsError: the manifest could not be written.
    """
    path = folder / MANIFEST
    if path.exists() and not force:
        raise RequestError(
            "manifest-exists",
            f"there already is an {MANIFEST} here",
            where=str(path),
            hint="edit it, or overwrite it with --force",
        )
    knowledge = load_decoded(Cache(default_root()), overlays)
    found = Wishes() if begin_from is None else init_requirements(begin_from, knowledge)
    origin, file = (begin_from.parent, begin_from.name) if begin_from else (folder, "")
    moved = partial(_moved, origin=origin, folder=folder)
    given, requires = _folders_given(requires, origin)
    folders = {
        **given,
        **{place: name for place in found.folders if (name := folder_name(origin / place.path))},
    }
    wanted = (
        *(f"{name}{source.extras}" for source, name in folders.items()),
        *(_wish(text, moved, knowledge) for text in found.requires),
        *requires,
    )
    chosen = python or found.python
    narrowing = {
        "constraints": [_of_index(text, knowledge) for text in found.constraints],
        "no-binary": found.no_binary,
        "only-binary": found.only_binary,
        "prereleases": found.prereleases,
    }
    overrides = [
        f"{{ requirement = {_quoted(text)}, reason = {_quoted(f'{file} says so')} }}"
        for text in found.overrides
    ]
    further = {
        f"{GROUP}-{name}" if name == GROUP else name: tuple(_wish(text, moved, knowledge) for text in texts)
        for name, texts in found.further.items()
    }
    text = _TEMPLATE.format(
        group=GROUP,
        python=f"python = {_quoted(chosen)}" if chosen else _OPEN_PYTHON,
        requires=_list(wanted) if wanted else f"[]               # {_EXAMPLE}",
        narrowing="".join(f"{key} = {_list(texts)}\n" for key, texts in narrowing.items() if texts)
        + (f"overrides = [{', '.join(overrides)}]\n" if overrides else ""),
        as_of=f"as-of = {found.as_of}" if found.as_of else _OPEN_TIME,
    )
    unversioned = [
        name for source, name in folders.items() if _only_code_tells_its_version(source, name, origin)
    ]
    places, left_to_people = init_sources(found, folders, unversioned, moved)
    text += places
    for name, texts in further.items():
        text += _FURTHER.format(group=name, base=GROUP, requires=_list(texts))
    # Check it first, so that no invalid manifest is ever written.
    manifest = decode_manifest(tomllib.loads(text), f"{path} (not written)", knowledge)
    refuse_too_old(manifest.group(GROUP))
    write_named(path, text)
    return Begun(
        manifest=path,
        group=GROUP,
        python=chosen,
        requires=wanted,
        further=further,
        left_out=(
            *found.left_out,
            *left_to_people,
            *(
                f"the version of {name}, which only its code tells: {STAND_IN} in [sources]"
                for name in unversioned
            ),
            *(source.told for source in found.folders if source not in folders),
        ),
        no_node=why_no_node(),
    )


def _only_code_tells_its_version(folder: NamedFolder, name: str, origin: Path) -> bool:
    """Whether an editable folder states no version; one that is built is locked with that of its build."""
    return folder.editable and not folder_version(origin / folder.path, canonicalize_name(name))


def _folders_given(requires: Sequence[str], origin: Path) -> tuple[Mapping[NamedFolder, str], Sequence[str]]:
    """Split off, of what the command line asks for, folders of sources that state what they are.

    Args:
        requires: what is asked for; paths are relative to the folder in which envlock was started.
        origin: what the paths of the returned folders are relative to.

    Raises:
        RequestError: one of them is the name of a file (``file-as-requirement``).
    """
    found: dict[NamedFolder, str] = {}
    rest = []
    for text in requires:
        if "." in text and Path(text).is_file():  # what has no ending may well be a distribution all the same
            raise RequestError(
                "file-as-requirement",
                f"{text} is a file, and no distribution is meant by it",
                where="the command line",
                hint=f"to begin with what it asks for: envlock init --from {as_word(text)}; "
                f"a wheel or an sdist is asked for as 'NAME @ {text}'",
            )
        named = read_lines([("the command line", text)]).folders if _FOLDER.match(text) else ()
        names = {source: folder_name(Path(source.path)) for source in named}
        moved = {
            source: source._replace(path=_moved(source.path, origin=Path(), folder=origin))
            for source in named
        }
        found |= {moved[source]: name for source, name in names.items() if name}
        rest += [] if any(names.values()) else [text]
    return found, rest


def _moved(path: str, *, origin: Path, folder: Path) -> str:
    """Return a path in a file of one folder as a manifest in another has it; an absolute one stays."""
    if Path(path).is_absolute():
        return path
    place = Path(os.path.relpath(origin / path, folder)).as_posix()
    return place if place.startswith("..") or place == "." else f"./{place}"


def _wish(text: str, moved: Callable[[str], str], knowledge: Knowledge) -> str:
    """Return a requirement as the manifest has it, whose folder may be another than that of its file."""
    if is_path(text):
        return moved(text)
    if direct := _AT_PATH.fullmatch(text):
        text = f"{direct['name']}{moved(direct['path'])}{direct['rest']}"
    return _of_index(text, knowledge)


def _of_index(text: str, knowledge: Knowledge) -> str:
    """Prefix a requirement that a system component's name would hide (``cmake``): all are distributions."""
    name = re.match(r"[\w.-]*", text)
    bears = name is not None and knowledge.component(name[0]) in knowledge.systems
    return f"{DISTRIBUTION_PREFIX}{text}" if bears else text


def _list(requires: Sequence[str]) -> str:
    if len(requires) > _ON_ONE_LINE:
        return "".join(["[\n", *(f"  {_quoted(text)},\n" for text in requires), "]"])
    listed = ", ".join(_quoted(text) for text in requires)
    return f"[{listed}]"


def _quoted(text: str) -> str:
    return tomlkit.string(text).as_string()
