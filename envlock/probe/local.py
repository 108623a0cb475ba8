"""Plain processes on this host, for environments without MPI: rank and size in the generic variables."""

import os
import signal
import subprocess
import sys
import threading
import time
from typing import List, NamedTuple

from .placement import launcher_variables

_GRACE = 5.0
"""Seconds that the other ranks get to report by themselves after one has failed."""


Share = NamedTuple("Share", [("ranks", int), ("first", int), ("size", int), ("tethered", bool)])
"""This host's ranks: how many, the first one's number, the world size, whether to end with stdin."""


def run_local(share: Share, arguments: List[str]) -> int:
    """Start this probe once for each rank; return the first exit status that is not 0.

    Another launcher's variables for this process are removed, as they are not true of the ranks started here.
    When this process is terminated, so are they.
    """
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    strange = set(launcher_variables())
    base = {name: value for name, value in os.environ.items() if name not in strange}
    command = [sys.executable, os.path.abspath(sys.argv[0])] + arguments
    children: List["subprocess.Popen[bytes]"] = []
    try:
        for local_rank in range(share.ranks):
            rank = share.first + local_rank
            place = {"RANK": str(rank), "LOCAL_RANK": str(local_rank), "WORLD_SIZE": str(share.size)}
            child = subprocess.Popen(command, env=dict(base, **place), stdin=subprocess.DEVNULL)
            children.append(child)
        if share.tethered:
            threading.Thread(target=_end_with_stdin, args=(children,), daemon=True).start()
        return wait_for_all(children)
    except BaseException:
        _kill(children)
        raise


def wait_for_all(children: "List[subprocess.Popen[bytes]]") -> int:
    """Wait for processes; once one fails, the others get a moment to finish.

    Return the exit status of one that failed, rather than of those then killed; for a signal, its number.
    """
    failed = 0
    # Poll every process, in a list: otherwise it would not be known which of them failed.
    while not failed and None in [child.poll() for child in children]:
        failed = next((child.returncode for child in children if child.returncode), 0)
        time.sleep(0.05)
    _end(children, time.monotonic() + _GRACE)
    return abs(failed) or next((abs(child.returncode) for child in children if child.returncode), 0)


def _end_with_stdin(children: "List[subprocess.Popen[bytes]]") -> None:
    """Kill the ranks when their starter is gone: a broken ssh connection leaves its processes behind."""
    while os.read(0, 1):  # not sys.stdin: a thread inside it at interpreter shutdown is fatal
        pass
    _kill(children)


def _kill(children: "List[subprocess.Popen[bytes]]") -> None:
    for child in children:
        child.kill()


def _end(children: List["subprocess.Popen[bytes]"], deadline: float) -> None:
    for child in children:
        try:
            child.wait(timeout=max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
