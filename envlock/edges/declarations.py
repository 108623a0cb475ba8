"""What releases declare about themselves: from the cache, or else from the package indexes.

The files of a release do not change, but in its first weeks more are added (wheels for an interpreter that
has just come out). So a young release is looked up again after a day, and an old one never.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace

from packaging.utils import parse_wheel_filename

from envlock.edges.cache import Cache, Form
from envlock.model.component import parse_version
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import (
    LARGEST_SDIST,
    NEEDS_BUILD,
    Catalogue,
    DistFile,
    Release,
    Releases,
)
from envlock.model.published.declaration import Declaration, Declared, Published
from envlock.model.published.metadata import Metadata

Opened = Callable[[], AbstractContextManager[Catalogue]]
"""Opens the package indexes for as long as they are needed."""

_KIND = "declarations-4"
_FORM: Form = (str, bool, [(str, str)], [str], [str], bool, str)
_SETTLED_AFTER = dt.timedelta(days=90)
_SERIES = re.compile(r"[a-z]+([23])(\d*)", re.ASCII)
"""The interpreter of a tag; in PyPy's old ones (``pp73``) the number is not that of Python."""
_X86_64 = r"(?:many)?linux.*_x86_64"


def read_declarations(
    wanted: Mapping[str, tuple[str, str]],
    cache: Cache,
    opened: Opened | None,
    *,
    today: dt.date,
    python: str = "",
) -> Declared:
    """Return what releases declare about themselves.

    Args:
        wanted: component -> the distribution's name on an index, and its version.
        cache: where answers are kept.
        opened: opens the indexes; ``None`` if they may not be asked.
        today: today's date, which tells a young release from an old one.
        python: the interpreter whose wheels are read (``3.11``); empty for the newest.
    """
    found: dict[str, Declaration] = {}
    for component, (name, version) in wanted.items():
        if kept := _kept(cache, name, version, python, today, ask_again=opened is not None):
            found[component] = kept
    missing = {component: asked for component, asked in wanted.items() if component not in found}
    if not missing or opened is None:
        unread = dict.fromkeys(missing, "its metadata is not in the cache")
        return Declared(declarations=found, unread=unread, unlisted={})
    with opened() as catalogue:
        declared = _ask(missing, catalogue, cache, today, python)
    return replace(declared, declarations={**found, **declared.declarations})


def _ask(
    missing: Mapping[str, tuple[str, str]],
    catalogue: Catalogue,
    cache: Cache,
    today: dt.date,
    python: str,
) -> Declared:
    """Ask the indexes for all of them at once."""
    found, unread, unlisted, telling = {}, {}, {}, {}
    catalogue.prefetch(name for name, _ in missing.values())
    for component, (name, version) in missing.items():
        try:
            releases = catalogue.releases(name)
        except SurroundingsError as error:
            unread[component] = error.message
            continue
        release = release_of_version(version, releases)
        if release is None:
            newest = f" {version}; the newest there is {releases[0].text}" if releases else ""
            unlisted[component] = f"no index lists {name}{newest}"
            continue
        telling[component] = (release, metadata_file(release, python), releases)
    for release, file, _ in telling.values():
        if file is not None:
            catalogue.prefetch_metadata(release.distribution, file)
    for component, (release, file, releases) in telling.items():
        name, version = missing[component]
        try:
            metadata = None if file is None else stated_metadata(catalogue, name, file)
        except SurroundingsError as error:
            unread[component] = error.message
            continue
        declaration = Declaration(
            distribution=name,
            version=version,
            read=today,
            files=tuple(
                Published(filename=file.filename, requires_python=file.requires_python)
                for file in release.files
            ),
            requires_dist=tuple(map(str, metadata.requires_dist)) if metadata else (),
            versions=tuple(other.text for other in releases),
            has_slips=metadata is not None and metadata.has_slips,
            published=release.since,
        )
        found[component] = declaration
        _keep(cache, declaration, python, settled=_settled(release, today))
    return Declared(declarations=found, unread=unread, unlisted=unlisted)


def release_of_version(version: str, releases: Releases) -> Release | None:
    """Return the release of a version; if no index lists that local label, the release without one."""
    wanted = parse_version(version)
    public = parse_version(wanted.public)
    return next((release for release in releases if release.version == wanted), None) or next(
        (release for release in releases if release.version == public), None
    )


