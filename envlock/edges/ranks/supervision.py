"""Run a launcher under supervision: whatever happens to the ranks, there is a result by the deadline."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from envlock.edges.parent_death import dying_with_parent
from envlock.edges.ranks.heartbeats import Watch, native, running_here, signal_ranks
from envlock.edges.ranks.native_stacks import native_stacks
from envlock.model.proving.probing import Ending, Supervision

_PAUSE_S, _PAUSE_PER_RANK_S = 0.2, 0.0005
_STACKS_S = 3.0
_LOOKING_S = 20.0
"""How many seconds to wait for ranks elsewhere that have begun to collect their native stacks."""
_GRACE_S = 5.0
_TAIL_BYTES = 8000


def supervise(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    deadline_s: float,
    phase_deadline_s: float,
    out_dir: Path,
    ranks: int,
) -> Supervision:
    """Start a launcher, watch its ranks' heartbeats, and end everything at a deadline.

    Args:
        command: the launcher with the probe's ``rank`` command.
        environment: all variables of the launcher.
        deadline_s: seconds for the whole run.
        phase_deadline_s: seconds that a rank may stay in one phase, or take to appear.
        out_dir: an empty directory that every rank sees; heartbeats, stacks and output go there.
        ranks: how many ranks are expected.
    """
    log = out_dir / "launcher.log"
    begin = time.monotonic()
    watch = Watch(out_dir, ranks)
    try:
        with log.open("wb") as sink:
            launcher = subprocess.Popen(
                list(command),
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=dying_with_parent(signal.SIGTERM),  # noqa: PLW1509 - one system call, no locks
            )
    except OSError as error:
        return _result(command, Ending.NOT_STARTED, None, begin, watch, {}, str(error))
    try:
        ending = _wait(launcher, watch, begin + deadline_s, phase_deadline_s)
        seen = {} if ending is Ending.EXITED else _collect_stacks(watch, out_dir)
    finally:
        status = launcher.poll()
        _end(launcher, watch, out_dir)
    watch.look()
    return _result(command, ending, status, begin, watch, seen, _tail(log))


def _wait(launcher: subprocess.Popen[bytes], watch: Watch, deadline: float, phase_s: float) -> Ending:
    while launcher.poll() is None:
        time.sleep(max(_PAUSE_S, watch.expected * _PAUSE_PER_RANK_S))
        watch.look()
        if time.monotonic() > deadline:
            return Ending.OVERALL_DEADLINE
        if watch.longest_phase_s() > phase_s:
            return Ending.PHASE_DEADLINE
    return Ending.EXITED


def _collect_stacks(watch: Watch, out_dir: Path) -> dict[str, str]:
    """Return the stacks that ranks report; inspect those on this host that report no native ones."""
    documents, stacks = watch.logs.documents, watch.logs.stacks
    here = {f"{socket.gethostname()}-{pid}": pid for pid in running_here(documents, out_dir)}
    before = {name: len(stacks.get(name, "")) for name in here}
    signal_ranks(documents, out_dir, signal.SIGUSR1)
    begin = time.monotonic()
    while (waited := time.monotonic() - begin) < _LOOKING_S:
        here_missing = waited < _STACKS_S and any(len(stacks.get(name, "")) == before[name] for name in here)
        if not here_missing and not watch.logs.looking() - set(here):
            break
        time.sleep(_PAUSE_S)
        watch.look()
    untold = [pid for name, pid in here.items() if not stacks.get(native(name))]
    return stacks | native_stacks(untold)


def _end(launcher: subprocess.Popen[bytes], watch: Watch, out_dir: Path) -> None:
    """End launcher and ranks: first with SIGTERM, so that it can clean up on other hosts, then with SIGKILL.

    Launchers put ranks into process groups of their own, so those on this host are killed one by one.
    """
    if launcher.poll() is None:
        _signal_group(launcher.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            launcher.wait(timeout=_GRACE_S)
    _signal_group(launcher.pid, signal.SIGKILL)
    watch.look()
    signal_ranks(watch.logs.documents, out_dir, signal.SIGKILL)
    launcher.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def _result(
    command: Sequence[str],
    ending: Ending,
    status: int | None,
    begin: float,
    watch: Watch,
    seen: Mapping[str, str],
    output: str,
) -> Supervision:
    return Supervision(
        command=tuple(command),
        ending=ending,
        status=status if ending is Ending.EXITED else None,
        seconds=round(time.monotonic() - begin, 3),
        expected=watch.expected,
        reported=watch.reported,
        unfinished=watch.unfinished(),
        stacks=dict(seen),
        output=output,
    )


def _tail(log: Path) -> str:
    with log.open("rb") as written:
        written.seek(max(0, written.seek(0, os.SEEK_END) - _TAIL_BYTES))
        return written.read().decode("utf-8", "replace")
