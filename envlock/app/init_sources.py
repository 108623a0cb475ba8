"""``[[indexes]]`` and ``[sources]`` of the manifest that a project begins with."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

import tomlkit

from envlock.app.init_requirements import name_of
from envlock.edges.listings.wish_files import NamedFolder, NamedIndex, NamedSource, Wishes, index_name
from envlock.edges.pip_configuration import USUAL_INDEX, read_pip_configuration
from envlock.model.project.package_sources import PIP

_INDEX = """
[[indexes]]
name = "{name}"
url = {url}
"""
_EXPLICIT = "explicit = true                # only for what [sources] sends there\n"
STAND_IN = "0.0.0"
"""The version of an editable folder that states none: setuptools', for sources that have none."""
_LABEL = re.compile(r"==\s*[\w.!]+\+\w")


def init_sources(
    found: Wishes,
    folders: Mapping[NamedFolder, str],
    unversioned: Collection[str],
    moved: Callable[[str], str],
) -> tuple[str, tuple[str, ...]]:
    """Return both tables as text, maybe empty, and what was said of indexes that are left to people.

    An index without a name (``--extra-index-url``) is taken over if it is the only one beside the usual ones
    and there are builds with a label (``torch==1.12.1+cu113``), which come from such.

    Args:
        found: what the file asks for.
        folders: its folders of sources, with their distributions.
        unversioned: those of the distributions whose version only their code tells.
        moved: returns a path in that file as the manifest has it.
    """
    unnamed = [index for index in found.indexes if not index.name]
    if unnamed:
        usual = {_same(USUAL_INDEX), _same(read_pip_configuration().index_url)}
        unnamed = [index for index in unnamed if _same(index.url) not in usual]
    labelled = dict.fromkeys(name_of(text) for text in found.requires if _LABEL.search(text))
    indexes: dict[str, NamedIndex] = {}
    for index in found.indexes:
        if index.name and indexes.setdefault(index.name, index) is not index:
            unnamed.append(index)  # its address gives it the name of another
    sources = {
        name: NamedSource(
            name, path=folder.path, editable=folder.editable, version=STAND_IN if name in unversioned else ""
        )
        for folder, name in folders.items()
    }
    if len(unnamed) == 1 and labelled and (name := index_name(unnamed[0].url)) not in indexes:
        indexes[name] = unnamed.pop()._replace(name=name)
        sources |= {distribution: NamedSource(distribution, index=name) for distribution in labelled}
    known = {"", PIP, *indexes}
    sources |= {source.distribution: source for source in found.sources if source.index in known}
    lost = [source for source in found.sources if source.index not in known]
    text = "".join(map(_index, indexes.values())) + _sources(sources.values(), moved)
    return text, (*(index.told for index in unnamed), *map(_from_elsewhere, lost))


def _from_elsewhere(source: NamedSource) -> str:
    """Say how to send a distribution to an index that is left out: others may publish one of its name."""
    name, index = source.distribution, source.index
    return f'{name} from {index} alone: [[indexes]] of that name, and [sources] {name} = "{index}"'


def _same(url: str) -> str:
    """Return what addresses of one index have in common."""
    return url.rstrip("/").lower()


def _index(index: NamedIndex) -> str:
    return _INDEX.format(name=index.name, url=_quoted(index.url)) + (_EXPLICIT if index.explicit else "")


def _sources(sources: Iterable[NamedSource], moved: Callable[[str], str]) -> str:
    lines = [f"{source.distribution} = {_place(source, moved)}\n" for source in sources]
    return "\n[sources]\n" + "".join(lines) if lines else ""


def _place(source: NamedSource, moved: Callable[[str], str]) -> str:
    if source.index:
        return _quoted(source.index)
    place = f"path = {_quoted(moved(source.path))}" if source.path else f"url = {_quoted(source.url)}"
    version = f", version = {_quoted(source.version)}" if source.version else ""
    return f"{{ {place}{', editable = true' if source.editable else ''}{version} }}"


def _quoted(text: str) -> str:
    return tomlkit.string(text).as_string()
