"""The files that ranks of the probe leave in their shared directory, read from outside."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from envlock.model.probing import Unfinished


class Watch:
    """Follows heartbeats by this process's own clock, since the clocks of other hosts may differ."""

    def __init__(self, out_dir: Path, expected: int) -> None:
        self.expected = expected
        self._out_dir = out_dir
        self._begin = time.monotonic()
        self._seen: dict[str, tuple[int, float]] = {}
        self._documents: dict[str, Mapping[str, object]] = {}

    @property
    def reported(self) -> int:
        """How many ranks wrote at least one heartbeat."""
        return len(self._documents)

    def look(self) -> None:
        """Read every heartbeat and note which ones moved on."""
        now = time.monotonic()
        for name, document in read_heartbeats(self._out_dir).items():
            step = _whole(document, "step")
            if name not in self._seen or self._seen[name][0] != step:
                self._seen[name] = (step, now)
            self._documents[name] = document

    def longest_phase_s(self) -> float:
        """The longest time that any rank has been in its phase, or has let itself be waited for."""
        now = time.monotonic()
        waits = [
            now - since for name, (_, since) in self._seen.items() if not self._documents[name].get("done")
        ]
        if self.reported < self.expected:
            waits.append(now - self._begin)
        return max(waits, default=0.0)

    def unfinished(self) -> tuple[Unfinished, ...]:
        """Ranks that began and did not end, those that fell behind first."""
        now = time.monotonic()
        found = [
            Unfinished(
                rank=_rank(document),
                host=str(document.get("host", "")),
                pid=_whole(document, "pid"),
                phase=str(document.get("phase", "")),
                step=_whole(document, "step"),
                seconds=round(now - self._seen[name][1], 3),
            )
            for name, document in self._documents.items()
            if not document.get("done")
        ]
        return tuple(sorted(found, key=lambda one: (one.step, -1 if one.rank is None else one.rank)))


def read_heartbeats(out_dir: Path) -> dict[str, Mapping[str, object]]:
    """File name -> document, for every rank that has written one."""
    found: dict[str, Mapping[str, object]] = {}
    for path in sorted(out_dir.glob("rank-*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict):
            found[path.name] = document
    return found


def stacks(out_dir: Path) -> dict[str, str]:
    """``host-pid`` -> what each rank wrote of its stacks."""
    texts = {
        path.stem.removeprefix("stacks-"): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(out_dir.glob("stacks-*.txt"))
    }
    return {name: text for name, text in texts.items() if text}


def signal_ranks(out_dir: Path, number: signal.Signals) -> None:
    """Send a signal to every rank that still runs on this host."""
    for pid in _running_here(out_dir):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def _running_here(out_dir: Path) -> Iterator[int]:
    """Pids of ranks on this host; a number that another process has taken over since is none of ours."""
    here = socket.gethostname()
    for document in read_heartbeats(out_dir).values():
        pid = _whole(document, "pid")
        command = Path(f"/proc/{pid}/cmdline")
        if document.get("host") != here or not pid:
            continue
        try:
            ours = str(out_dir).encode() in command.read_bytes().split(b"\0")
        except OSError:
            continue
        if ours:
            yield pid


def _whole(document: Mapping[str, object], key: str) -> int:
    value = document.get(key)
    return value if isinstance(value, int) else 0


def _rank(document: Mapping[str, object]) -> int | None:
    for part in ("mpi", "launcher"):
        inner = document.get(part)
        if isinstance(inner, Mapping) and isinstance(inner.get("rank"), int):
            return int(inner["rank"])
    return None
