"""Archives of frozen groups, made and restored with real environments, and those that were changed."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import bagit
import pytest
from rocrate.rocrate import ROCrate

from envlock.edges.files import write_error
from tests.unit.cli.conftest import TINY, Said, Site, laid_open

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]
BY_MAKERS = {"envlock.json", "uv_cache.json", "RECORD"}
REAL = ["--target", "real"]
FREEZE = ["freeze", "tiny", *REAL, "--until", "2999-12-31", "--reason", "the thesis is handed in"]


@pytest.fixture
def archive(site: Site, envlock: Envlock) -> Path:
    """The archive of the group ``tiny``: alpha 2.0 and beta 1.1."""
    assert envlock("solve", "tiny", *REAL).status == 0
    said = envlock(*FREEZE, "--archive", str(site.root / "kept/tiny"))
    assert said.status == 0, said.golden
    return site.root / "kept/tiny"


def elsewhere(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another machine: no index, no cache, no store, no project."""
    shutil.rmtree(site.index)
    shutil.rmtree(laid_open(site.project))
    shutil.rmtree(site.root / "cache")
    monkeypatch.setenv("UV_CACHE_DIR", str(site.root / "uv"))
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(site.root / "another-cache"))
    site.project.mkdir()
    monkeypatch.chdir(site.project)


def contents(prefix: Path) -> dict[str, bytes]:
    """Every file of an environment but bytecode and its makers' notes, its own place in it made plain."""
    place = str(prefix).encode()
    return {
        str(path.relative_to(prefix)): path.read_bytes().replace(place, b"<prefix>")
        for path in prefix.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name not in BY_MAKERS
    }


def error(said: Said) -> tuple[int, str]:
    return said.status, json.loads(said.out)["error"]["code"]


