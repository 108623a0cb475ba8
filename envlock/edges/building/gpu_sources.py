"""Whether a source archive has code for GPUs."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from envlock.edges.archive_damage import damage_told_by

_SUFFIXES = frozenset({".cu", ".hip"})
_OTHERS = frozenset({"test", "tests", "example", "examples", "benchmark", "benchmarks", "third_party"})
"""Folders whose code is not compiled into the distribution, or need not be."""


def has_gpu_sources(sdist: Path) -> bool:
    """Whether an archive has files that only a GPU's compiler takes: nvcc or hipcc.

    Raises:
        OSError, DamagedError: it cannot be read.
    """
    with damage_told_by():
        if sdist.suffix == ".zip":
            with zipfile.ZipFile(sdist) as archive:
                names = archive.namelist()
        else:
            with tarfile.open(sdist) as opened:
                names = opened.getnames()
    paths = map(PurePosixPath, names)
    return any(path.suffix in _SUFFIXES and _OTHERS.isdisjoint(path.parts) for path in paths)
