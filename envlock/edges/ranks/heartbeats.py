"""Read from outside what the probe's ranks write to the files of their nodes (its ``node_log.py``)."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from envlock.model.proving.probing import Unfinished


def native(rank: str) -> str:
    """Return the name under which the native stacks of a rank (``host-pid``) are kept."""
    return f"{rank} native"


class NodeLogs:
    """The nodes' files, each read on from where the last look ended.

    Attributes:
        documents: ``host-pid`` -> what that rank has reported, all its lines merged.
        stacks: ``host-pid`` -> the Python stacks it wrote, ``host-pid native`` -> its native stacks; ranks
            that wrote none are absent.
    """

    def __init__(self, out_dir: Path) -> None:
        self.documents: dict[str, dict[str, object]] = {}
        self.stacks: dict[str, str] = {}
        self._out_dir = out_dir
        self._read: dict[str, int] = {}

    def look(self) -> set[str]:
        """Read what is new, and return who reported something, as ``host-pid``.

        Files are opened and not asked for their size: a client of NFS asks after what it opens, and may
        remember the size of a file that was still for a while for up to a minute (nfs(5), acregmax).
        """
        ranks = set()
        for path in self._out_dir.glob("node-*.jsonl"):
            begin = self._read.get(path.name, 0)
            with path.open("rb") as stream:
                stream.seek(begin)
                text, end, _ = stream.read().rpartition(b"\n")
            self._read[path.name] = begin + len(text) + len(end)
            ranks |= {name for line in text.splitlines() if (name := self._take(line))}
        return ranks

    def _take(self, line: bytes) -> str:
        """Store a line and return whose report it is; empty for stacks, and for a line that was cut off."""
        try:
            said = json.loads(line) if line else None
        except ValueError:
            return ""
        if not isinstance(said, dict):
            return ""
        name = f"{said.get('host')}-{said.get('pid')}"
        if "stacks" in said:
            self.stacks[name] = self.stacks.get(name, "") + str(said["stacks"])
            return ""
        if "native" in said:
            self.stacks[native(name)] = str(said["native"])
            return ""
        document = self.documents.setdefault(
            name, {"launcher": {}, "mpi": {}, "facts": {}, "libraries": {}, "back_ends": {}}
        )
        for part, key, value in said.pop("set", ()):
            inner = document.setdefault(part, {})
            if isinstance(inner, dict):
                inner[key] = value
        document.update(said)
        return name

    def looking(self) -> set[str]:
        """Return the ranks that have begun to collect their native stacks, and have not reported them yet."""
        return {name for name in self.documents if self.stacks.get(native(name)) == ""}

    def in_order(self) -> dict[str, Mapping[str, object]]:
        """Return the documents sorted by rank, those without one last."""

        def place(item: tuple[str, Mapping[str, object]]) -> tuple[int, str]:
            rank = _rank(item[1])
            return (sys.maxsize if rank is None else rank, item[0])

        return dict(sorted(self.documents.items(), key=place))


class Watch:
    """Follow heartbeats by this process's own clock, since other hosts' clocks may differ.

    Attributes:
        logs: the files that hold them.
        expected: how many ranks were asked for.
    """

    def __init__(self, out_dir: Path, expected: int) -> None:
        self.expected = expected
        self.logs = NodeLogs(out_dir)
        self._begin = time.monotonic()
        self._seen: dict[str, float] = {}

    @property
    def reported(self) -> int:
        """How many ranks have written at least one heartbeat."""
        return len(self.logs.documents)

    def look(self) -> None:
        """Read the heartbeats written since the last look, and note which ranks moved on."""
        ranks = self.logs.look()
        self._seen |= dict.fromkeys(ranks, time.monotonic())

    def longest_phase_s(self) -> float:
        """Return the longest time that any rank has been in its phase, or has failed to appear."""
        now = time.monotonic()
        documents = self.logs.documents
        waits = [now - since for name, since in self._seen.items() if not documents[name].get("done")]
        if self.reported < self.expected:
            waits.append(now - self._begin)
        return max(waits, default=0.0)

    def unfinished(self) -> tuple[Unfinished, ...]:
        """Return the ranks that began and have not ended, those furthest behind first."""
        now = time.monotonic()
        found = [
            Unfinished(
                rank=_rank(document),
                host=str(document.get("host", "")),
                pid=_whole(document, "pid"),
                phase=str(document.get("phase", "")),
                step=_whole(document, "step"),
                seconds=round(now - self._seen[name], 3),
            )
            for name, document in self.logs.documents.items()
            if not document.get("done")
        ]
        return tuple(sorted(found, key=lambda late: (late.step, -1 if late.rank is None else late.rank)))


def read_heartbeats(out_dir: Path) -> dict[str, Mapping[str, object]]:
    """Map ``host-pid`` to the document of every rank that has reported something, sorted by rank."""
    logs = NodeLogs(out_dir)
    logs.look()
    return logs.in_order()


def signal_ranks(
    documents: Mapping[str, Mapping[str, object]], out_dir: Path, number: signal.Signals
) -> None:
    """Send a signal to every rank that is still running on this host."""
    for pid in running_here(documents, out_dir):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def running_here(documents: Mapping[str, Mapping[str, object]], out_dir: Path) -> Iterator[int]:
    """Yield the pids of ranks on this host; a pid that now belongs to another process is skipped."""
    here = socket.gethostname()
    for document in documents.values():
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
