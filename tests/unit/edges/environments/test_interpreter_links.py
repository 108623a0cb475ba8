"""Whether others than its maker can start an environment."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from envlock.edges.environments.interpreter_links import closed_to_others


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with an interpreter, beside a shared folder with an environment of it."""
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:  # pytest closes its own folders to others
            folder.chmod(0o755)
    (tmp_path / "home/python").mkdir(parents=True)
    (tmp_path / "home/python/python3.12").touch()
    (tmp_path / "shared/environment/bin").mkdir(parents=True)
    (tmp_path / "shared/environment/bin/python").symlink_to(tmp_path / "home/python/python3.12")
    for folder in ("home/python", "shared/environment"):  # whatever the umask
        (tmp_path / folder).chmod(0o755)
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("of_home", "of_shared", "closed"),
    [
        (0o700, 0o755, True),
        (0o700, 0o2770, True),
        (0o755, 0o755, False),
        (0o750, 0o2770, False),
        (0o700, 0o700, False),
    ],
    ids=["to all", "to the group", "open", "both to one group", "the environment as well"],
)
def test_a_folder_that_others_cannot_enter_closes_what_they_share(
    of_home: int, of_shared: int, closed: bool, home: Path
):
    shared = home.parent / "shared"
    home.chmod(of_home)
    shared.chmod(of_shared)
    assert closed_to_others(shared / "environment") == (home if closed else None)


def test_what_lies_in_the_same_closed_folder_is_nobody_elses(home: Path):
    inside = home / "environment"
    (home.parent / "shared/environment").rename(inside)
    home.chmod(0o700)
    assert closed_to_others(inside) is None
