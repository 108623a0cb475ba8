"""Files of an index that local places have too, so that nobody downloads them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envlock.edges.index.listing import Row
from envlock.edges.index.local_path import local_path
from envlock.edges.index.sources import Source
from envlock.model.published.catalogue import DistFile


def copies_of(file: DistFile, distribution: str, places: Sequence[Source]) -> tuple[Path, ...]:
    """Where local places have a file of the same name and hash.

    Args:
        file: one of an index; there are no copies of a file without a hash, nor of one that is local.
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
