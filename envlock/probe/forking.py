"""Processes forked after MPI has started, as data loaders do (P12; horovod#2898, where the child crashed)."""

import importlib
import multiprocessing
import os
import signal
import sys
import time
from typing import Any, Dict

from .errors import described

_DEADLINE_S = 20.0
_WITH_IMPORTS_S = 90.0
"""The deadline of a worker that is no copy of this process and imports PyTorch first, the default in 3.14."""
_ITEMS = 8


def try_workers() -> Dict[str, Any]:
    """Return ``what`` was tried and the ``problem``, empty if all went well.

    A plain child computes and exits; then PyTorch, if it was imported, loads data through a worker process.
    """
    problem = _plain_child()
    what = "a forked child"
    if not problem and "torch" in sys.modules:
        what = "a forked child and a DataLoader's worker"
        try:
            utils: Any = importlib.import_module("torch.utils.data")
            copied = multiprocessing.get_start_method() == "fork"
            limit = _DEADLINE_S if copied else _WITH_IMPORTS_S
            loader = utils.DataLoader(list(range(_ITEMS)), batch_size=2, num_workers=1, timeout=limit)
            total = sum(int(batch.sum()) for batch in loader)
            if total != sum(range(_ITEMS)):
                problem = "a DataLoader's worker gave %d instead of %d" % (total, sum(range(_ITEMS)))
        except Exception as error:
            problem = "a DataLoader's worker: %s" % described(error)
    return {"what": what, "problem": problem}


def _plain_child() -> str:
    try:
        child = os.fork()
    except OSError as error:  # such as at a limit of processes (ulimit -u, pids.max)
        return "no child can be forked: %s" % error.strerror
    if child == 0:
        os._exit(0 if sum(range(_ITEMS)) == _ITEMS * (_ITEMS - 1) // 2 else 1)
    try:
        return _ending(child)
    except ChildProcessError:  # it has ended, and whoever ignores SIGCHLD is not told how (wait(2))
        return ""


def _ending(child: int) -> str:
    deadline = time.monotonic() + _DEADLINE_S
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            if os.WIFSIGNALED(status):
                return "a forked child died of %s" % signal.Signals(os.WTERMSIG(status)).name
            return "" if status == 0 else "a forked child ended with status %d" % os.WEXITSTATUS(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "a forked child did not end in %g s" % _DEADLINE_S
