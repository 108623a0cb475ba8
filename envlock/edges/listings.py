"""Reading what is installed together, from whatever says so: locks, requirement files, environments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName

from envlock.edges.files import read_toml
from envlock.edges.installed import read_prefix
from envlock.edges.requirement_files import read_requirements
from envlock.model.component import Via
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.listing import Listed, Listing
from envlock.model.lock import Lock, decode_lock
from envlock.model.pins import Origin


def read_listing(path: Path) -> Listing:
    """What a file or the prefix of an environment lists.

    Understood are locks (ours, ``pylock.toml`` of any tool, ``uv.lock``), requirement files with exact
    versions, such as ``pip freeze`` prints, and prefixes of environments.

    Raises:
        RequestError: it is none of these, or is written wrongly.
    """
    if path.is_dir():
        return read_prefix(path)
    if path.suffix == ".toml" or path.name == "uv.lock":
        return _read_lock(read_toml(path), path)
    return read_requirements(path)


def _read_lock(document: Mapping[str, object], path: Path) -> Listing:
    tool = document.get("tool")
    if isinstance(tool, Mapping) and "envlock" in tool:
        return _ours(decode_lock(document, str(path)))
    if "lock-version" in document:
        return _packages("a pylock.toml", document, "packages", path)
    if "package" in document:
        return _packages("a uv.lock", document, "package", path)
    raise RequestError(
        "no-lock",
        "the file lists no packages",
        where=str(path),
        hint="name a pylock.toml, a uv.lock, a requirements file or an environment's prefix",
    )


def _ours(lock: Lock) -> Listing:
    systems = [Listed(name="python", version=lock.python)]
    for pin in lock.systems:
        via = Via.WHEEL if pin.origin is Origin.INDEX else Via.SITE
        systems.append(Listed(name=pin.component, version=pin.version, via=via))
    return Listing(
        kind=f"the lock of {lock.group} on {lock.target}",
        distributions=tuple(
            Listed(name=pin.name, version=pin.version, via=Via.BUILD if pin.build else Via.WHEEL)
            for pin in lock.distributions
        ),
        systems=tuple(systems),
    )


def _packages(kind: str, document: Mapping[str, object], key: str, path: Path) -> Listing:
    listed, passed_over = [], []
    for table in Table(document, file=str(path)).tables(key):
        name = table.text("name")
        if not table.has("version"):
            passed_over.append(f"{name} (no version)")
        elif not _applies(table):
            passed_over.append(f"{name} {table.text('version')} (for other platforms)")
        elif not _is_project(table):
            listed.append(Listed(name=name, version=table.text("version")))
    return Listing(kind=kind, distributions=tuple(listed), passed_over=tuple(passed_over))


def _is_project(table: Table) -> bool:
    """Whether a package of a uv.lock is the locked project itself."""
    source = table.document("source")
    return any(key in source for key in ("virtual", "editable"))


def _applies(table: Table) -> bool:
    """Whether a package is for the platform at hand; uv's forks are joined by *or*."""
    markers = list(_markers(table))
    return not markers or any(markers)


def _markers(table: Table) -> Iterator[bool]:
    texts = table.texts("resolution-markers")
    for text in (*texts, table.text("marker", "")):
        if text:
            try:
                yield Marker(text).evaluate()
            except (InvalidMarker, UndefinedEnvironmentName):
                yield True  # markers of extras and groups: not about the platform
