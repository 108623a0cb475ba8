"""``kill -9`` in the midst of what a command writes: what is there then is the old or the new, and known.

The command runs as a process of its own that kills itself before a chosen change of the file system (or of a
program's start), or a moment after one, when installers or compilers are at work. One point of three commands
and three of making archives are tried always, seven of each command with the mark ``live``, fifty of each, or
all, with ``property``.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from envlock.edges.store.protection import unprotect
from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
DYING = Path(__file__).with_name("dying.py")
REAL = ["--target", "real"]
FREEZE = ["freeze", "tiny", *REAL, "--until", "2999-12-31", "--reason", "handed in"]
SEED = 20261121
TEMPORARY = re.compile(r"^\..+\.[0-9a-f]{32}$")
"""What is swept up later, see ``test_files.py`` and ``test_tidy.py``."""


@dataclass(frozen=True, kw_only=True)
class Deed:
    """A command that is killed.

    Attributes:
        prepare: makes the state before it.
        command: its arguments.
    """

    prepare: Callable[[Site, Envlock], None]
    command: tuple[str, ...]


def nothing(site: Site, envlock: Envlock) -> None:
    """The group was never solved."""


def solved(site: Site, envlock: Envlock) -> None:
    """The group has its lock and its environment with beta 1.1."""
    assert envlock("solve", "tiny", *REAL).status == 0


def outdated(site: Site, envlock: Envlock) -> None:
    """There is a newer beta than the one in its environment."""
    solved(site, envlock)
    site.offer("beta", "1.2")


def moved(site: Site, envlock: Envlock) -> None:
    """The group has moved to beta 1.2, and its environment before is still there."""
    outdated(site, envlock)
    assert envlock("solve", "tiny", *REAL, "--upgrade").status == 0


def littered(site: Site, envlock: Envlock) -> None:
    """The store has an environment that nobody uses, one that is unfinished, a build and an old folder."""
    moved(site, envlock)
    store = site.project / ".envlock"
    (store / "environments/real-tiny-00000000000000000000/bin").mkdir(parents=True)
    (store / "building/gamma-1.0-0123/environment").mkdir(parents=True)
    (store / "verify-abc").mkdir()
    os.utime(store / "verify-abc", (0, 0))


def archived(site: Site, envlock: Envlock) -> None:
    """The group has an archive, and is to be restored elsewhere."""
    solved(site, envlock)
    assert envlock(*FREEZE, "--archive", "kept/tiny").status == 0


DEEDS = {
    "create": Deed(prepare=nothing, command=("solve", "tiny", *REAL)),
    "switch": Deed(prepare=outdated, command=("solve", "tiny", *REAL, "--upgrade")),
    "rollback": Deed(prepare=moved, command=("rollback", "tiny", *REAL)),
    "gc": Deed(prepare=littered, command=("gc", "--yes")),
    "freeze": Deed(prepare=solved, command=tuple(FREEZE)),
    "archive": Deed(prepare=solved, command=(*FREEZE, "--archive", "kept/tiny")),
    "tar": Deed(prepare=solved, command=(*FREEZE, "--archive", "kept/tiny.tar")),
    "restore": Deed(prepare=archived, command=("restore", "kept/tiny", "--into", "there", "--no-verify")),
}


@dataclass(frozen=True, kw_only=True)
class State:
    """What a group has: its lock's bytes, the key of its environment, and the manifest."""

    lock: bytes
    environment: str
    manifest: str


def state(site: Site) -> State:
    """What the group ``tiny`` has now."""
    lock = site.project / "locks/real/pylock.tiny.toml"
    link = site.project / ".envlock/current/real/tiny"
    return State(
        lock=lock.read_bytes() if lock.exists() else b"",
        environment=link.readlink().name if link.is_symlink() else "",
        manifest=(site.project / "envlock.toml").read_text(),
    )


