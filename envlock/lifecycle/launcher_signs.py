"""Known signs in what a launcher prints, and what each means."""

from __future__ import annotations

_SIGNS = (
    (
        'direct launched using "srun"',
        (
            "srun started an Open MPI that was not built for its PMI: use mpirun inside the allocation, "
            "or srun with a --mpi plug-in that this Open MPI knows"
        ),
    ),
    ("not enough slots", "the allocation has fewer slots than ranks were asked for"),
    (
        "orted: command not found",
        "Open MPI's daemon is not on PATH on another host: load the same modules there",
    ),
    ("Host key verification failed", "ssh between the hosts does not work without questions"),
    ("error while loading shared libraries", "a library of the launcher is not on the library path"),
    ("has detected an attempt to run as root", "Open MPI refuses to run as root unless told so"),
)
"""Text -> meaning; the first four are in Open MPI's help texts and Horovod's docs/troubleshooting.rst."""


def meaning(output: str) -> str:
    """What the first known sign in a launcher's output means; empty if there is none."""
    return next((told for sign, told in _SIGNS if sign in output), "")
