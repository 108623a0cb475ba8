"""A frozen group of real packages, archived, and restored as on another machine, with no network at all."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import bagit
import pytest

from tests.live.conftest import (
    ENVLOCK,
    Workplace,
    contents,
    need_open_mpi,
    need_python,
    without_network,
)

pytestmark = pytest.mark.live

MANIFEST = """\
[groups.thesis]
python = "3.9"
requires = ["gensim==4.1.2", "numpy==1.21.2", "mpi4py==3.0.3", "docopt==0.6.2"]
system = ["openmpi"]
as-of = 2021-10-17
"""
QUIET = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=2)"


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """The group solved, verified and archived into ``kept/thesis``."""
    need_open_mpi()
    need_python("3.9")
    place = Workplace(tmp_path_factory.mktemp("archive"))
    (place.folder / "envlock.toml").write_text(MANIFEST)
    place.envlock("solve", "thesis")
    place.envlock("verify", "thesis")
    promise = ["freeze", "thesis", "--until", "2999-12-31", "--reason", "thesis A is handed in"]
    place.envlock(*promise, "--archive", "kept/thesis")
    return place


def test_nothing_but_the_archive_is_needed(archived: Workplace, tmp_path: Path) -> None:
    shutil.copytree(archived.folder / "kept/thesis", tmp_path / "thesis")
    there = {path.name for path in (tmp_path / "thesis/data").rglob("*") if path.is_file()}
    assert {"mpi4py-3.0.3.tar.gz", "docopt-0.6.2.tar.gz", "pylock.thesis.report.json"} <= there
    bagit.Bag(str(tmp_path / "thesis")).validate()
    assert without_network(["python3", "-c", QUIET], tmp_path).returncode != 0
    done = without_network([str(ENVLOCK), "restore", "thesis", "--into", "there", "--json"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["verification"]["passed"] is True
    checks = {check["name"]: check["outcome"] for check in document["verification"]["report"]["checks"]}
    assert checks["mpi4py allreduce"] == "passed"
    lock = archived.lock("thesis")
    assert (tmp_path / "there/locks/local" / lock.name).read_bytes() == lock.read_bytes()
    before = contents(Path(archived.json("where", "thesis")["prefix"]))
    after = contents(Path(document["prefix"]))
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == []
    assert document["files_compared"] > 1000


def test_pip_installs_it_without_envlock(archived: Workplace, tmp_path: Path) -> None:
    payload = archived.folder / "kept/thesis/data"
    python = json.loads((payload / "envlock-archive.json").read_text())["python"]["path"]
    command = re.search(r"bin/(pip install .*)", (payload / "README.txt").read_text())
    assert command is not None
    shutil.copytree(payload, tmp_path / "data")
    assert without_network([python, "-m", "venv", "data/own"], tmp_path).returncode == 0
    script = f"cd data && own/bin/{command[1]} && own/bin/python -c 'import gensim, mpi4py, docopt'"
    done = without_network(["sh", "-c", script], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_check_finds_nothing_decayed(archived: Workplace) -> None:
    found = archived.json("freeze", "--check", "thesis")
    assert (found["decayed"], found["groups"][0]["indexes_asked"]) == (False, True)
    assert [one for one in found["groups"][0]["decayed"] if one["hurts"]] == []