def test_an_environment_comes_back_byte_by_byte(
    archive: Path, site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    lock = (site.project / "locks/real/pylock.tiny.toml").read_bytes()
    before = contents(next((site.project / ".envlock/environments").iterdir()))
    elsewhere(site, monkeypatch)
    said = envlock("restore", str(archive), "--json")
    assert said.status == 0, said.golden
    document = json.loads(said.out)
    wheels = list((archive / "data/wheels").iterdir())
    assert document["files_compared"] == 3 * len(wheels)  # of each its module, METADATA and WHEEL
    assert document["verification"]["passed"] is True
    assert (site.project / "tiny/locks/real/pylock.tiny.toml").read_bytes() == lock
    after = contents(next((site.project / "tiny/.envlock/environments").iterdir()))
    assert after == before
    assert len(after) > 4
    there = ["--project", "tiny", *REAL]
    ran = envlock("where", "tiny", *there, "--json")
    assert json.loads(ran.out)["matches_lock"] is True
    frozen = envlock("solve", "tiny", *there, "--json")
    assert error(frozen) == (1, "frozen")


def test_what_is_said(archive: Path, site: Site, envlock: Envlock, golden: Golden):
    said = envlock("freeze", "tiny", *REAL, "--archive", str(archive))
    text = re.sub(r"\d wheels and sdists, [\d.]+ [kM]B", "<count> wheels and sdists, <size>", said.out)
    golden("freeze-archive-again", Said(said.status, text, said.err))
    text = (site.project / "envlock.toml").read_text()
    assert f'archive = {{real = "{archive}"}}' in text


def test_the_field_s_own_tools_accept_it(archive: Path):
    bagit.Bag(str(archive)).validate()
    sbom = json.loads((archive / "data/sbom.cdx.json").read_text())
    assert {one["name"] for one in sbom["components"]} >= {"alpha", "beta", "python"}
    payload = archive / "data"
    crate = json.loads((payload / "ro-crate-metadata.json").read_text())
    crate = {one["@id"]: one for one in crate["@graph"]}
    assert crate["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    listed = {one["@id"] for one in crate["./"]["hasPart"]}
    there = {path.relative_to(payload).as_posix() for path in payload.rglob("*") if path.is_file()}
    assert listed == there - {"ro-crate-metadata.json"}
    assert {one.id for one in ROCrate(payload).data_entities} == listed
    for name in listed:
        assert crate[name]["sha256"] == hashlib.sha256((archive / "data" / name).read_bytes()).hexdigest()


def test_one_file_that_holds_it_all(site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch):
    assert envlock("solve", "tiny", *REAL).status == 0
    tar = site.root / "tiny.tar"
    assert envlock(*FREEZE, "--archive", str(tar)).status == 0
    assert [path.name for path in site.root.glob("*tiny*")] == ["tiny.tar"]
    assert error(envlock(*FREEZE, "--archive", "tiny.tar.gz", "--json")) == (2, "archive-compressed")
    elsewhere(site, monkeypatch)
    said = envlock("restore", str(tar), "--into", "there", "--no-verify")
    assert said.status == 0, said.golden
    assert [path.name for path in site.project.iterdir()] == ["there"]
    tar.write_bytes(tar.read_bytes()[: -tar.stat().st_size // 2])
    assert error(envlock("restore", str(tar), "--into", "again", "--json")) == (2, "not-an-archive")
    with tarfile.open(tar, "w") as other:
        other.add(site.project / "there/envlock.toml", "there/envlock.toml")
    said = envlock("restore", str(tar), "--into", "again", "--json")
    assert json.loads(said.out)["error"]["where"] == str(tar).replace(
        str(site.root), "<root>"
    )  # not where it was unpacked
    assert [path.name for path in site.project.iterdir()] == ["there"]


def test_a_changed_byte_is_named(archive: Path, site: Site, envlock: Envlock, golden: Golden):
    wheel = next(archive.glob("data/wheels/alpha-*.whl"))
    expected = hashlib.sha256(wheel.read_bytes()).hexdigest()
    content = bytearray(wheel.read_bytes())
    content[100] ^= 1
    wheel.write_bytes(content)
    before = site.listing()
    said = envlock("restore", str(archive), "--into", "there")
    golden("restore-changed-byte", said)
    text = json.loads(envlock("restore", str(archive), "--into", "there", "--json").out)["error"]
    assert text["code"] == "archive-damaged"
    assert not Path("there").exists()
    assert site.listing() == before
    # The archive is made again in the same place, and then it is whole.
    assert envlock("freeze", "tiny", *REAL, "--archive", str(archive)).status == 0
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() == expected
    bagit.Bag(str(archive)).validate()


def test_any_changed_byte_of_any_file_is_noticed(archive: Path, envlock: Envlock):
    files = sorted(path for path in archive.rglob("*") if path.is_file() and "knowledge" not in path.parts)
    for number, file in enumerate(files):
        before = file.read_bytes()
        content = bytearray(before)
        content[len(content) * number // len(files)] ^= 0x20
        file.write_bytes(content)
        assert error(envlock("restore", str(archive), "--into", "there", "--json"))[0] == 2, file
        file.write_bytes(before)
    assert not Path("there").exists()


@pytest.mark.parametrize("kept", [0, 1])
def test_a_list_of_tag_files_that_was_cut_short_hides_nothing(archive: Path, envlock: Envlock, kept: int):
    tags = archive / "tagmanifest-sha256.txt"
    tags.write_text("".join(tags.read_text().splitlines(keepends=True)[:kept]))
    (archive / "data/README.txt").write_text("changed")
    assert error(envlock("restore", str(archive), "--into", "there", "--json")) == (2, "archive-damaged")
    assert not Path("there").exists()


def test_missing_and_additional_files(archive: Path, envlock: Envlock):
    (archive / "data/wheels/stray.whl").write_text("")
    wheel = next(archive.glob("data/wheels/beta-*.whl"))
    wheel.unlink()
    said = envlock("restore", str(archive), "--into", "there")
    assert said.status == 2
    assert "data/wheels/stray.whl does not belong to this archive" in said.err
    assert f"data/wheels/{wheel.name} is missing" in said.err
    assert not Path("there").exists()


def _rebag(archive: Path) -> None:
    bag = bagit.Bag(str(archive))
    bag.save(manifests=True)


def test_a_place_that_no_path_can_name(archive: Path, site: Site, envlock: Envlock):
    said = envlock("restore", str(archive), "--into", "grid:2", "--json")
    assert error(said) == (2, "store-off-path")
    assert not (site.project / "grid:2").exists()


def test_an_archive_of_a_newer_envlock(archive: Path, envlock: Envlock, golden: Golden):
    record = archive / "data/envlock-archive.json"
    record.write_text(record.read_text().replace("envlock/archive/1", "envlock/archive/9"))
    _rebag(archive)
    said = envlock("restore", str(archive), "--into", "there")
    golden("restore-newer", said)
    assert not Path("there").exists()


def test_an_archive_with_a_lock_of_another_form(archive: Path, envlock: Envlock):
    record, lock = archive / "data/envlock-archive.json", archive / "data/pylock.tiny.toml"
    lock.write_text(lock.read_text().replace("\nversion = 1\n", "\nversion = 9\n"))
    document = json.loads(record.read_text())
    document["lock_sha256"] = hashlib.sha256(lock.read_bytes()).hexdigest()
    record.write_text(json.dumps(document))
    _rebag(archive)
    said = envlock("restore", str(archive), "--into", "there")
    assert said.status == 2
    told = " ".join(said.err.split())
    assert "written by another version of envlock" in told
    assert "restore it with envlock <version>, which made it; the archive's README" in told
    assert not Path("there").exists()


def test_a_changed_wheel_is_noticed_whatever_the_manifests_say(archive: Path, envlock: Envlock):
    """A bag's manifests tell damage; that it holds what the lock names, only the lock's hashes tell."""
    wheel = next(archive.glob("data/wheels/alpha-*.whl"))
    with zipfile.ZipFile(wheel, "a") as altered:
        altered.writestr("evil.py", "")
    _rebag(archive)
    said = envlock("restore", str(archive), "--into", "there")
    assert said.status == 2
    assert f"{wheel.name} has sha256" in said.err
    assert not Path("there").exists()


def test_an_archive_that_names_a_store_of_this_site_is_refused(archive: Path, site: Site, envlock: Envlock):
    """Otherwise what was altered in it could lie in a shared store, under the name of an honest lock."""
    manifest = archive / "data/envlock.toml"
    manifest.write_text(f'{manifest.read_text()}\n[site]\nstore = "{site.root}/shared"\n')
    _rebag(archive)
    assert error(envlock("restore", str(archive), "--into", "there", "--json")) == (2, "archive-damaged")
    assert not Path("there").exists()
    assert not (site.root / "shared").exists()


def test_what_is_no_archive(site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch):
    assert error(envlock("restore", str(site.index), "--json")) == (2, "not-an-archive")
    assert error(envlock("restore", "nowhere", "--json")) == (2, "file-missing")
    assert "envlock freeze --archive" in envlock("restore", "nowhere").err
    assert error(envlock("restore", "envlock.toml", "--json")) == (2, "not-an-archive")
    bag = site.root / "bag"
    bag.mkdir()
    (bag / "file").write_text("x")
    monkeypatch.chdir(site.root)  # bagit goes there and back
    bagit.make_bag(str(bag), checksums=["sha256"])
    assert error(envlock("restore", str(bag), "--json")) == (2, "not-an-archive")


def test_another_project_is_not_overwritten(archive: Path, site: Site, envlock: Envlock):
    before = site.listing()
    assert error(envlock("restore", str(archive), "--into", ".", "--json")) == (2, "into-occupied")
    assert site.listing() == before


@pytest.mark.parametrize("into", [[], ["--into", "tiny"], ["--into", "tiny/data/again"]])
def test_an_archive_is_not_restored_into_itself(
    archive: Path, envlock: Envlock, monkeypatch: pytest.MonkeyPatch, into: list[str]
):
    """Its folder often bears the group's name, which is where a restore goes by default."""
    before = sorted(archive.rglob("*"))
    monkeypatch.chdir(archive.parent)
    assert error(envlock("restore", "tiny", *into, "--json")) == (2, "into-archive")
    assert sorted(archive.rglob("*")) == before


def test_a_restore_that_was_cut_short_is_finished(archive: Path, site: Site, envlock: Envlock):
    assert envlock("restore", str(archive), "--into", "there", "--no-verify").status == 0
    prefix = next(Path("there/.envlock/environments").iterdir())
    (laid_open(prefix) / "envlock.json").unlink()  # as if it were killed before the last step
    next(prefix.rglob("alpha.py")).unlink()
    assert envlock("restore", str(archive), "--into", "there", "--no-verify").status == 0
    assert next(prefix.rglob("alpha.py")).is_file()
    next(laid_open(prefix).rglob("beta.py")).unlink()
    assert envlock("restore", str(archive), "--into", "there", "--no-verify").status == 0
    assert next(prefix.rglob("beta.py")).is_file()


def _locked_for(archive: Path, python: str) -> None:
    record = archive / "data/envlock-archive.json"
    document = json.loads(record.read_text())
    lock = archive / "data/pylock.tiny.toml"
    version = document["python"]["version"]
    lock.write_text(lock.read_text().replace(f'python = "{version}"', f'python = "{python}"'))
    document["lock_sha256"] = hashlib.sha256(lock.read_bytes()).hexdigest()
    record.write_text(json.dumps(document))
    _rebag(archive)


def test_another_patch_release_of_the_interpreter_will_do_and_is_told(archive: Path, envlock: Envlock):
    """In ten years nobody can have the very same one; the files are the same all the same."""
    here = platform.python_version()
    locked = f"{here.rpartition('.')[0]}.99"
    _locked_for(archive, locked)
    said = envlock("restore", str(archive), "--into", "there")
    assert said.status == 0, said.golden
    told = " ".join(said.out.split())
    assert "the lock's, is not here" in told
    assert "S1 lock and node warned" in told
    assert f"another patch release than the lock's {locked}" in told
    used = json.loads(envlock("restore", str(archive), "--into", "there", "--no-verify", "--json").out)[
        "python"
    ]
    assert (used["locked"], used["used"].rpartition(".")[0]) == (locked, here.rpartition(".")[0])


def test_a_machine_without_the_interpreter(archive: Path, envlock: Envlock):
    _locked_for(archive, "3.99.7")
    said = envlock("restore", str(archive), "--into", "there")
    assert said.status == 1
    assert "python 3.99.7: here: " in said.err
    assert "pyenv install 3.99.7" in said.err
    assert not Path("there").exists()


def test_what_stands_where_the_archive_should_be_stays(site: Site, envlock: Envlock):
    assert envlock("solve", "tiny", *REAL).status == 0
    (site.root / "kept").mkdir()
    (site.root / "kept/notes").write_text("mine")
    said = envlock(*FREEZE, "--archive", str(site.root / "kept"), "--json")
    assert error(said) == (2, "archive-exists")
    assert (site.root / "kept/notes").read_text() == "mine"
    assert "frozen" not in (site.project / "envlock.toml").read_text()


def test_an_archive_of_another_lock_stays(archive: Path, site: Site, envlock: Envlock):
    site.manifest(TINY + '[groups.twin]\nrequires = ["beta==1.0"]\n')
    assert envlock("solve", "twin", *REAL, "--lock-only").status == 0
    twin = ["freeze", "twin", *REAL, "--until", "2999-12-31", "--reason", "x"]
    assert error(envlock(*twin, "--archive", str(archive), "--json")) == (2, "archive-exists")
    bagit.Bag(str(archive)).validate()


def test_a_full_disk_leaves_no_promise_and_no_archive(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    assert envlock("solve", "tiny", *REAL).status == 0
    manifest = (site.project / "envlock.toml").read_text()

    def full(*_: object) -> None:
        raise write_error(site.root, OSError(28, os.strerror(28)))

    with monkeypatch.context() as patched:
        patched.setattr("envlock.edges.bags.BagWriter.finish", full)
        said = envlock(*FREEZE, "--archive", str(site.root / "kept/tiny"), "--json")
    assert error(said) == (3, "disk-full")
    assert not (site.root / "kept/tiny").exists()
    assert (site.project / "envlock.toml").read_text() == manifest
    assert envlock(*FREEZE, "--archive", str(site.root / "kept/tiny")).status == 0
    assert [path.name for path in (site.root / "kept").iterdir()] == ["tiny"]


def test_the_environment_of_an_archive_is_kept(archive: Path, site: Site, envlock: Envlock):
    assert envlock("thaw", "tiny", *REAL, "--reason", "handed in").status == 0
    for version in ("1.2", "1.3"):
        site.offer("beta", version)
        assert envlock("solve", "tiny", *REAL, "--upgrade").status == 0
    environments = site.project / ".envlock/environments"
    assert len(list(environments.iterdir())) == 3
    assert envlock("gc", "--yes").status == 0
    assert len(list(environments.iterdir())) == 2  # the archive's and the current one
    shutil.rmtree(archive)
    assert envlock("gc", "--yes").status == 0
    assert len(list(environments.iterdir())) == 1


def test_a_freeze_without_a_last_day(site: Site, envlock: Envlock):
    assert envlock("solve", "tiny", *REAL, "--lock-only").status == 0
    assert error(envlock("freeze", "tiny", *REAL, "--reason", "x", "--json")) == (2, "until-missing")
    said = envlock("freeze", "tiny", *REAL, "--until", "yesterday")
    assert (said.status, "is not a day such as 2027-06-30" in " ".join(said.err.split())) == (2, True), said


def test_a_place_that_cannot_be_written(site: Site, envlock: Envlock):
    assert envlock("solve", "tiny", *REAL).status == 0
    before = site.listing()
    said = envlock(*FREEZE, "--archive", "envlock.toml/inside", "--json")
    assert error(said) == (3, "not-writable")
    assert {name: digest for name, digest in site.listing().items() if name in before} == before


def test_each_target_has_an_archive_of_its_own(
    archive: Path, site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    """The interpreter of ``here`` is on another machine; its wheels can be kept all the same."""
    assert envlock("solve", "tiny", "--target", "here", "--lock-only", "--json").status == 1  # it is frozen
    thawed = envlock("thaw", "tiny", "--reason", "a second target")
    assert thawed.status == 0
    assert envlock("solve", "tiny", "--target", "here", "--lock-only").status == 0
    for target in ("real", "here"):
        command = [*FREEZE[:2], "--target", target, *FREEZE[4:]]
        said = envlock(*command, "--archive", str(site.root / f"kept/{target}"))
        assert said.status == 0, said.golden
    document = tomllib.loads((site.project / "envlock.toml").read_text())
    kept = {target: str(site.root / f"kept/{target}") for target in ("real", "here")}
    assert document["groups"]["tiny"]["frozen"]["archive"] == kept
    for target in ("real", "here"):
        health = json.loads(envlock("freeze", "--check", "--target", target, "--json").out)["groups"][0]
        assert health["archive"] == f"<root>/kept/{target}"
        assert "archive-unreadable" not in {one["code"] for one in health["decayed"]}
    elsewhere(site, monkeypatch)
    assert envlock("restore", str(site.root / "kept/real"), "--no-verify").status == 0
    record = json.loads((site.root / "kept/here/data/envlock-archive.json").read_text())
    assert (record["target"], record["python"]["version"]) == ("here", "3.12.1")


def test_an_archive_without_a_target_is_that_of_each(archive: Path, site: Site, envlock: Envlock):
    """As people write it by hand."""
    path = site.project / "envlock.toml"
    path.write_text(path.read_text().replace(f'{{real = "{archive}"}}', f'"{archive}"'))
    health = json.loads(envlock("freeze", "--check", *REAL, "--json").out)["groups"][0]
    assert health["archive"] == "<root>/kept/tiny"
    assert envlock("freeze", "tiny", *REAL, "--archive", str(site.root / "kept/moved")).status == 0
    frozen = tomllib.loads(path.read_text())["groups"]["tiny"]["frozen"]
    assert frozen["archive"] == {"real": str(site.root / "kept/moved")}
