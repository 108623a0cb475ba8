"""Plain processes on this host, for environments without MPI: rank and size in the generic variables."""

import os
import subprocess
import sys
import time
from typing import List

from .placement import launcher_variables

_GRACE = 5.0
"""Seconds that the others get after one rank failed, to report by themselves."""


def run_local(ranks: int, arguments: List[str]) -> int:
    """Start this probe once for each rank; the first exit status that is not 0.

    What another launcher told about this process is taken away: it is not true of the ranks started here.
    """
    strange = set(launcher_variables())
    base = {name: value for name, value in os.environ.items() if name not in strange}
    command = [sys.executable, os.path.abspath(sys.argv[0])] + arguments
    children = []
    for rank in range(ranks):
        place = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks)}
        children.append(subprocess.Popen(command, env=dict(base, **place)))
    failed = 0
    while not failed and any(child.poll() is None for child in children):
        failed = next((child.returncode for child in children if child.returncode), 0)
        time.sleep(0.05)
    _end(children, time.monotonic() + _GRACE)
    return next((abs(child.returncode) for child in children if child.returncode), 0)


def _end(children: List["subprocess.Popen[bytes]"], deadline: float) -> None:
    for child in children:
        try:
            child.wait(timeout=max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
