"""Files of an index that local places have too, so that they need not be downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envlock.edges.index.listing import Row
from envlock.edges.index.local_path import local_path
from envlock.edges.index.sources import Source
from envlock.model.published.catalogue import DistFile


def copies_of(file: DistFile, distribution: str, places: Sequence[Source]) -> tuple[Path, ...]:
    """Return the local paths of files with the same name and hash.

    Args:
        file: a file of an index; one that is local or has no hash has no copies.
        distribution: its canonical name.
        places: the local ones.
    """
    if not file.sha256 or local_path(file.url) is not None:
        return ()
    listed = (place.groups(distribution) for place in places)
    rows = (Row._make(row) for groups in listed for one in range(len(groups)) for row in groups.rows(one))
    found = (
        local_path(row.url) for row in rows if row.filename == file.filename and row.sha256 == file.sha256
    )
    return tuple(path for path in found if path is not None)