class Rehearsal:
    """A command's state before and after, and as often as wanted the way between them cut short."""

    def __init__(self, site: Site, envlock: Envlock, deed: Deed) -> None:
        self.site, self.envlock, self.deed = site, envlock, deed
        deed.prepare(site, envlock)
        self.kept = [place for place in (site.project, site.root / "cache") if place.exists()]
        (site.root / "saved").mkdir()
        for place in self.kept:
            subprocess.run(["cp", "-a", place, self._copy(place)], check=True)
        self.before = state(site)
        assert self.run(0, 0.0).returncode == 0
        self.changes = int((site.root / "count").read_text())
        self.after, self.things = state(site), self.contents()
        self.archives = [one.name for one in site.project.glob("kept/*")]

    def run(self, point: int, delay_s: float) -> subprocess.CompletedProcess[str]:
        """The command, killed at its n-th change, or that long after it."""
        counted = [str(point), str(delay_s), str(self.site.root / "count")]
        return subprocess.run(
            [sys.executable, "-B", str(DYING), *counted, *self.deed.command],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def reset(self) -> None:
        """Make the state before again, the caches with it."""
        for place in (self.site.project, self.site.root / "cache"):
            unprotect(place)
            for path in place.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for place in self.kept:
            subprocess.run(["cp", "-a", f"{self._copy(place)}/.", place], check=True)

    def _copy(self, place: Path) -> Path:
        return self.site.root / "saved" / place.name

    def contents(self) -> Mapping[str, bytes]:
        """Every file of environments and locks that must be as if nothing had been killed."""
        project = self.site.project
        found = (path for path in project.rglob("*") if path.is_symlink() or path.is_file())
        return {
            str(path.relative_to(project)): b"" if path.is_symlink() else path.read_bytes()
            for path in found
            if not varies(path.relative_to(project))
        }


def varies(path: Path) -> bool:
    """Whether a file tells of days, claims and archives, or is what a kill left beside the one it was for."""
    own = path.parts[path.parts.index(".envlock") :] if ".envlock" in path.parts else ()
    return (
        not {"locks", "logs", "bytecode"}.isdisjoint(own)
        or path.parts[0] == "kept"
        or path.name in {"envlock.json", "RECORD", "uv_cache.json"}
        or path.suffix == ".pyc"
        or TEMPORARY.search(path.name) is not None
    )


def told(envlock: Envlock) -> set[str]:
    """Why ``status`` calls the group stale; it never fails."""
    said = envlock("status", *REAL, "--json")
    groups = {one["group"]: one for one in json.loads(said.out)["groups"]}
    codes = {one["code"] for one in groups["tiny"]["stale"]}
    assert said.status == (1 if codes else 0)
    return codes - {"evidence-missing"}


def expected(found: State, keys: Mapping[bytes, str]) -> set[str]:
    """Why a group of that state is stale."""
    if not found.lock or found.environment == keys[found.lock]:
        return set()
    return {"environment-of-another-lock" if found.environment else "environment-missing"}


def whole(envlock: Envlock) -> bool:
    """Whether every file of the group's environment is as it was installed."""
    document = json.loads(envlock("repair", "tiny", *REAL, "--dry-run", "--json").out)
    return "error" not in document and not document["flaws"]


def archive_is_whole_or_none(site: Site, envlock: Envlock, deed: Deed) -> bool:
    """Whether the archive that a command makes is whole where there is one, and is promised only then."""
    if "--archive" not in deed.command:
        return True
    place = site.project / deed.command[-1]
    if not place.exists():
        return "frozen" not in (site.project / "envlock.toml").read_text()
    restored = site.root / "restored"
    said = envlock("restore", str(place), "--into", str(restored), "--no-verify")
    unprotect(restored)
    shutil.rmtree(restored)
    return said.status == 0


def points(changes: int, count: int) -> Iterator[tuple[int, float]]:
    """Where to kill: at a change of the file system, or, in every third case, a moment after one.

    Runs differ by some changes, so that a last one may never come; where there is but one kill, it must.
    """
    draw = random.Random(SEED)
    last = changes if count > 1 else changes * 3 // 4
    for number, point in enumerate(draw.sample(range(1, last + 1), min(last, count))):
        yield point, draw.uniform(0.0, 0.3) if number % 3 == 2 else 0.0


def rehearse(site: Site, envlock: Envlock, deed: Deed, count: int) -> None:
    play = Rehearsal(site, envlock, deed)
    keys = {one.lock: one.environment for one in (play.before, play.after)}
    kills = 0
    for point, delay_s in points(play.changes, count):
        where = f"killed at change {point} of {play.changes} and {delay_s:.3f} s"
        play.reset()
        ended = play.run(point, delay_s)
        assert ended.returncode in {-signal.SIGKILL, 0}, f"{where}: {ended.stderr}"
        kills += ended.returncode != 0
        found = state(site)
        assert found.lock in {play.before.lock, play.after.lock}, where
        assert found.environment in {play.before.environment, play.after.environment}, where
        assert found.manifest in {play.before.manifest, play.after.manifest}, where
        assert told(envlock) == expected(found, keys), where
        assert not found.environment or whole(envlock), where
        assert archive_is_whole_or_none(site, envlock, deed), where
        again = envlock(*deed.command)
        if deed is DEEDS["rollback"] and found == play.after:
            assert state(site) == play.before, where  # another rollback leads back
            continue
        assert again.status == 0, f"{where}: {again.golden}"
        assert state(site) == play.after, where
        assert [one.name for one in site.project.glob("kept/*")] == play.archives, where
        assert told(envlock) == expected(play.after, keys), where
        left = play.contents()
        assert left.keys() == play.things.keys(), where
        assert [name for name in left if left[name] != play.things[name]] == [], where
    assert 2 * kills > min(play.changes, count)  # some come too late


@pytest.mark.parametrize(
    ("name", "count"),
    [
        *((name, 1) for name in ("create", "switch", "gc")),
        *((name, 3) for name in ("archive", "tar")),
        *(pytest.param(name, 7, marks=pytest.mark.live) for name in DEEDS),
        *(pytest.param(name, 50, marks=pytest.mark.property) for name in DEEDS),
    ],
)
def test_old_or_new_and_finished_by_the_same_command(
    name: str, count: int, site: Site, envlock: Envlock
) -> None:
    rehearse(site, envlock, DEEDS[name], count)
