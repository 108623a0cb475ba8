"""A disk that is full in earnest: a small one of memory, in a name space of its own, filled to the brim."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Site

pytestmark = pytest.mark.live

REAL = ["--target", "real"]
APART = ["unshare", "--map-root-user", "--mount"]
SIZE = "24m"
ROOMS = (0, 4, 12, 40, 80, 120, 160, 240, 360, 520, 760, 1200, 2000, 3200, 5200, 8400, 13600)
"""Kilobytes that are left; from some on, a command has enough of them (archives hold the knowledge base)."""
FREEZE = ["freeze", "tiny", *REAL, "--until", "2999-12-31", "--reason", "handed in"]


class SmallDisk:
    """The site's project, with its cache, on a disk of a few megabytes."""

    def __init__(self, site: Site) -> None:
        self.site = site
        shutil.copytree(site.project, site.root / "saved")
        script = (
            f'mount -t tmpfs -o size={SIZE} none "$1" && cp -a "$2/." "$1" && echo ready && exec sleep 900'
        )
        self._holder = subprocess.Popen(
            [*APART, "sh", "-c", script, "sh", str(site.project), str(site.root / "saved")],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == "ready\n"
        self.project = Path(f"/proc/{self._holder.pid}/root{site.project}")

    def envlock(self, *arguments: str) -> tuple[int, dict]:
        """Run a command there; the result is its exit status and its document."""
        into = ["nsenter", "--target", str(self._holder.pid), "--user", "--mount", "--preserve-credentials"]
        program = [sys.executable, "-m", "envlock", *arguments, "--json"]
        done = subprocess.run(
            [*into, "sh", "-c", 'cd "$0" && exec "$@"', str(self.site.project), *program],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, json.loads(done.stdout)

    def leave(self, room: int) -> None:
        """Fill the disk up to so many kilobytes."""
        filler = self.project / "filler"
        filler.unlink(missing_ok=True)
        there = os.statvfs(self.project)
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, there.f_bavail * there.f_frsize - room * 1024 or 1)

    def state(self) -> tuple[bytes, str, str]:
        """The group's lock, the key of its environment, and the manifest."""
        lock = self.project / "locks/real/pylock.tiny.toml"
        link = self.project / ".envlock/current/real/tiny"
        manifest = self.project / "envlock.toml"
        return (
            lock.read_bytes() if lock.exists() else b"",
            link.readlink().name if link.is_symlink() else "",
            manifest.read_text(),
        )

    def close(self) -> None:
        """End the name space, and the disk with it."""
        self._holder.kill()
        self._holder.communicate()


@pytest.fixture
def disk(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallDisk]:
    if shutil.which("nsenter") is None or subprocess.run([*APART, "true"], check=False).returncode:
        pytest.skip("this machine lets nobody mount in a name space (unshare --map-root-user --mount)")
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(site.project / "cache"))
    made = SmallDisk(site)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("command", "least"),
    [
        (["solve", "tiny", *REAL, "--upgrade", "--lock-only"], 1),
        (["solve", "tiny", *REAL, "--upgrade"], 4),
        ([*FREEZE, "--archive", "kept/tiny"], 4),
        ([*FREEZE, "--archive", "kept/tiny.tar"], 4),
    ],
    ids=["lock", "create", "archive", "tar"],
)
def test_the_old_state_is_kept_until_there_is_room(
    command: list[str], least: int, disk: SmallDisk, site: Site
) -> None:
    assert disk.envlock("solve", "tiny", *REAL)[0] == 0
    site.offer("beta", "1.2")
    before, refused = disk.state(), 0
    for room in ROOMS:
        disk.leave(room)
        status, document = disk.envlock(*command)
        if status == 0:
            break
        assert (status, document["error"]["code"]) == (3, "disk-full"), f"{room} kB: {document}"
        refused += 1
        lock, environment, manifest = disk.state()
        assert (environment, manifest) == before[1:]
        assert lock == before[0] or command[0] == "solve"
        assert not list((disk.project / "kept").glob("[!.]*"))
        (disk.project / "filler").unlink()
        known = [one["code"] for one in disk.envlock("status", *REAL)[1]["groups"][0]["stale"]]
        moved = lock != before[0]
        assert ("environment-of-another-lock" in known) == moved, f"{room} kB: {known}"
    assert status == 0
    assert refused >= least
    (disk.project / "filler").unlink()
    assert disk.envlock("repair", "tiny", *REAL, "--dry-run")[1]["flaws"] == []
    prefix = Path(disk.envlock("where", "tiny", *REAL)[1]["prefix"])
    inside = ["nsenter", "--target", str(disk._holder.pid), "--user", "--mount", "--preserve-credentials"]
    imports = [*inside, str(prefix / "bin/python"), "-c", "import alpha, beta"]
    assert subprocess.run(imports, check=False, timeout=PATIENCE_S).returncode == 0


def test_a_verification_says_that_there_is_no_room(disk: SmallDisk) -> None:
    assert disk.envlock("solve", "tiny", *REAL)[0] == 0
    for room in ROOMS:
        disk.leave(room)
        status, document = disk.envlock("verify", "tiny", *REAL)
        if "error" not in document:
            break
        assert (status, document["error"]["code"]) == (3, "disk-full"), f"{room} kB: {document}"
        assert document["error"]["where"]
    assert status == 0
    assert room
