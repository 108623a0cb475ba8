"""Measure the cache, and remove from it what nobody has used lately."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from envlock.edges.cache import FORMAT
from envlock.model.frozen import dataclass

_OFFERED = "offered"
"""Links to downloads, in the form that uv is given: they are useless without the downloads."""
_FORMATS = re.compile(r"v\d+")
"""Folders of this format and others; whatever else lies beside them is not ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePart:
    """Files of one kind in the cache.

    Attributes:
        kind: ``downloads`` (wheels and sdists), ``pages`` of indexes, ``extracts`` (what was read from files
            and about this machine), or ``outdated``: left by versions of envlock with another format.
        files: how many there are.
        size: their total length in bytes.
        unused_files: how many of them were neither read nor written since the given time.
        unused_size: the total length of those, in bytes.
    """

    kind: str
    files: int
    size: int
    unused_files: int
    unused_size: int


def cache_parts(folder: Path, *, unused_since: float) -> tuple[CachePart, ...]:
    """Return what is in a cache, by kind; kinds without files are left out.

    Args:
        folder: the cache, as named by ``default_root``; it need not exist.
        unused_since: seconds since the epoch; a file is unused if it was last written before then, and last
            read, too, as far as the file system records that.
    """
    found: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for form in _forms(folder):
        for path, status in _files(form):
            found[_kind(form, path)].append((status.st_size, _last_use(status) < unused_since))
    return tuple(
        CachePart(
            kind=kind,
            files=len(found[kind]),
            size=sum(size for size, _ in found[kind]),
            unused_files=sum(unused for _, unused in found[kind]),
            unused_size=sum(size for size, unused in found[kind] if unused),
        )
        for kind in ("downloads", "pages", "extracts", "outdated")
        if kind in found
    )


def prune_cache(folder: Path, *, unused_since: float) -> None:
    """Remove what ``cache_parts`` calls unused.

    Another command that reads such a file meanwhile has it open, or fetches it again: a cache without its
    files is slow, never wrong.
    """
    for form in _forms(folder):
        for path, status in _files(form):
            if _last_use(status) < unused_since:
                with suppress(OSError):  # gone already, or not ours to remove
                    path.unlink()
    for link in (folder / _OFFERED).glob("*/*"):
        if not link.exists():
            with suppress(OSError):
                link.unlink()
    for top in (*_forms(folder), folder / _OFFERED):
        for place, _, _ in os.walk(top, topdown=False):
            with suppress(OSError):  # it is not empty
                Path(place).rmdir()


def _forms(folder: Path) -> list[Path]:
    return sorted(place for place in folder.glob("v*") if _FORMATS.fullmatch(place.name) and place.is_dir())


def _kind(form: Path, path: Path) -> str:
    if form.name != FORMAT:
        return "outdated"
    kind = path.relative_to(form).parts[0]
    if kind == "files":
        return "downloads"
    return "pages" if kind.startswith("pages-") else "extracts"


def _last_use(status: os.stat_result) -> float:
    return max(status.st_atime, status.st_mtime)


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield every file; those that vanish meanwhile are skipped."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            with suppress(OSError):
                yield path, path.lstat()
