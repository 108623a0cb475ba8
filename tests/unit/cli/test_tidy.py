"""Back to the environment before, and rid of what nobody uses, with real environments."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from envlock.app.making import environment
from envlock.app.making.environment import current
from envlock.app.project import Options, open_project
from envlock.edges.claims import claim
from tests.unit.cli.conftest import TINY, Said, Site, laid_open

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]
REAL = ["--target", "real"]
FROZEN = '[groups.tiny.frozen]\nuntil = 2999-12-31\nreason = "the thesis is handed in"\n'


@pytest.fixture
def moved(site: Site, envlock: Envlock) -> Site:
    """The group ``tiny`` has been solved twice: beta is 1.2 now and was 1.1."""
    assert envlock("solve", "tiny", *REAL).status == 0
    site.offer("beta", "1.2")
    assert envlock("solve", "tiny", *REAL, "--upgrade").status == 0
    return site


def lock(site: Site) -> Path:
    return site.project / "locks/real/pylock.tiny.toml"


def prefix(site: Site, envlock: Envlock) -> Path:
    said = envlock("where", "tiny", *REAL, "--json")
    document = json.loads(said.out)
    assert document["matches_lock"] is True
    return Path(document["prefix"].replace("<root>", str(site.root)))


def keys(said: Said) -> Said:
    """What was said without the digits of keys, the sizes, and the widths that these give to columns."""
    text = re.sub(r"(real-\w+)-[0-9a-f]{20}", r"\1-<key>", said.out)
    text = re.sub(r"[\d.]+ [kM]?B, \d+ inodes?", "<size>", text)
    return Said(said.status, re.sub(r" {2,}", "  ", text), said.err)


def test_projects_with_groups_of_one_name_share_a_store(site: Site, envlock: Envlock):
    """What one of them solves is nobody else's current environment, and gc keeps both."""
    outside = f'[site]\nstore = "{site.root}/store"\n'
    site.manifest(outside + TINY)
    other = site.root / "other"
    other.mkdir()
    (other / "envlock.toml").write_text((site.project / "envlock.toml").read_text())
    assert envlock("solve", "tiny", *REAL).status == 0
    mine = prefix(site, envlock)
    site.offer("beta", "1.2")
    assert envlock("solve", "tiny", *REAL, "--project", str(other)).status == 0
    assert prefix(site, envlock) == mine
    assert json.loads(envlock("gc", "--json").out)["environments"] == []
    assert envlock("rollback", "tiny", *REAL).status == 1


def test_gc_keeps_what_another_project_froze(site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch):
    """Its lock went back to that of the thesis and was frozen; its current environment is a later one."""
    outside = f'[site]\nstore = "{site.root}/store"\n'
    site.manifest(outside + TINY)
    other = site.root / "other"
    other.mkdir()
    (other / "envlock.toml").write_text((site.project / "envlock.toml").read_text())
    assert envlock("solve", "tiny", *REAL).status == 0
    mine, before = prefix(site, envlock), lock(site).read_bytes()
    site.offer("beta", "1.2")
    assert envlock("solve", "tiny", *REAL, "--upgrade").status == 0
    lock(site).write_bytes(before)
    assert envlock("freeze", "tiny", *REAL, "--until", "2999-12-31", "--reason", "thesis").status == 0
    monkeypatch.chdir(other)
    assert envlock("gc", "--yes").status == 0
    assert mine.is_dir()
    monkeypatch.chdir(site.project)
    assert envlock("thaw", "tiny", "--reason", "handed in").status == 0
    monkeypatch.chdir(other)
    assert envlock("gc", "--yes").status == 0
    assert not mine.exists()


def test_there_and_back(moved: Site, envlock: Envlock, golden: Golden):
    new, after = prefix(moved, envlock), lock(moved).read_bytes()
    said = envlock("rollback", "tiny", *REAL)
    golden("rollback", keys(said))
    old, before = prefix(moved, envlock), lock(moved).read_bytes()
    assert old != new
    assert b"beta-1.1-" in before
    assert b"beta-1.2-" in after
    document = json.loads(envlock("rollback", "tiny", *REAL, "--json").out)
    assert (document["schema"], document["lock_restored"]) == ("envlock/rollback/1", True)
    assert (prefix(moved, envlock), lock(moved).read_bytes()) == (new, after)


def test_a_lock_that_no_environment_keeps_is_told(moved: Site, envlock: Envlock):
    unmade = "only version control may have it"
    moved.offer("beta", "1.3")
    assert envlock("solve", "tiny", *REAL, "--lock-only", "--upgrade").status == 0
    assert unmade in envlock("rollback", "tiny", *REAL).out
    said = json.loads(envlock("rollback", "tiny", *REAL, "--json").out)
    assert said["lock_without_environment"] is False
    lock(moved).write_bytes(b"<<<<<<< HEAD\n=======\n>>>>>>> theirs\n")
    assert unmade in envlock("rollback", "tiny", *REAL).out


