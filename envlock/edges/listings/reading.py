"""Reading what is installed together, from whatever says so: locks, requirement files, environments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from packaging.markers import InvalidMarker, Marker

from envlock.edges.files import read_toml
from envlock.edges.listings.conda_files import ENDINGS as CONDA_ENDINGS
from envlock.edges.listings.installed import read_prefix
from envlock.edges.listings.marker_environments import Reader
from envlock.edges.listings.poetry_locks import is_poetry_lock, read_poetry_lock
from envlock.edges.listings.requirement_files import read_requirements
from envlock.edges.listings.uv_locks import read_uv_lock
from envlock.model.component import PYTHON, Via
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.locked.lock import Lock, decode_lock
from envlock.model.locked.pins import Origin
from envlock.model.published.listing import Listed, Listing

_TOML = (".toml", ".lock")


def read_listing(path: Path, reader: Reader | None = None) -> Listing:
    """What a file or the prefix of an environment lists.

    Understood are locks (ours, ``pylock.toml`` of any tool, ``uv.lock``, ``poetry.lock``), requirement files
    with exact versions, such as ``pip freeze`` prints, and prefixes of environments. Of what is meant for
    some platforms only, the reader's counts.

    Raises:
        RequestError: it is none of these, or is written wrongly.
    """
    if path.is_dir():
        return read_prefix(path)
    if path.suffix in CONDA_ENDINGS:
        raise RequestError(
            "conda-names",
            "conda's environment files list packages by conda's names and in ranges",
            where=str(path),
            hint="name the prefix of the environment that conda made of it ($CONDA_PREFIX)",
        )
    if path.suffix in _TOML:
        return _read_lock(read_toml(path), path, reader or Reader())
    return read_requirements(path, reader or Reader())


def _read_lock(document: Mapping[str, object], path: Path, reader: Reader) -> Listing:
    tool = document.get("tool")
    if isinstance(tool, Mapping) and "envlock" in tool:
        return _ours(decode_lock(document, str(path)))
    if "lock-version" in document:
        return _pylock(document, path, reader)
    if is_poetry_lock(document):
        return read_poetry_lock(document, path, reader)
    if "package" in document:
        return read_uv_lock(document, path, reader)
    if path.name == "pyproject.toml":
        raise RequestError(
            "no-lock",
            "a pyproject.toml says what is wanted, and not which versions are there",
            where=str(path),
            hint=f"name its uv.lock or poetry.lock; or let envlock choose: envlock init --from {path}",
        )
    raise RequestError(
        "no-lock",
        "the file lists no packages",
        where=str(path),
        hint="name a pylock.toml, uv.lock, poetry.lock, a requirements file or an environment's prefix",
    )


def _ours(lock: Lock) -> Listing:
    systems = [Listed(name=PYTHON, version=lock.python)]
    for pin in lock.systems:
        via = Via.WHEEL if pin.origin is Origin.INDEX else Via.SITE
        systems.append(Listed(name=pin.component, version=pin.version, via=via))
    return Listing(
        solved=True,
        kind=f"the lock of {lock.group} on {lock.target}",
        distributions=tuple(
            Listed(name=pin.name, version=pin.version, via=Via.BUILD if pin.build else Via.WHEEL)
            for pin in lock.distributions
        ),
        systems=tuple(systems),
    )


def _pylock(document: Mapping[str, object], path: Path, reader: Reader) -> Listing:
    root = Table(document, file=str(path))
    platform = reader.platform(root.text("requires-python", ""))
    listed, passed_over = [], []
    for table in root.tables("packages"):
        name = table.text("name")
        if not table.has("version"):
            passed_over.append(f"{name} (no version)")
        elif not platform.meets(_marker(table, "marker")):
            passed_over.append(f"{name} {table.text('version')} (for other platforms)")
        else:
            listed.append(Listed(name=name, version=table.text("version")))
    return Listing(
        solved=True,
        kind="a pylock.toml",
        distributions=tuple(listed),
        passed_over=tuple(passed_over),
        read_for=platform.python,
    )


def _marker(table: Table, key: str) -> str:
    """A marker as written.

    Raises:
        RequestError: it is none.
    """
    text = table.text(key, "")
    try:
        return str(Marker(text)) if text else ""
    except InvalidMarker as error:
        raise table.error(f"{text!r} is no marker", key=key, hint=str(error).splitlines()[0]) from None
