"""Native stacks of hanging ranks, where the hang usually is: in MPI, NCCL or a driver.

py-spy (the extra ``stacks``) interleaves Python frames with native ones; gdb, if a machine has it, shows only
native ones. Both look from outside and need permission to trace the process.
"""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from envlock.edges.subprocesses import run
from envlock.model.errors import SurroundingsError

_MOST_RANKS = 4
_TIMEOUT_S = 20.0
_TAIL = 20000
NO_TOOL = "neither py-spy (pip install 'envlock[stacks]') nor gdb is here"


def native_stacks(pids: Iterable[int]) -> dict[str, str]:
    """Map ``host-pid native`` to the native stacks of ranks on this host, or to why there are none.

    Args:
        pids: ranks on this host, of which only the first few are looked at.
    """
    here = socket.gethostname()
    return {f"{here}-{pid} native": _stacks_of(pid) for pid in islice(pids, _MOST_RANKS)}


def _stacks_of(pid: int) -> str:
    refused = []
    for tool in stack_tools():
        command = (*tool, str(pid))
        try:
            done = run(command, timeout_s=_TIMEOUT_S)
        except SurroundingsError as error:
            refused.append(f"{command[0]}: {error.message}")
            continue
        if done.status == 0 and "Thread" in done.stdout:
            return done.stdout[-_TAIL:]
        refused.append(f"{command[0]}: {(done.stderr or done.stdout).strip()[-400:]}")
    return "; ".join(refused) or NO_TOOL


def stack_tools() -> tuple[tuple[str, ...], ...]:
    """Return the commands available here that show the stacks of the process whose pid is appended."""
    beside = Path(sys.executable).with_name("py-spy")
    py_spy = str(beside) if beside.is_file() else shutil.which("py-spy")
    gdb = shutil.which("gdb")
    return (
        *([(py_spy, "dump", "--native", "--nonblocking", "--pid")] if py_spy else []),
        *([(gdb, "-batch", "-nx", "-ex", "thread apply all bt 40", "-p")] if gdb else []),
    )
