"""This process's native stacks, where a hang usually is: in MPI, NCCL or a driver.

The tools examine a process from outside and may stop it meanwhile, so their output goes to a file and not
through a pipe that this process would have to empty.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
from typing import IO, List, Sequence

_PR_SET_PTRACER = 0x59616D61
_ANYONE = ctypes.c_ulong(-1)
_TAIL = 20000
LIMIT_S = 20
_PATIENCE_S = 10
"""How long after its limit this process itself gives up a tool."""


def look(tools: Sequence[List[str]]) -> str:
    """Return the output of the first tool that is installed and works, or why none does.

    Args:
        tools: commands to which the process id is appended.
    """
    _let_others_look()
    refused = []
    for tool in tools:
        if shutil.which(tool[0]) is None:
            continue
        with tempfile.TemporaryFile() as said:
            status = _run([*_limit(), *tool, str(os.getpid())], said)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
        if status == 0 and "Thread" in text:
            return text[-_TAIL:]
        late = "took longer than %d s" % LIMIT_S
        refused.append("%s: %s" % (tool[0], late if status == -signal.SIGKILL else text.strip()[-400:]))
    return "; ".join(refused) or "none of %s is here" % ", ".join(tool[0] for tool in tools)


def _limit() -> List[str]:
    """Return what kills a tool that hangs: this process cannot while all its threads are stopped."""
    timeout = shutil.which("timeout")
    return [timeout, "-s", "KILL", str(LIMIT_S)] if timeout else []


def _run(command: List[str], said: IO[bytes]) -> int:
    """Run a command; return its status, negative for a signal that ended it."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
    try:
        process.wait(LIMIT_S + _PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return process.returncode


def _let_others_look() -> None:
    """Let a process started by this one trace it, even if the kernel only allows parents to (Yama)."""
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PTRACER, _ANYONE, 0, 0, 0)
