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
        self._versions: dict[str, tuple[int, int]] = {}

    @property
    def reported(self) -> int:
        """How many ranks wrote at least one heartbeat."""
        return len(self._documents)

    def look(self) -> None:
        """Read the heartbeats that were written since the last look, and note which ones moved on."""
        now = time.monotonic()
        for path in _files(self._out_dir):
            state = path.stat()
            version = (state.st_ino, state.st_mtime_ns)
            if self._versions.get(path.name) == version:
                continue
            document = _read(path)
            step = _whole(document, "step")
            if path.name not in self._seen or self._seen[path.name][0] != step:
                self._seen[path.name] = (step, now)
            self._documents[path.name] = document
            self._versions[path.name] = version

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
    return {path.name: _read(path) for path in _files(out_dir)}


def _files(out_dir: Path) -> list[Path]:
    return sorted(out_dir.glob("rank-*.json"))


def _read(path: Path) -> Mapping[str, object]:
    document: Mapping[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return document


def stacks(out_dir: Path) -> dict[str, str]:
    """``host-pid`` -> what each rank wrote of its stacks."""
    texts = {
        path.stem.removeprefix("stacks-"): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(out_dir.glob("stacks-*.txt"))
    }
    return {name: text for name, text in texts.items() if text}


def signal_ranks(out_dir: Path, number: signal.Signals) -> None:
    """Send a signal to every rank that still runs on this host."""
    for pid in running_here(out_dir):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def running_here(out_dir: Path) -> Iterator[int]:
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
