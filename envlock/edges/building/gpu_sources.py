"""Whether a source archive has code for GPUs."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from envlock.edges.archive_damage import damage_raised_as
from envlock.edges.archive_members import member_names

_SUFFIXES = frozenset({".cu", ".hip"})
_OTHERS = frozenset(
    {"test", "tests", "example", "examples", "benchmark", "benchmarks", "vendored", "thirdparty", "party"}
)
"""Words in the names of folders whose code is not compiled into the distribution, or need not be.

NumPy's sdists bring Meson along, in ``vendored-meson``, with its ``test cases`` for CUDA.
"""


def has_gpu_sources(sdist: Path) -> bool:
    """Whether an archive has files that only a GPU's compiler takes: nvcc or hipcc.

    Raises:
        OSError, DamagedError: it cannot be read.
    """
    with damage_raised_as():
        paths = map(PurePosixPath, member_names(sdist))
    return any(path.suffix in _SUFFIXES and not _is_of_others(path) for path in paths)


def _is_of_others(path: PurePosixPath) -> bool:
    """Whether one of the folders inside the archive's own says that what it holds is something else."""
    return any(not _OTHERS.isdisjoint(re.findall("[a-z]+", part.lower())) for part in path.parts[1:-1])
