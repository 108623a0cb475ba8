"""What ``[tool.uv]`` of a ``pyproject.toml`` says of places and versions, in the terms of a manifest.

https://docs.astral.sh/uv/reference/settings and https://docs.astral.sh/uv/concepts/projects/dependencies
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from packaging.markers import InvalidMarker, Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.edges.listings.pip_options import repository_address, without_secrets
from envlock.edges.listings.requirement_files import need_requirement
from envlock.edges.listings.wish_files import NamedIndex, NamedSource, Wishes, index_name
from envlock.model.component import USUAL_MACHINE
from envlock.model.cpython import cpython_markers
from envlock.model.decode import Table
from envlock.model.markers import marker_holds

_NEWEST = (3, 99)
"""Stands for an interpreter where a source depends on one: the newest series are what projects write for."""
_SEE = "see [[indexes]] and [sources] of the manifest"
_INSTEAD = {
    "index-url": "pip's configuration counts: pip config set global.index-url ADDRESS",
    "find-links": _SEE,
    "environments": "a group is solved for each target",
    "conflicts": "groups of their own",
    "exclude-newer-package": "as-of counts for all of a group",
    "prerelease": "prereleases = [NAME, ...] of the group names them",
    "no-build-isolation-package": "builds are isolated; a recipe of knowledge/recipes says what one takes",
}
"""What replaces a setting that has no counterpart."""


def with_settings(wishes: Wishes, uv: Table, path: Path) -> Wishes:
    """Return a project's wishes with what its settings of uv add.

    Args:
        wishes: what the project asks for.
        uv: its ``[tool.uv]``, maybe empty.
        path: the file, for errors.

    Raises:
        RequestError: a setting has not the form that uv accepts.
    """
    constraints, overrides, dev = (
        _requirements(uv, key, path)
        for key in ("constraint-dependencies", "override-dependencies", "dev-dependencies")
    )
    left_out = [f"tool.uv.{key}: {instead}" for key, instead in _INSTEAD.items() if uv.has(key)]
    indexes = [*_indexes(uv, left_out)]
    single, several = _overrides(overrides)
    left_out += [f"tool.uv.override-dependencies {text}: overrides of the group" for text in several]
    sources = [*_sources(uv, {index.name for index in indexes}, left_out)]
    as_of = _as_of(uv, left_out)
    further = dict(wishes.further)
    if dev:
        further["dev"] = tuple(dict.fromkeys((*further.get("dev", ()), *dev)))
    return replace(
        wishes,
        constraints=(*wishes.constraints, *constraints),
        overrides=single,
        no_binary=uv.texts("no-binary-package"),
        only_binary=uv.texts("no-build-package"),
        further=further,
        indexes=tuple(indexes),
        sources=tuple(sources),
        as_of=as_of,
        left_out=(*wishes.left_out, *left_out),
    )


def _requirements(uv: Table, key: str, path: Path) -> tuple[str, ...]:
    texts = uv.texts(key)
    for text in texts:
        need_requirement(text, f"{path}, tool.uv.{key}")
    return texts


def _as_of(uv: Table, left_out: list[str]) -> dt.date | None:
    """Return the last day before ``exclude-newer``; to uv, a day itself is before it, and a moment is not."""
    text = uv.text("exclude-newer", "")
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return (dt.datetime.fromisoformat(text).astimezone(dt.UTC) - dt.datetime.resolution).date()
    except (ValueError, OverflowError):  # the latter for a moment before or after all that a calendar has
        if text:
            left_out.append(f"tool.uv.exclude-newer {text}: as-of of the group takes a day")
        return None


def _overrides(texts: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Split overrides into those that a manifest can have, one of a distribution, and the rest."""
    named = [
        (canonicalize_name(requirement.name), requirement.url) for requirement in map(Requirement, texts)
    ]
    names = [name for name, _ in named]
    fine = {
        text for text, (name, url) in zip(texts, named, strict=True) if not url and names.count(name) == 1
    }
    return tuple(text for text in texts if text in fine), [text for text in texts if text not in fine]


def _indexes(uv: Table, left_out: list[str]) -> Iterator[NamedIndex]:
    for table in uv.tables("index"):
        url, name = table.text("url"), table.text("name", "")
        described = f"tool.uv.index {name or without_secrets(url)}: {_SEE}"
        if without_secrets(url) != url or table.text("format", "simple") != "simple" or "://" not in url:
            left_out.append(described)
        else:
            explicit = table.flag("explicit", default=False)
            yield NamedIndex(url, described, name=index_name(name or url), explicit=explicit)
    for url in uv.texts("extra-index-url"):
        described = f"tool.uv.extra-index-url {without_secrets(url)}: {_SEE}"
        if without_secrets(url) == url:
            yield NamedIndex(url, described, name=index_name(url), explicit=False)
        else:
            left_out.append(described)


def _sources(uv: Table, indexes: set[str], left_out: list[str]) -> Iterator[NamedSource]:
    """Yield the place of each distribution; what depends on more than the platform is left to people."""
    table = uv.table("sources")
    for name in table.names():
        several = isinstance(table.raw(name), list)
        choices = [*table.tables(name)] if several else [table.table(name)]
        here = [
            choice
            for choice in choices
            if not (choice.has("extra") or choice.has("group")) and _counts(choice)
        ]
        source = _source(name, here[0]) if len(here) == 1 else None
        if source is None or (source.index and source.index not in indexes):
            left_out.append(f"tool.uv.sources.{name}: {_SEE}")
        else:
            yield source


def _counts(source: Table) -> bool:
    """Whether the marker of a source holds on Linux."""
    text = source.text("marker", "")
    try:
        marker = Marker(text) if text else None
    except InvalidMarker:
        raise source.error(
            f"{text!r} is not an environment marker", key="marker", hint="sys_platform == 'linux'"
        ) from None
    version = ".".join(map(str, _NEWEST))
    return marker is None or marker_holds(
        marker, {**cpython_markers(version, _NEWEST, USUAL_MACHINE), "extra": ""}
    )


def _source(name: str, table: Table) -> NamedSource | None:
    """Return a source in our terms; ``None`` for a member of a workspace, and for what we do not know."""
    if table.has("index"):
        return NamedSource(name, index=index_name(table.text("index")))
    if table.has("path"):
        return NamedSource(name, path=table.text("path"), editable=table.flag("editable", default=False))
    if table.has("url") and not table.has("subdirectory"):
        return NamedSource(name, url=table.text("url"))
    if table.has("git"):
        return NamedSource(name, url=repository_address(table))
    return None
