"""Reading what ranks wrote, where the file system is slow to tell of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envlock.edges.ranks.heartbeats import NodeLogs


def test_what_ranks_said_is_read_though_the_size_of_their_file_is_an_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a client of NFS remembers it."""
    file = tmp_path / "node-n1-0.jsonl"
    file.touch()
    old, ask = file.stat(), Path.stat
    monkeypatch.setattr(Path, "stat", lambda path, **how: old if path == file else ask(path, **how))
    logs = NodeLogs(tmp_path)
    for phase in ("start", "hosts"):
        with file.open("a") as stream:
            stream.write(json.dumps({"host": "n1", "pid": 7, "phase": phase}) + "\n")
        assert logs.look() == {"n1-7"}
    assert logs.look() == set()
    assert logs.documents["n1-7"]["phase"] == "hosts"
