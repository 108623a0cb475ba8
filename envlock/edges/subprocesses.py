"""The one door to other programs: short ones whose output is wanted, and long ones that are logged."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from envlock.edges.log_files import appended
from envlock.edges.parent_death import dying_with_parent
from envlock.edges.program_errors import KEPT_LINES, ended_badly, last_lines, not_started, stopped_late
from envlock.edges.program_output import drain, printed
from envlock.model.frozen import dataclass

_GRACE_S = 5.0
_LOOK_S = 0.2
_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A program that has ended by itself.

    Attributes:
        written: what it wrote to standard output, as bytes.
        stderr: what it wrote to standard error, as text.
        status: its exit status, negative for the signal that ended it.
        seconds: how long it ran.
    """

    written: bytes
    stderr: str
    status: int
    seconds: float

    @property
    def stdout(self) -> str:
        """What it wrote to standard output, as text."""
        return _text(self.written)


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout_s: float,
    stdin: str | None = None,
    dies_with_us: bool = False,
) -> Finished:
    """Run a short program and return its output; any exit status is an answer.

    Args:
        command: the program and its arguments; no shell is involved.
        env: its whole environment; ours if none is given.
        cwd: the folder it starts in.
        timeout_s: seconds after which it and all its children are killed.
        stdin: what it reads; nothing if not given.
        dies_with_us: whether it is killed when we are; for programs that write to our places.

    Raises:
        SurroundingsError: ``tool-missing``, ``tool-not-runnable`` or ``tool-timeout``.
    """
    start = time.monotonic()
    with (
        _start(
            command,
            env=env,
            cwd=cwd,
            stderr=subprocess.PIPE,
            piped_stdin=stdin is not None,
            dies_with_us=dies_with_us,
        ) as process,
        _stoppable(process, start + timeout_s),
    ):
        try:
            written, stderr = process.communicate(
                None if stdin is None else stdin.encode(), timeout=timeout_s
            )
        except subprocess.TimeoutExpired:
            _kill_tree(process)
            # A daemon in a session of its own may hold the output open.
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=_GRACE_S)
            raise stopped_late(command, timeout_s) from None
        except BaseException:
            _kill_tree(process)
            raise
    seconds = time.monotonic() - start
    return Finished(written=written, stderr=_text(stderr), status=process.returncode, seconds=seconds)


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def stopped_by(event: threading.Event) -> Iterator[None]:
    """End the programs that this thread starts in the block once the event is set.

    Only the main thread gets an interruption; with this it stops the programs of other threads.
    """
    token = _stop.set(event)
    try:
        yield
    finally:
        _stop.reset(token)


def run_logged(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    log: Path,
    on_line: Callable[[str], None] | None = None,
    timeout_s: float,
) -> None:
    """Run a long program; its output goes to a log file as it comes, and line by line to ``on_line``.

    A build may print gigabytes: only the last lines are kept in memory, and very long ones come in parts.

    Args:
        command: the program and its arguments; no shell is involved.
        env: its whole environment; ours if none is given.
        cwd: the folder it starts in.
        log: the file to append to, line by line.
        on_line: called with each line, from the calling thread.
        timeout_s: seconds after which it and all its children are killed.

    Raises:
        SurroundingsError: ``tool-failed`` (``why`` holds the last lines, ``where`` the log), ``disk-full``,
            ``not-writable``, ``tool-missing``, ``tool-not-runnable`` or ``tool-timeout``.
    """
    start = time.monotonic()
    ending: deque[str] = deque(maxlen=KEPT_LINES)
    with (
        appended(log) as append,
        _start(command, env=env, cwd=cwd, stderr=subprocess.STDOUT, dies_with_us=True) as process,
    ):
        ended, expired = threading.Event(), threading.Event()
        watch = (process, ended, expired, start + timeout_s, _stop.get())
        threading.Thread(target=_watch, args=watch, daemon=True).start()
        try:
            append(f"$ {' '.join(' '.join(command).splitlines())}\n")
            assert process.stdout is not None  # noqa: S101 - piped
            output, has_ended = process.stdout.fileno(), lambda: process.poll() is not None
            for line in printed(output, has_ended, grace_s=_GRACE_S):
                append(line)
                said = line.rstrip()
                if said:
                    ending.append(said)
                if on_line is not None:
                    on_line(said)
            process.wait()
        except BaseException:
            _kill_tree(process)
            raise
        finally:
            ended.set()
    if expired.is_set():
        raise stopped_late(command, timeout_s, where=str(log), why="\n".join(ending))
    if process.returncode != 0:
        raise ended_badly(command, process.returncode, log=log, why="\n".join(ending))


@contextmanager
def kept_open(
    command: Sequence[str], *, env: Mapping[str, str], until: str, on_line: Callable[[str], None]
) -> Iterator[list[str]]:
    """Keep a program running during the block; it ends when its standard input closes, however we end.

    Args:
        command: the program and its arguments; no shell is involved.
        env: its whole environment.
        until: the output line after which the block begins.
        on_line: called with each line before that.

    Yields:
        the lines before that one.

    Raises:
        SurroundingsError: ``tool-failed`` (it ended before that line; ``why`` holds its last lines),
            ``tool-missing`` or ``tool-not-runnable``.
    """
    lines: list[str] = []
    with _start(command, env=env, cwd=None, stderr=subprocess.STDOUT, piped_stdin=True) as process:
        try:
            assert process.stdout is not None  # noqa: S101 - piped
            output = io.TextIOWrapper(process.stdout, "utf-8", "replace")
            for line in map(str.rstrip, output):
                if line == until:
                    break
                lines.append(line)
                on_line(line)
            else:
                raise ended_badly(command, process.wait(), why="\n".join(last_lines(lines)))
            threading.Thread(target=drain, args=(os.dup(output.fileno()),), daemon=True).start()
            yield lines
        finally:
            if process.stdin:
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_GRACE_S)
            _kill_tree(process)


def _start(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None,
    cwd: Path | None,
    stderr: int,
    piped_stdin: bool = False,
    dies_with_us: bool = False,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(command),
            env=dict(env) if env is not None else None,
            cwd=cwd,
            stdin=subprocess.PIPE if piped_stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=dying_with_parent() if dies_with_us else None,  # noqa: PLW1509 - one system call, no locks
        )
    except OSError as error:
        raise not_started(command, env, cwd, error) from error


@contextmanager
def _stoppable(process: subprocess.Popen[bytes], deadline: float) -> Iterator[None]:
    """End a short program during the block once the event is set that stops this thread's, if one does."""
    stop, ended = _stop.get(), threading.Event()
    if stop is not None:
        watch = (process, ended, threading.Event(), deadline, stop)
        threading.Thread(target=_watch, args=watch, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _watch(
    process: subprocess.Popen[bytes],
    ended: threading.Event,
    expired: threading.Event,
    deadline: float,
    stop: threading.Event | None,
) -> None:
    """End a program at its deadline, or when ``stop`` is set."""
    while not ended.wait(deadline - time.monotonic() if stop is None else _LOOK_S):
        if time.monotonic() >= deadline:
            expired.set()
        if expired.is_set() or (stop is not None and stop.is_set()):
            _kill_tree(process)
            return


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """End a program and its children, which share its session; first with SIGTERM, then with SIGKILL."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, kind)
        except ProcessLookupError:
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE_S)
