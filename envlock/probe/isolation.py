"""One check in its own process with a deadline: a crash, hang or exit becomes a result with a name."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, Optional

from . import documents
from .room import without_room

_TAIL = 4000
_READ = 1 << 16
_FATAL = "Fatal Python error: "
_EXTENSIONS = "Extension modules: "
"""How faulthandler begins what it writes of a crash, and the line of hundreds of names that ends it."""
_LONGEST_WORDS = 300
_ROOM = 1 << 16
"""Bytes for which there must be room where a check's report and output go."""
_SHARING = {"TF_FORCE_GPU_ALLOW_GROWTH": "true", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
"""Keeps frameworks that take turns on one GPU from preallocating all of its memory (TensorFlow's guide "Use a
GPU", JAX's "GPU memory allocation"). What the user has set takes precedence."""


class Ended:
    """How an isolated check ended.

    Attributes:
        how: ``finished``, ``exit`` (before its end), ``signal`` or ``deadline``.
        what: the exit status, the signal's name or the deadline, for users.
        lines: what it reported on the way, in order.
        output: the end of what it printed, with the interpreter's stacks after a crash.
        seconds: how long it took.
        why: the reason for an end before the end, as far as it is known: no room for its files, or the last
            line that it printed; empty for none.
    """

    def __init__(
        self,
        how: str,
        what: str,
        lines: List[Dict[str, Any]],
        output: str,
        seconds: float,
        no_room: str = "",
    ) -> None:
        self.why = no_room or (_last_words(output) if how in ("exit", "signal") else "")
        self.how = how
        self.what = what
        self.lines = lines
        self.output = output
        self.seconds = seconds

    @property
    def outcome(self) -> str:
        """The outcome to report for a check that did not finish."""
        return "timed-out" if self.how == "deadline" else "crashed"


def run_isolated(
    check: str, plan_path: str, deadline: float, given: Optional[Dict[str, Any]] = None
) -> Ended:
    """Run ``probe check CHECK`` with this interpreter and collect what it reports line by line.

    Args:
        check: its name in ``checks.py``.
        plan_path: the plan's file.
        deadline: seconds.
        given: what it needs to know besides the plan.
    """
    with tempfile.TemporaryDirectory(prefix="probe-") as folder:
        report = os.path.join(folder, "report")
        output = os.path.join(folder, "output")
        known = os.path.join(folder, "given")
        documents.write(known, given or {})
        command = [sys.executable, "-X", "faulthandler", os.path.abspath(sys.argv[0]), "check", check]
        command += ["--plan", plan_path, "--given", known, "--report", report, "--deadline", str(deadline)]
        begin = time.monotonic()
        with open(output, "wb") as sink:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
                env=dict(_SHARING, **os.environ),
            )
            status = _wait(child, deadline)
        seconds = time.monotonic() - begin
        lines = _read_lines(report)
        how, what = _ending(status, lines, deadline)
        no_room = "" if how == "finished" else without_room(folder, _ROOM)
        return Ended(how, what, lines, _tail(output), seconds, no_room)


def _wait(child: "subprocess.Popen[bytes]", deadline: float) -> Any:
    """Return the exit status, ``None`` at the deadline; whatever the check started is killed as well."""
    try:
        status = child.wait(timeout=deadline)
    except subprocess.TimeoutExpired:
        status = None
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    return status


def _ending(status: Any, lines: List[Dict[str, Any]], deadline: float) -> Any:
    if status is None:
        return "deadline", "%g s" % deadline
    if status < 0:
        return "signal", _signal_name(-status)
    if status > 0 or not (lines and lines[-1].get("finished")):
        return "exit", "exit status %d" % status
    return "finished", ""


def _last_words(output: str) -> str:
    """Return the last line that was printed before faulthandler's stacks, or at the end."""
    lines = [line.strip() for line in output.partition(_FATAL)[0].splitlines() if line.strip()]
    return lines[-1][:_LONGEST_WORDS] if lines else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "signal %d" % number


def _read_lines(path: str) -> List[Dict[str, Any]]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as stream:
        return [json.loads(line) for line in stream if line.endswith("\n")]


def _tail(path: str) -> str:
    with open(path, "rb") as stream:
        stream.seek(max(0, os.path.getsize(path) - _READ))
        lines = stream.read().decode("utf-8", "replace").splitlines(True)
    return "".join(line for line in lines if not line.startswith(_EXTENSIONS))[-_TAIL:]


class Reporter:
    """The child process's side: one line per event, on disk before the next one begins."""

    def __init__(self, path: str) -> None:
        self._stream = open(path, "a", encoding="utf-8")  # noqa: SIM115 - open as long as the process lives

    def __call__(self, **line: Any) -> None:
        """Report one line."""
        self._stream.write(json.dumps(line, sort_keys=True) + "\n")
        self._stream.flush()
