"""Where the ranks of PyTorch's process group meet."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

import pytest

from envlock.probe import meetings
from envlock.probe.meetings import meeting_place


def test_ranks_meet_in_a_file_that_can_be_locked(tmp_path: Path) -> None:
    path = str(tmp_path / "gloo-meeting-0")
    assert [meeting_place(path, rank, 0) for rank in (0, 1)] == [f"file://{path}"] * 2


@pytest.mark.parametrize("called", ["of C#", "why?"])
def test_a_path_that_no_url_can_have_is_no_place_to_meet(tmp_path: Path, called: str) -> None:
    """PyTorch takes what follows these signs for another part of the URL, and does not decode ``%23``."""
    (tmp_path / called).mkdir()
    path = str(tmp_path / called / "gloo-meeting-0")
    assert meeting_place(path, 0, 0).startswith("tcp://")


def test_ranks_meet_at_rank_0_where_files_cannot_be_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Lustre without ``flock``: Gloo failed there, though programs that meet by TCP work."""

    def flock(*_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setattr(meetings, "host_name", lambda: "n0")
    path = str(tmp_path / "gloo-meeting-0")
    places = [meeting_place(path, rank, 0) for rank in (0, 1)]
    assert places[0].startswith("tcp://n0:")
    assert places[0] == places[1]
    monkeypatch.undo()
    assert meeting_place(path, 2, 0) == places[0], "a node that can lock files follows rank 0"
    with pytest.raises(FileNotFoundError):
        meeting_place(str(tmp_path / "gloo-meeting-1"), 1, 0)
