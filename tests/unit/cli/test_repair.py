"""Damaged environments, found and mended, with real ones."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Said, Site, laid_open

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]
REAL = ["--target", "real"]


@pytest.fixture
def packages(site: Site, envlock: Envlock) -> Path:
    """The site-packages of the group ``tiny``, solved: alpha 2.0 and beta 1.1."""
    assert envlock("solve", "tiny", *REAL).status == 0
    prefix = json.loads(envlock("where", "tiny", *REAL, "--json").out)["prefix"]
    return next(Path(prefix.replace("<root>", str(site.root))).glob("lib/python3.*/site-packages"))


def plain(said: Said) -> Said:
    text = re.sub(r"real-tiny-[0-9a-f]{20}", "real-tiny-<key>", said.out)
    return Said(said.status, re.sub(r"python3\.\d+", "python3.<minor>", text), said.err)


def flaws(said: Said) -> set[tuple[str, str, str]]:
    found = json.loads(said.out)["flaws"]
    return {(one["distribution"], Path(one["path"]).name, one["damage"]) for one in found}


def test_nothing_to_repair(packages: Path, envlock: Envlock):
    count = 3 if sys.version_info < (3, 12) else 2  # before, setuptools is in the environment as well
    told = f"tiny: all files of {count} distributions are as they were installed\n"
    assert envlock("repair", "tiny", *REAL) == Said(status=0, out=told, err="")


def test_changed_missing_and_foreign_files(packages: Path, site: Site, envlock: Envlock, golden: Golden):
    original = (packages / "alpha.py").read_bytes()
    laid_open(packages)
    with (packages / "alpha.py").open("ab") as file:  # in place, so that the installer's cache changes too
        file.write(b"# not what was published\n")
    (packages / "beta.py").unlink()
    (packages / "sitecustomize.py").write_text("")
    before = site.listing()
    golden("repair-dry-run", plain(envlock("repair", "tiny", *REAL, "--dry-run")))
    assert site.listing() == before
    golden("repair", plain(envlock("repair", "tiny", *REAL)))
    assert (packages / "alpha.py").read_bytes() == original
    assert (packages / "beta.py").is_file()
    (laid_open(packages) / "sitecustomize.py").unlink()
    assert envlock("repair", "tiny", *REAL).status == 0
    assert envlock("run", "tiny", *REAL, "--json").status == 0


def test_a_damaged_cache_of_the_installer_is_not_used_again(packages: Path, site: Site, envlock: Envlock):
    laid_open(packages)
    with (packages / "alpha.py").open("ab") as file:
        file.write(b"# not what was published\n")
    assert envlock("repair", "tiny", *REAL).status == 0
    site.manifest('[groups.twin]\nrequires = ["alpha==2.0"]\n')
    assert envlock("solve", "twin", *REAL).status == 0
    assert envlock("repair", "twin", *REAL, "--dry-run").status == 0
    twin = json.loads(envlock("where", "twin", *REAL, "--json").out)["prefix"].replace(
        "<root>", str(site.root)
    )
    assert b"not what was published" not in next(Path(twin).rglob("alpha.py")).read_bytes()


def test_what_was_published_with_a_wrong_record_is_fine_until_it_changes(site: Site, envlock: Envlock):
    """As PyTorch 1.8.1's METADATA and 1.9.1's largest library are, and what others name and do not have."""
    wheel = site.offer("gamma", "1.0")
    with zipfile.ZipFile(wheel) as archive:
        members = {one.filename: archive.read(one) for one in archive.infolist()}
    members["gamma-1.0.dist-info/METADATA"] += b"\nNot what its RECORD says.\n"
    members["gamma.py"] += b"# longer than its RECORD says\n"
    members["gamma-1.0.dist-info/RECORD"] += (
        b"gone.py,sha256=AAAA,3\ngamma-1.0.data/scripts/gamma,sha256=AAAA,3\n"
    )
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    site.manifest('[groups.tiny]\nrequires = ["gamma"]\n')
    assert envlock("solve", "tiny", *REAL).status == 0
    assert envlock("repair", "tiny", *REAL, "--dry-run").status == 0
    prefix = json.loads(envlock("where", "tiny", *REAL, "--json").out)["prefix"]
    (metadata,) = Path(prefix.replace("<root>", str(site.root))).rglob("gamma-1.0.dist-info/METADATA")
    with (laid_open(metadata.parents[1]) / "gamma-1.0.dist-info/METADATA").open("ab") as file:
        file.write(b"Nor what was published.\n")
    with (metadata.parents[1] / "gamma.py").open("ab") as file:
        file.write(b"# nor this\n")
    found = flaws(envlock("repair", "tiny", *REAL, "--dry-run", "--json"))
    assert found == {("gamma", "METADATA", "changed"), ("gamma", "gamma.py", "changed")}
    assert envlock("repair", "tiny", *REAL).status == 0
    assert envlock("repair", "tiny", *REAL, "--dry-run").status == 0


def test_records_that_were_rewritten_are_noticed(packages: Path, envlock: Envlock):
    record = laid_open(packages) / "alpha-2.0.dist-info/RECORD"
    lines = record.read_text().splitlines(keepends=True)
    record.write_text("".join(line for line in lines if not line.startswith("alpha.py")))
    found = flaws(envlock("repair", "tiny", *REAL, "--dry-run", "--json"))
    assert found == {("alpha", "RECORD", "changed"), ("", "alpha.py", "foreign")}
    assert envlock("repair", "tiny", *REAL).status == 0
    assert record.read_text().splitlines(keepends=True) == lines


def test_distributions_from_outside_are_removed(packages: Path, envlock: Envlock):
    folder = laid_open(packages) / "gamma-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: gamma\nVersion: 1.0\n")
    (folder / "RECORD").write_text(
        "gamma.py,,\ngamma-1.0.dist-info/METADATA,,\ngamma-1.0.dist-info/RECORD,,\n"
    )
    (packages / "gamma.py").write_text("")
    said = envlock("repair", "tiny", *REAL, "--json")
    assert (said.status, flaws(said)) == (0, {("gamma", "", "foreign")})
    assert not (packages / "gamma.py").exists()


def test_a_distribution_and_the_interpreter_that_are_gone_come_back(packages: Path, envlock: Envlock):
    laid_open(packages.parents[2])
    for file in (packages / "beta-1.1.dist-info").iterdir():
        file.unlink()
    (packages / "beta-1.1.dist-info").rmdir()
    python = packages.parents[2] / "bin/python"
    python.unlink()
    python.symlink_to("/nowhere/python")
    assert flaws(envlock("repair", "tiny", *REAL, "--dry-run", "--json")) >= {
        ("beta", "", "missing"),
        ("", "python", "missing"),
    }
    assert envlock("repair", "tiny", *REAL).status == 0
    assert python.is_file()


def test_an_environment_that_was_never_made(site: Site, envlock: Envlock):
    said = envlock("repair", "tiny", *REAL, "--json")
    assert (said.status, json.loads(said.out)["error"]["code"]) == (2, "not-locked")
