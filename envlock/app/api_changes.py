"""Comparing the public interfaces of distributions that moved, once for each pair of files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from envlock.edges.api.bounded import Comparisons, Pair
from envlock.edges.cache import Cache
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.lifecycle.weight import Summaries
from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.progress import Progress
from envlock.model.published.api import Api, ApiState
from envlock.model.published.catalogue import DistFile

_LIMIT_S = 60.0
"""Seconds for one distribution; the largest packages take about half of it."""
_LARGEST = 100_000_000
"""Bytes of the largest file that is downloaded only to be looked at."""
_DOWNLOADS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedFiles:
    """The two files of a distribution whose version moved."""

    component: str
    old: DistFile
    new: DistFile


def compare_apis(
    moved: Iterable[MovedFiles],
    summaries: Summaries,
    catalogue: IndexCatalogue,
    cache: Cache,
    progress: Progress,
) -> Mapping[str, Api]:
    """Map each component to the comparison of its interfaces, or to why they could not be compared.

    Args:
        moved: the distributions.
        summaries: the files' sizes, since some are too large to fetch for this alone.
        catalogue: serves the files.
        cache: keeps comparisons.
        progress: shows which distribution is being compared.
    """
    comparisons = Comparisons(cache, limit_s=_LIMIT_S, at_once=min(4, os.cpu_count() or 1))
    found: dict[str, Api] = {}
    missing = []
    for files in moved:
        kept = (
            comparisons.kept(files.old.sha256, files.new.sha256)
            if files.old.sha256 and files.new.sha256
            else None
        )
        if kept is not None:
            found[files.component] = kept
        elif _heaviest(files, summaries) > _LARGEST:
            found[files.component] = Api(state=ApiState.TOO_LARGE)
        else:
            missing.append(files)
    if missing:
        pairs = _fetched(missing, catalogue, progress)
        found |= {files.component: Api.unknown() for files in missing}
        with progress.task(f"comparing {len(pairs)} interfaces", total=len(pairs)) as task:
            for component, api in comparisons.compare(pairs):
                task.note(component)
                task.advance()
                found[component] = api
    return dict(sorted(found.items()))


def _heaviest(files: MovedFiles, summaries: Summaries) -> int:
    return max(
        summaries[file.sha256].download if file.sha256 in summaries else file.size
        for file in (files.old, files.new)
    )


def _fetched(moved: list[MovedFiles], catalogue: IndexCatalogue, progress: Progress) -> list[Pair]:
    """Return the pairs of which both files could be fetched."""
    with (
        progress.task(f"fetching {2 * len(moved)} files to compare", total=len(moved)) as task,
        ThreadPoolExecutor(_DOWNLOADS) as pool,
    ):
        found = []
        for pair in pool.map(lambda files: _pair(files, catalogue), moved):
            task.advance()
            if pair is not None:
                found.append(pair)
        return found


def _pair(files: MovedFiles, catalogue: IndexCatalogue) -> Pair | None:
    try:
        old, new = (catalogue.local_file(file) for file in (files.old, files.new))
    except SurroundingsError:
        return None
    return Pair(
        component=files.component, old=old, new=new, old_sha256=files.old.sha256, new_sha256=files.new.sha256
    )
