"""Locks in the forms that other tools read, and frozen groups' promises looked after."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import uv
from packaging.pylock import Pylock

from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]
REAL = ["--target", "real"]


@pytest.fixture
def locked(site: Site, envlock: Envlock) -> Site:
    """The group ``tiny`` is locked for the target ``real``."""
    assert envlock("solve", "tiny", *REAL, "--lock-only").status == 0
    return site


def exported(site: Site, envlock: Envlock, form: str) -> str:
    path = site.root / f"exported.{form}"
    said = envlock("export", "tiny", *REAL, "--format", form, "-o", str(path))
    assert (said.status, said.out) == (0, "")
    return path.read_text()


def test_requirements_install_with_hashes(locked: Site, envlock: Envlock):
    text = exported(locked, envlock, "requirements")
    assert re.search(r"^alpha==2.0 \\\n    --hash=sha256:[0-9a-f]{64}$", text, re.MULTILINE)
    prefix = locked.root / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True, timeout=PATIENCE_S)
    command = [uv.find_uv_bin(), "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--no-config"]
    command += ["--python", str(prefix / "bin/python"), "--default-index", locked.index.as_uri()]
    subprocess.run([*command, "-r", locked.root / "exported.requirements"], check=True, timeout=PATIENCE_S)
    code = "import alpha, beta; print(alpha.version, beta.version)"
    ran = subprocess.run([prefix / "bin/python", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "2.0 1.1\n"


def test_a_pylock_without_any_tool_table(locked: Site, envlock: Envlock):
    document = tomllib.loads(exported(locked, envlock, "pylock"))
    Pylock.from_dict(document)
    whole = tomllib.loads((locked.project / "locks/real/pylock.tiny.toml").read_text())
    assert "tool" not in str(document.keys())
    assert all("tool" not in package for package in document["packages"])
    assert [one["wheels"] for one in document["packages"]] == [one["wheels"] for one in whole["packages"]]


def test_a_bill_of_materials_that_the_standard_s_schema_accepts(locked: Site, envlock: Envlock):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator  # a second, for whoever runs this test alone

    text = exported(locked, envlock, "sbom")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    document = json.loads(text)
    components = {one["name"]: one for one in document["components"]}
    assert components["alpha"]["purl"] == "pkg:pypi/alpha@2.0"
    assert len(components["alpha"]["hashes"][0]["content"]) == 64
    assert (components["python"]["type"], components["alpha"]["type"]) == ("platform", "library")
    needs = {one["ref"]: one.get("dependsOn", []) for one in document["dependencies"]}
    assert "beta==1.1" in needs["alpha==2.0"]


def test_a_crate_of_the_lock(locked: Site, envlock: Envlock):
    graph = {one["@id"]: one for one in json.loads(exported(locked, envlock, "ro-crate"))["@graph"]}
    assert graph["./"]["hasPart"] == {"@id": "pylock.tiny.toml"}
    assert graph["#alpha==2.0"]["softwareVersion"] == "2.0"
    assert "the research group tiny" in graph["./"]["creditText"]


def test_a_lock_that_was_edited_by_hand_is_not_handed_on(locked: Site, envlock: Envlock):
    path = locked.project / "locks/real/pylock.tiny.toml"
    path.write_text(re.sub('(?<=^sha256 = ")[0-9a-f]{64}', "0" * 64, path.read_text(), flags=re.MULTILINE))
    said = envlock("export", "tiny", *REAL)
    assert (said.status, said.out) == (2, "")
    assert "code   lock-edited" in said.err


def test_what_cannot_be_exported(site: Site, envlock: Envlock):
    said = envlock("export", "tiny", *REAL, "--json")
    assert (said.status, json.loads(said.out)["error"]["code"]) == (2, "not-locked")
    assert envlock("export", "tiny", *REAL, "--format", "spreadsheet").status == 2


FREEZE = ["freeze", "tiny", *REAL, "--until", "2999-12-31", "--reason", "the thesis is handed in"]


@pytest.fixture
def kept(site: Site, envlock: Envlock) -> Path:
    """The archive of the group ``tiny``, which is frozen."""
    assert envlock("solve", "tiny", *REAL).status == 0
    assert envlock(*FREEZE, "--archive", "kept").status == 0
    return site.project / "kept"


def codes(said: Said) -> dict[str, bool]:
    (group,) = json.loads(said.out)["groups"]
    return {one["code"]: one["hurts"] for one in group["decayed"]}


def test_a_promise_that_can_be_kept(kept: Path, envlock: Envlock, golden: Golden):
    golden("freeze-check-fine", envlock("freeze", "--check", *REAL))


def test_what_the_index_and_the_machine_no_longer_have(
    kept: Path, site: Site, envlock: Envlock, golden: Golden
):
    for page in (site.index / "alpha").iterdir():
        page.unlink()
    site.offer("alpha", "3.0")
    site.offer("beta", "1.1", source="replaced = True\n")
    said = envlock("freeze", "--check", "tiny", *REAL, "--json")
    assert said.status == 0  # the archive has both
    assert codes(said) == {"file-gone": False, "file-replaced": False}
    damaged = next(kept.glob("data/wheels/alpha-*.whl"))
    damaged.write_bytes(b"x")
    said = envlock("freeze", "--check", "tiny", *REAL, "--json")
    assert said.status == 1
    assert codes(said) == {"archive-damaged": True, "file-gone": True, "file-replaced": True}
    manifest = (site.project / "envlock.toml").read_text()
    ours = site.real.version
    another = re.sub(r'abi = "cp\d+', 'abi = "cp399', manifest.replace(f'"{ours}"', '"3.99.7"'))
    (site.project / "envlock.toml").write_text(another)
    said = envlock("freeze", "--check", "tiny", *REAL, "--offline")
    assert (said.status, "interpreter-gone" in said.out) == (1, True)
    assert f"pyenv install {ours}" in said.out


TOO_NEW = """\
[[fact]]
id = "alpha-2-driver"
when = { alpha = ">=2" }
then = { driver = "<570" }
evidence = "reported"
reason = "alpha 2 calls what driver 570 no longer has"
sources = [{ title = "https://example.org/alpha/issues/2", checked = 2026-01-31 }]
refuses = [{ alpha = "2.0", driver = "580.65" }]
accepts = [{ alpha = "2.0", driver = "535.54" }]
"""


def test_a_driver_that_became_too_new(site: Site, envlock: Envlock):
    overlay = site.root / "knowledge/facts"
    overlay.mkdir(parents=True)
    (overlay / "alpha.toml").write_text(TOO_NEW)
    known = ["--knowledge", str(overlay.parent), *REAL]
    manifest = site.project / "envlock.toml"
    glibc = 'components = { glibc = "2.31"'
    manifest.write_text(manifest.read_text().replace(glibc, f'{glibc}, driver = "535.54"'))
    assert envlock("solve", "tiny", "--lock-only", *known).status == 0
    assert envlock(*FREEZE).status == 0
    check = ["freeze", "--check", "tiny", "--offline", *known]
    assert envlock(*check).status == 0
    manifest.write_text(manifest.read_text().replace("535.54", "550.90"))
    said = envlock(*check, "--json")
    assert (said.status, codes(said)) == (0, {"node-changed": False})  # another one, and a fine one
    manifest.write_text(manifest.read_text().replace("550.90", "580.65"))
    said = envlock(*check, "--json")
    assert (said.status, codes(said)) == (1, {"node-changed": False, "fact-refuses": True})
    text = " ".join(envlock(*check).out.split())
    assert "alpha 2 calls what driver 570 no longer has" in text
    assert re.search("a node or site with one of: [^:]*driver <570 ", text)


def test_an_archive_that_is_gone(kept: Path, envlock: Envlock):
    kept.rename(kept.with_name("elsewhere"))
    said = envlock("freeze", "--check", "tiny", *REAL, "--json")
    assert (said.status, codes(said)) == (1, {"archive-unreadable": True})


def test_an_archive_in_a_folder_that_is_read_only_is_no_unreadable_one(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    """Curators keep archives where nobody may write; to read one tar file it is unpacked elsewhere."""
    assert envlock("solve", "tiny", *REAL).status == 0
    kept = site.root / "curated/kept.tar"
    assert envlock(*FREEZE, "--archive", str(kept)).status == 0
    unpacked, closed = tempfile.mkdtemp, kept.parent

    def unpacking(**given: Path) -> str:
        if given["dir"] == closed:
            raise PermissionError(13, "Permission denied", str(closed))
        return unpacked(**given)

    monkeypatch.setattr("tempfile.mkdtemp", unpacking)
    monkeypatch.setattr("envlock.app.keeping.decay.is_writable", lambda folder: folder != closed)
    assert envlock("freeze", "--check", *REAL, "--offline").status == 0
    monkeypatch.setattr("envlock.app.keeping.decay.is_writable", lambda folder: True)
    said = envlock("freeze", "--check", *REAL, "--offline", "--json")
    assert (said.status, json.loads(said.out)["error"]["code"]) == (3, "not-writable")  # of us, not of it


def test_a_frozen_group_that_has_lost_its_lock(kept: Path, site: Site, envlock: Envlock):
    """The lock is all that was promised: without it, no check may say that nothing is frozen."""
    lock = site.project / "locks/real/pylock.tiny.toml"
    lock.unlink()
    for named in ([], ["tiny"]):
        said = envlock("freeze", "--check", *named, *REAL, "--json")
        assert (said.status, codes(said)) == (1, {"lock-lost": True})
    said = envlock("freeze", "--check", *REAL)
    assert "restore the lock from version control or an archive" in said.out
    said = envlock("status", *REAL)
    assert said.status == 1
    assert "lock-lost" in said.out
    for command in (["run", "tiny", *REAL, "--json", "--", "true"], ["repair", "tiny", *REAL, "--json"]):
        said = envlock(*command)
        assert "frozen-unlocked" in said.out + said.err


def test_a_frozen_group_need_not_have_locks_on_all_targets(kept: Path, envlock: Envlock):
    assert envlock("freeze", "--check", "--target", "here").out == "no group is frozen here\n"
    assert envlock("status", "--target", "here").status == 0


def test_check_of_what_is_not_frozen(site: Site, envlock: Envlock):
    said = envlock("freeze", "--check", "tiny", *REAL, "--json")
    assert (said.status, json.loads(said.out)["error"]["code"]) == (2, "not-frozen")
    assert envlock("freeze", "--check", *REAL).out == "no group is frozen here\n"
    assert envlock("freeze", *REAL, "--json").status == 2


def test_a_check_is_not_taken_for_a_promise(site: Site, envlock: Envlock):
    for option, value in (("--until", "2999-12-31"), ("--reason", "a thesis"), ("--archive", "kept")):
        said = envlock("freeze", "--check", "tiny", *REAL, option, value, "--json")
        assert (said.status, json.loads(said.out)["error"]["code"]) == (2, "usage")