def metadata_file(release: Release, python: str) -> DistFile | None:
    """Return the file whose metadata is read: a wheel, preferably for Linux, or else a small sdist."""
    if named := _metadata_wheel([file.filename for file in release.files], python):
        return next(file for file in release.files if file.filename == named)
    return next((file for file in release.files if file.size <= LARGEST_SDIST), None)


def _metadata_wheel(filenames: Iterable[str], python: str) -> str:
    """Return the wheel to read: the named interpreter's, or else the newest one's; empty if there is none.

    Wheels of one release may have different requirements: torchtext 0.16.2 needs PyTorch 2.1.2, but on Python
    3.12 it needs 2.2.0. Those for x86_64, the most common machine, have the most requirements.
    """
    wheels = [name for name in filenames if name.endswith(".whl")]
    own = "cp" + "".join(python.split(".")[:2])
    of_python = [name for name in wheels if own in name.split("-")[-3].split(".")] if python else []
    return max(of_python or wheels, key=_newness, default="")


def _newness(wheel: str) -> tuple[int, tuple[str, str], str]:
    tags = parse_wheel_filename(wheel)[3]
    here = max(
        2 if tag.platform == "any" or re.fullmatch(_X86_64, tag.platform) else "linux" in tag.platform
        for tag in tags
    )
    series = (match for tag in tags if (match := _SERIES.fullmatch(tag.interpreter)))
    return here, max(((match[1], match[2].zfill(3)) for match in series), default=("", "")), wheel


def small_sdist(version: str, releases: Releases) -> DistFile | None:
    """Return the sdist of a release; ``None`` if it has none, or a large one."""
    release = release_of_version(version, releases)
    sdist = next((file for file in release.files if not file.is_wheel), None) if release else None
    return None if sdist is None or sdist.size > LARGEST_SDIST else sdist


def stated_metadata(catalogue: Catalogue, name: str, file: DistFile) -> Metadata | None:
    """Return the metadata of a file; ``None`` if only a build could tell it.

    Raises:
        SurroundingsError: it cannot be had.
    """
    try:
        return catalogue.metadata(name, file)
    except SurroundingsError as error:
        if error.code != NEEDS_BUILD:
            raise
        return None


def _settled(release: Release, today: dt.date) -> bool:
    return release.since is not None and today - release.since > _SETTLED_AFTER


def _kept(
    cache: Cache, name: str, version: str, python: str, today: dt.date, *, ask_again: bool
) -> Declaration | None:
    """Return what the cache knows of a release; offline, another interpreter's wheel will do as well."""
    known = _kept_as(cache, name, version, "", today, ask_again=ask_again)
    if not python or (known is not None and not _has_wheel_of_its_own(known, python)):
        return known
    own = _kept_as(cache, name, version, python, today, ask_again=ask_again)
    return own if own is not None or ask_again else known


def _has_wheel_of_its_own(declaration: Declaration, python: str) -> bool:
    """Whether an interpreter's wheel differs from the newest interpreter's."""
    names = [file.filename for file in declaration.files]
    return _metadata_wheel(names, python) != _metadata_wheel(names, "")


def _kept_as(
    cache: Cache, name: str, version: str, python: str, today: dt.date, *, ask_again: bool
) -> Declaration | None:
    document = cache.read_as(_KIND, _key(name, version, python), _FORM)
    if document is None:
        return None
    day, settled, files, requires_dist, versions, has_slips, published = document
    read = dt.date.fromisoformat(day)
    if ask_again and not settled and read != today:
        return None
    return Declaration(
        distribution=name,
        version=version,
        read=read,
        files=tuple(Published(filename=file[0], requires_python=file[1]) for file in files),
        requires_dist=tuple(requires_dist),
        versions=tuple(versions),
        has_slips=has_slips,
        published=dt.date.fromisoformat(published) if published else None,
    )


def _key(name: str, version: str, python: str) -> str:
    return " ".join((name, version, *python.split(".")[:2])) if python else f"{name} {version}"


def _keep(cache: Cache, declaration: Declaration, python: str, *, settled: bool) -> None:
    of_python = python if python and _has_wheel_of_its_own(declaration, python) else ""
    document = (
        declaration.read.isoformat(),
        settled,
        [(file.filename, file.requires_python) for file in declaration.files],
        list(declaration.requires_dist),
        list(declaration.versions),
        declaration.has_slips,
        declaration.published.isoformat() if declaration.published else "",
    )
    cache.keep(_KIND, _key(declaration.distribution, declaration.version, of_python), document)
