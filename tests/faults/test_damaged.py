"""Files that are not as they were written, by whatever hand: noticed, named, and nothing lost."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
REAL = ["--target", "real"]
SOLVE = ["solve", "tiny", *REAL]
PROMISE = ["--until", "2999-12-31", "--reason", "x"]


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def alien(content: bytes) -> bytes:
    return b'{"version": 99}'


@pytest.mark.parametrize("damage", [cut, alien])
def test_every_kind_of_cached_file(
    damage: Callable[[bytes], bytes], site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert envlock(*SOLVE).status == 0
    lock = site.project / "locks/real/pylock.tiny.toml"
    cache = site.root / "cache"
    kinds = {path.relative_to(cache).parts[:2] for path in cache.rglob("*") if path.is_file()}
    assert len(kinds) >= 4, kinds
    before = lock.read_bytes()
    for path in [path for path in cache.rglob("*") if path.is_file() and not path.is_symlink()]:
        path.chmod(0o644)
        path.write_bytes(damage(path.read_bytes()))
    shutil.rmtree(site.project / "locks")
    shutil.rmtree(site.project / ".envlock", ignore_errors=True)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert lock.read_bytes() == before
    assert envlock("repair", "tiny", *REAL, "--dry-run").status == 0


def a_newer_document(text: str) -> str:
    return text.replace("[tool.envlock]\nversion = 1", "[tool.envlock]\nversion = 2")


def a_newer_standard(text: str) -> str:
    return text.replace('lock-version = "1.0"', 'lock-version = "2.0"')


def another_version_by_hand(text: str) -> str:
    return text.replace('version = "1.1"', 'version = "1.0"')


def another_hash_by_hand(text: str) -> str:
    return re.sub(r'sha256 = "[0-9a-f]{8}', 'sha256 = "00000000', text)


def cut_text(text: str) -> str:
    return text[: len(text) // 2]


@pytest.mark.parametrize("edit", [a_newer_document, a_newer_standard, another_version_by_hand, cut_text])
def test_a_lock_that_is_not_ours_any_more(edit: Callable[[str], str], site: Site, envlock: Envlock) -> None:
    assert envlock(*SOLVE).status == 0
    lock = site.project / "locks/real/pylock.tiny.toml"
    edited = edit(lock.read_text())
    assert edited != lock.read_text()
    lock.write_text(edited)
    before = site.listing()
    for command in (["where", "tiny"], ["solve", "tiny"], ["verify", "tiny"], ["freeze", "tiny"]):
        more = ["--until", "2999-12-31", "--reason", "x"] if command[0] == "freeze" else []
        said = envlock(*command, *more, *REAL)
        assert said.status == 2, said.golden
        assert "locks/real/pylock.tiny.toml" in said.err
        assert "\n  next   " in said.err
        assert site.listing() == before
    said = envlock("status", *REAL, "--json")
    assert "unreadable" in [one["code"] for one in json.loads(said.out)["groups"][0]["stale"]]


def a_distribution_less_by_hand(text: str) -> str:
    return re.sub(r'\[\[packages\]\]\nname = "beta".*?(?=\[\[packages\]\]|\[tool)', "", text, flags=re.DOTALL)


@pytest.mark.parametrize("edit", [another_hash_by_hand, a_distribution_less_by_hand])
def test_a_lock_that_was_edited_well_is_not_built_on(
    edit: Callable[[str], str], site: Site, envlock: Envlock
) -> None:
    assert envlock(*SOLVE).status == 0
    old = envlock("where", "tiny", *REAL).out
    lock = site.project / "locks/real/pylock.tiny.toml"
    edited = edit(lock.read_text())
    assert edited != lock.read_text()
    lock.write_text(edited)
    for command in (SOLVE, [*SOLVE, "--upgrade"], ["freeze", "tiny", *REAL, *PROMISE]):
        said = envlock(*command)
        assert (said.status, "the lock was edited by hand" in said.err) == (2, True), said.golden
        assert "wishes belong in the manifest" in said.err
        assert lock.read_text() == edited
    stale = json.loads(envlock("status", *REAL, "--json").out)["groups"][0]["stale"]
    assert {"lock-edited", "environment-of-another-lock"} <= {one["code"] for one in stale}
    assert "delete it and then: envlock solve tiny" in envlock("status", *REAL).out
    assert envlock("where", "tiny", *REAL).out == old


def test_other_ends_of_lines_are_no_edit(site: Site, envlock: Envlock) -> None:
    assert envlock(*SOLVE).status == 0
    lock = site.project / "locks/real/pylock.tiny.toml"
    lock.write_bytes(lock.read_bytes().replace(b"\n", b"\r\n"))
    assert envlock(*SOLVE).status == 0


def test_a_group_that_extends_itself(site: Site, envlock: Envlock) -> None:
    assert envlock(*SOLVE).status == 0
    path = site.project / "envlock.toml"
    path.write_text(path.read_text().replace("[groups.tiny]", '[groups.tiny]\nextends = "tiny"'))
    before = site.listing()
    for command in ("solve", "where", "verify", "status"):
        said = envlock(command, *([] if command == "status" else ["tiny"]), *REAL)
        assert said.status == 2, said.golden
        assert "tiny -> tiny" in said.err or "extends itself" in said.err
    assert site.listing() == before


@pytest.mark.parametrize("store", ["taken", "taken/below", "link", ""])
def test_a_store_where_there_is_a_file(store: str, site: Site, envlock: Envlock) -> None:
    """The manifest names it: the request is wrong, whatever it asks for, and nothing is begun."""
    (site.project / "taken").write_text("a file\n")
    (site.project / "link").symlink_to("nowhere")
    (site.project / ".envlock").write_text("a file\n")
    path = site.project / "envlock.toml"
    if store:
        path.write_text(path.read_text() + f'\n[site]\nstore = "{store}"\n')
    before = site.listing()
    for command in (SOLVE, [*SOLVE, "--lock-only"], ["gc", "--yes"], ["where", "tiny"], ["status"]):
        said = envlock(*command, "--json")
        assert said.status == 2, said.golden
        told = json.loads(said.out)["error"]
        assert told["code"] == "store-no-folder"
        assert (store.partition("/")[0] or ".envlock") in told["why"]
        assert "site.store" in told["where"] or not store
        assert told["hint"]
    assert site.listing() == before


def test_a_store_in_the_home_folder(site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch) -> None:
    own = site.root / "own"
    own.mkdir()
    monkeypatch.setenv("HOME", str(own))
    path = site.project / "envlock.toml"
    path.write_text(path.read_text() + '\n[site]\nstore = "~/stores/all"\n')
    assert envlock(*SOLVE).status == 0
    assert envlock("where", "tiny", *REAL).out.startswith("<root>/own/stores/all/environments/")
    assert not (site.project / "~").exists()


FREEZE = ["freeze", "tiny", "--target", "real", "--until", "2999-12-31", "--reason", "r", "--archive", "kept"]


def as_no_root(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command for programs, by whom rights count: root is asked to do without its own."""
    tame = (
        []
        if os.geteuid()
        else ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
    )
    if tame and shutil.which("setpriv") is None:
        pytest.skip("there is no setpriv, and root may read and write everywhere")
    return subprocess.run(
        [*tame, sys.executable, "-B", "-m", "envlock", *command, "--json"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def told_where_closed(site: Site, closed: str, command: list[str]) -> tuple[int, dict[str, str]]:
    """Run a command without the right to write to a folder, which root is asked to do without.

    Returns the exit status and the error.
    """
    folders = [path for path in (site.root / closed, *(site.root / closed).rglob("*")) if path.is_dir()]
    folders = [path for path in folders if not path.is_symlink() and path.stat().st_mode & 0o200]
    for folder in folders:
        folder.chmod(0o555)
    try:
        done = as_no_root(command)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    return done.returncode, json.loads(done.stdout)["error"]


@pytest.mark.parametrize(
    ("closed", "command"),
    [
        ("project/.envlock", [*SOLVE, "--upgrade"]),
        ("project/locks/real", [*SOLVE, "--upgrade"]),
        ("project", [*SOLVE, "--upgrade"]),
        ("cache", [*SOLVE, "--upgrade"]),
        ("project/.envlock", FREEZE),
    ],
)
def test_a_folder_that_cannot_be_written_to(
    closed: str, command: list[str], site: Site, envlock: Envlock
) -> None:
    assert envlock(*SOLVE).status == 0
    site.offer("beta", "1.2")
    before = site.listing()
    status, told = told_where_closed(site, closed, command)
    said = {"project/locks/real": (3, "not-writable"), "cache": (3, "cache-unwritable")}
    assert (status, told["code"]) == said.get(closed, (3, "store-closed")), told
    assert told["where"]
    assert told["why"]
    assert told["hint"]
    after = site.listing()
    assert {name: after[name] for name in after if ".envlock/locks/" not in name} == {
        name: before[name] for name in before if ".envlock/locks/" not in name
    }
    assert envlock(*SOLVE, "--upgrade").status == 0


@pytest.mark.parametrize("command", [SOLVE, [*SOLVE, "--lock-only"]])
def test_a_folder_of_somebody_else_is_the_surroundings_whatever_is_written(
    command: list[str], site: Site, envlock: Envlock
) -> None:
    assert told_where_closed(site, "project", command)[0] == 3


@pytest.mark.parametrize(
    ("closed", "rights", "command"),
    [
        ("locks/real/pylock.tiny.toml", 0o000, SOLVE),
        ("locks/real/pylock.tiny.toml", 0o000, ["diff", "tiny", "tiny@real", "--target", "real"]),
        ("aside", 0o600, ["diff", "tiny@real", "aside/other.toml"]),
    ],
)
def test_a_lock_that_may_not_be_read(
    closed: str, rights: int, command: list[str], site: Site, envlock: Envlock
) -> None:
    assert envlock(*SOLVE).status == 0
    lock = site.project / "locks/real/pylock.tiny.toml"
    (site.project / "aside").mkdir()
    shutil.copy(lock, site.project / "aside/other.toml")
    (site.project / closed).chmod(rights)
    try:
        done = as_no_root(command)
    finally:
        (site.project / closed).chmod(0o755)
    told = json.loads(done.stdout)["error"]
    assert (done.returncode, told["code"]) == (3, "file-unreadable"), told
    assert told["where"].endswith(".toml")


def test_the_standing_of_a_lock_that_may_not_be_read(site: Site, envlock: Envlock) -> None:
    assert envlock(*SOLVE).status == 0
    lock = site.project / "locks/real/pylock.tiny.toml"
    lock.chmod(0o000)
    done = as_no_root(["status", "--target", "real"])
    lock.chmod(0o644)
    (group,) = json.loads(done.stdout)["groups"]
    assert "the file cannot be read" in " ".join(one["text"] for one in group["stale"]), group


@pytest.mark.parametrize("more", [[], ["--upgrade"]])
def test_a_frozen_group_is_that_first_of_all(more: list[str], site: Site, envlock: Envlock) -> None:
    """Its store may be read-only, or another's, for years."""
    assert envlock(*SOLVE).status == 0
    assert envlock(*FREEZE[:-2]).status == 0
    status, told = told_where_closed(site, "project/.envlock", [*SOLVE, *more])
    assert (status, told["code"]) == (1, "frozen"), told