def test_an_environment_whose_lock_moved_on_is_told_and_stays_what_it_was(
    moved: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    """Its MPI is the one that it was built against, whatever the lock wants next."""
    made, kept = lock(moved).read_bytes(), prefix(moved, envlock)
    moved.offer("beta", "1.3")
    assert envlock("solve", "tiny", *REAL, "--upgrade", "--lock-only").status == 0
    assert lock(moved).read_bytes() != made
    for command in ("where", "activate", "run"):
        said = envlock(command, "tiny", *REAL, "--json")
        assert said.err.startswith(
            "note: the environment of 'tiny' was made from another lock than locks/real"
        )
    found = current(open_project(Options(project=moved.project, target="real")), "tiny")
    assert (found.prefix, found.matches) == (kept, False)
    assert found.made_from.path == kept / "pylock.tiny.toml"
    assert found.made_from.path.read_bytes() == made
    seen: list[object] = []
    monkeypatch.setattr(environment, "activation", lambda base, *, prefix, systems: seen.append(systems))
    environment.variables(found)
    assert seen[0] is found.made_from.lock.systems


def test_a_kill_between_lock_and_switch_is_mended_by_solve(moved: Site, envlock: Envlock):
    new = prefix(moved, envlock)
    envlock("rollback", "tiny", *REAL)
    old = prefix(moved, envlock)
    before = lock(moved).read_bytes()
    envlock("rollback", "tiny", *REAL)
    assert prefix(moved, envlock) == new
    lock(moved).write_bytes(before)  # as far as a rollback came that was killed then
    stale = json.loads(envlock("status", *REAL, "--json").out)["groups"][0]["stale"]
    assert [one["code"] for one in stale] == ["environment-of-another-lock"]
    assert envlock("solve", "tiny", *REAL).status == 0
    assert prefix(moved, envlock) == old


def test_a_kill_between_the_two_links_is_mended_by_the_same_command(moved: Site, envlock: Envlock):
    new = prefix(moved, envlock)
    envlock("rollback", "tiny", *REAL)
    old, before = prefix(moved, envlock), lock(moved).read_bytes()
    envlock("rollback", "tiny", *REAL)
    link = moved.project / ".envlock/previous/real/tiny"
    link.unlink()
    link.symlink_to(os.path.relpath(new, link.parent))
    lock(moved).write_bytes(before)
    assert envlock("rollback", "tiny", *REAL).status == 0
    assert prefix(moved, envlock) == old


def refused(said: Said, site: Site, before: object) -> str:
    assert said.status == 1
    assert site.listing() == before
    code: str = json.loads(said.out)["error"]["code"]
    return code


def test_nothing_before(site: Site, envlock: Envlock):
    assert envlock("solve", "tiny", *REAL).status == 0
    before = site.listing()
    assert refused(envlock("rollback", "tiny", *REAL, "--json"), site, before) == "no-previous"


def test_a_frozen_group_does_not_go_back(moved: Site, envlock: Envlock):
    moved.manifest(TINY + FROZEN)
    before = moved.listing()
    assert refused(envlock("rollback", "tiny", *REAL, "--json"), moved, before) == "frozen"


@pytest.mark.parametrize("kept", ["", "cut off", "another"])
def test_no_way_back_without_the_lock(kept: str, moved: Site, envlock: Envlock):
    new = prefix(moved, envlock)
    [old] = [one for one in (moved.project / ".envlock/environments").iterdir() if one != new]
    copy = laid_open(old) / "pylock.tiny.toml"
    if kept:
        copy.write_bytes(copy.read_bytes()[:-30] if kept == "cut off" else lock(moved).read_bytes())
    else:
        copy.unlink()
    before = moved.listing()
    assert refused(envlock("rollback", "tiny", *REAL, "--json"), moved, before) == "lock-not-kept"


def test_gc_shows_first_and_removes_what_nobody_uses(moved: Site, envlock: Envlock, golden: Golden):
    new = prefix(moved, envlock)
    (moved.project / ".envlock/environments/real-tiny-00000000000000000000/bin").mkdir(parents=True)
    before = moved.listing()
    golden("gc-dry-run", keys(envlock("gc")))
    envlock("gc", "--yes", "--dry-run")
    assert moved.listing() == before
    golden("gc-yes", keys(envlock("gc", "--yes")))
    assert list((moved.project / ".envlock/environments").iterdir()) == [new]
    assert prefix(moved, envlock) == new
    golden("gc-nothing", envlock("gc", "--yes"))
    assert refused(envlock("rollback", "tiny", *REAL, "--json"), moved, moved.listing()) == "no-previous"


def test_gc_keeps_what_a_frozen_group_was_promised(moved: Site, envlock: Envlock):
    old = json.loads(envlock("rollback", "tiny", *REAL, "--json").out)["environment"].replace(
        "<root>", str(moved.root)
    )
    kept = lock(moved).read_bytes()
    envlock("rollback", "tiny", *REAL)
    lock(moved).write_bytes(kept)  # the lock that is promised is not that of the current environment
    moved.manifest(TINY + FROZEN)
    document = json.loads(envlock("gc", "--yes", "--json").out)
    assert (document["schema"], document["dry_run"]) == ("envlock/gc/1", False)
    assert (document["environments"], document["leftovers"]) == ([], [])
    assert Path(old).is_dir()
    lock(moved).write_bytes(kept[:-30])
    said = envlock("gc", "--yes")
    assert said.status == 2  # nobody knows what was promised, so nothing is removed
    assert Path(old).is_dir()


def test_gc_sweeps_what_killed_work_left(moved: Site, envlock: Envlock, golden: Golden):
    store = moved.project / ".envlock"
    (store / "building/gamma-1.0-0123/environment").mkdir(parents=True)
    (store / "logs/gone.log").write_text("what is no longer there\n")
    (store / "logs/verify-here-tiny.sh").write_text("exec envlock verify tiny\n")
    (store / "verify-abc").mkdir()
    aside = store / f"current/real/.tiny.{'0' * 32}"
    aside.symlink_to("nowhere")
    for old in (store / "verify-abc", store / "logs/gone.log", store / "logs/verify-here-tiny.sh", aside):
        os.utime(old, (0, 0), follow_symlinks=False)
    (store / "verify-now").mkdir()
    assert envlock("gc", "--yes").status == 0  # with the environment before goes the last use of beta 1.1
    left = json.loads(envlock("gc", "--json").out)
    assert (left["environments"], left["leftovers"]) == ([], [])
    assert (store / "verify-now").is_dir()
    for gone in ("building/gamma-1.0-0123", "logs/gone.log", "logs/verify-here-tiny.sh", "verify-abc"):
        assert not (store / gone).exists()
    assert not aside.is_symlink()
    pooled = list((store / "bytecode").rglob("*.pyc"))
    assert pooled
    assert all(path.stat().st_nlink > 1 for path in pooled)


def test_gc_leaves_hidden_files_of_environments(site: Site, envlock: Envlock):
    """They are below a group's link as what a kill left beside one is."""
    assert envlock("solve", "tiny", *REAL).status == 0
    hidden = sorted(prefix(site, envlock).glob(".*"))
    assert hidden
    for path in hidden:
        os.utime(path, (0, 0), follow_symlinks=False)
    assert json.loads(envlock("gc", "--yes", "--json").out)["leftovers"] == []
    assert sorted(prefix(site, envlock).glob(".*")) == hidden


def test_gc_leaves_a_build_that_is_under_way(moved: Site, envlock: Envlock):
    store = moved.project / ".envlock"
    (store / "building/gamma-1.0-0123").mkdir(parents=True)
    with claim(store / "locks/wheels-gamma-1.0-0123", store):
        document = json.loads(envlock("gc", "--yes", "--json").out)
    assert ("build", False) in [(one["kind"], one["removed"]) for one in document["leftovers"]]
    assert (store / "building/gamma-1.0-0123").is_dir()


def test_a_project_is_found_from_below(site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch):
    assert envlock("solve", "tiny", *REAL).status == 0
    below = site.project / "src/deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert envlock("where", "tiny", *REAL).out == f"{prefix(site, envlock)}\n".replace(
        str(site.root), "<root>"
    )
    assert envlock("init", "beta").status == 0  # a project of its own
    assert (below / "envlock.toml").is_file()


def test_ways_up_are_not_in_what_is_made(site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch):
    """Programs of an environment would need the folders that such a way passes through."""
    site.manifest('[site]\nstore = "../store"\n' + TINY)
    (site.root / "elsewhere").mkdir()
    monkeypatch.chdir(site.root / "elsewhere")
    assert envlock("solve", "tiny", *REAL, "--project", "../project").status == 0
    for file in (site.root / "store/environments").rglob("*"):
        if file.is_file() and file.parent.name == "bin":
            assert b"/../" not in file.read_bytes()


def test_gc_tells_of_what_a_rollback_goes_back_to(moved: Site, envlock: Envlock):
    shown = envlock("gc")
    assert "unused; tiny could roll back to it" in shown.out
    [one] = json.loads(envlock("gc", "--json").out)["environments"]
    assert one["rollbacks"] == ["tiny"]
