"""Editable folders: locked as PEP 751 has them, installed as links, and never promised not to move."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.pylock import Pylock

from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "real"]
PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "mytools"
version = "0.3"
dependencies = ["beta<1.1"]
"""
BACKEND = """
import os, warnings, zipfile
INFO = "mytools-0.3.dist-info/"
def get_requires_for_build_editable(settings=None):
    return {requires!r}
def build_editable(folder, settings=None, metadata=None):
    warnings.warn("as setuptools does of editable installations")
    name = "mytools-0.3-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        archive.writestr("mytools.pth", os.getcwd() + "\\n")
        archive.writestr(INFO + "METADATA", "Metadata-Version: 2.1\\nName: mytools\\nVersion: 0.3\\n")
        archive.writestr(INFO + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        archive.writestr(INFO + "RECORD", "")
    return name
"""

ASKED = """
def prepare_metadata_for_build_wheel(folder, settings=None):
    os.mkdir(os.path.join(folder, "info"))
    with open(os.path.join(folder, "info", "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\\nName: mytools\\nVersion: 0.3\\nRequires-Dist: beta<1.1\\n")
    return "info"
"""


@pytest.fixture
def sources(site: Site) -> Path:
    folder = site.project / "src"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "backend.py").write_text(BACKEND.format(requires=[]))
    (folder / "mytools.py").write_text("import beta\nword = 'first'\n")
    site.manifest(
        '[groups.tiny]\nrequires = ["mytools"]\n[sources]\nmytools = { path = "./src", editable = true }\n'
    )
    return folder


def says(prefix: Path) -> str:
    code = "import mytools, beta; print(mytools.word, beta.version)"
    return subprocess.run(
        [prefix / "bin/python", "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    ).stdout


def test_changes_of_the_sources_count_at_once(site: Site, envlock: Envlock, sources: Path):
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert "editable: src" in said.out
    lock = site.project / "locks/real/pylock.tiny.toml"
    document = tomllib.loads(lock.read_text())
    Pylock.from_dict(document)
    (found,) = (one for one in document["packages"] if one["name"] == "mytools")
    assert found["directory"] == {"path": "../../src", "editable": True}
    assert "version" not in found
    assert Path(os.path.normpath(lock.parent / found["directory"]["path"])) == sources
    prefix = Path(envlock("where", "tiny", "--target", "real").out.strip().replace("<root>", str(site.root)))
    assert says(prefix) == "first 1.0\n"
    (sources / "mytools.py").write_text("word = 'second'\n")
    assert says(prefix) == "second 1.0\n"
    before = lock.read_bytes()
    assert envlock(*SOLVE).status == 0
    assert lock.read_bytes() == before
    assert "mytools follows src" in envlock("status", "--target", "real").out
    assert envlock("repair", "tiny", "--target", "real", "--dry-run").status == 0
    text = envlock("export", "tiny", "--target", "real").out  # pip would end with: it has no hash
    assert "\n./src" not in text
    assert "pip install --no-deps -e ./src" in text
    frozen = envlock("freeze", "tiny", "--target", "real", "--until", "2999-01-01", "--reason", "thesis")
    assert (frozen.status, "move with their sources" in frozen.err) == (1, True), frozen.golden
    assert "frozen" not in (site.project / "envlock.toml").read_text()


def test_what_the_sources_state_of_themselves_counts_with_the_next_solve(
    site: Site, envlock: Envlock, sources: Path
):
    """A command that ``[project.scripts]`` adds is a file of the environment, and the lock is the same."""
    real = ("tiny", "--target", "real")
    assert envlock(*SOLVE).status == 0
    before, lock = envlock("where", *real).out, (site.project / "locks/real/pylock.tiny.toml").read_bytes()
    (sources / "pyproject.toml").write_text(PYPROJECT + "[project.scripts]\nhello = 'mytools:word.upper'\n")
    said = envlock("status", "--target", "real")
    assert "sources-changed" in said.out
    assert envlock("where", *real) == Said(0, before, "")
    assert envlock(*SOLVE).status == 0
    after = envlock("where", *real).out
    assert after != before
    assert (site.project / "locks/real/pylock.tiny.toml").read_bytes() == lock
    assert "sources-changed" not in envlock("status", "--target", "real").out
    (sources / "pyproject.toml").unlink()
    assert "sources-changed" in envlock("status", "--target", "real").out


def test_equal_locks_of_two_projects_install_links_to_the_folders_of_each(
    site: Site, envlock: Envlock, sources: Path
):
    manifest = site.project / "envlock.toml"
    manifest.write_text(f'{manifest.read_text()}\n[site]\nstore = "{site.root}/shared"\n')
    other = site.root / "other"
    shutil.copytree(site.project, other)
    (other / "src/mytools.py").write_text("word = 'other'\n")
    assert envlock(*SOLVE).status == 0
    assert envlock(*SOLVE, "--project", str(other)).status == 0
    locks = [folder / "locks/real/pylock.tiny.toml" for folder in (site.project, other)]
    assert locks[0].read_bytes() == locks[1].read_bytes()
    words = []
    for folder in (site.project, other):
        where = envlock("where", "tiny", "--target", "real", "--project", str(folder)).out.strip()
        words.append(says(Path(where.replace("<root>", str(site.root)))))
    assert words == ["first 1.0\n", "other 1.0\n"]


def test_what_sources_do_not_state_their_backend_and_the_manifest_tell(
    site: Site, envlock: Envlock, sources: Path
):
    site.manifest(
        '[groups.tiny]\nrequires = ["mytools>=0.3"]\n'
        '[sources]\nmytools = { path = "./src", editable = true, version = "0.3" }\n'
    )
    unstated = PYPROJECT.replace('version = "0.3"\n', "").replace(
        'dependencies = ["beta<1.1"]', 'dynamic = ["version", "dependencies"]'
    )
    (sources / "pyproject.toml").write_text(unstated)
    backend = BACKEND.format(requires=[]) + ASKED
    (sources / "backend.py").write_text(backend)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    prefix = Path(envlock("where", "tiny", "--target", "real").out.strip().replace("<root>", str(site.root)))
    assert says(prefix) == "first 1.0\n"
    (sources / "backend.py").write_text(backend.replace("beta<1.1", "beta>=1.1"))
    assert envlock(*SOLVE).status == 0
    assert (
        says(prefix.parent / Path(envlock("where", "tiny", "--target", "real").out.strip()).name)
        == "first 1.1\n"
    )


def test_what_a_backend_wants_of_other_pythons_is_not_lacking(site: Site, envlock: Envlock, sources: Path):
    wanted = 'editables~=0.3; python_version < "3"'
    (sources / "backend.py").write_text(BACKEND.format(requires=[wanted]))
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden


@pytest.mark.parametrize(
    ("spoil", "status", "told"),
    [
        (lambda folder: (folder / "pyproject.toml").unlink(), 2, "neither a pyproject.toml nor a setup.py"),
        (
            lambda folder: (folder / "pyproject.toml").write_text(PYPROJECT.replace('version = "0.3"', "")),
            2,
            'write [sources] mytools = { path = "...", editable = true, version = "1.0" }',
        ),
        (
            lambda folder: (folder / "pyproject.toml").write_text(PYPROJECT.replace('"0.3"', '"three"')),
            2,
            "or what they state is not a version",
        ),
        (
            lambda folder: (folder / "pyproject.toml").write_text(PYPROJECT.replace("mytools", "others")),
            2,
            "it is others, not mytools",
        ),
        (
            lambda folder: (folder / "backend.py").write_text(BACKEND.format(requires=["editables~=0.3"])),
            3,
            "add that to build-system.requires",
        ),
        (
            lambda folder: (folder / "backend.py").write_text(
                "raise SystemExit('Multiple top-level packages discovered in a flat-layout: a, locks')"
            ),
            3,
            "name yours in its pyproject.toml",
        ),
        (
            lambda folder: (folder / "backend.py").write_text("def build_wheel(*args): pass\n"),
            3,
            "has no editable builds",
        ),
        (
            lambda folder: (folder / "backend.py").write_text(
                BACKEND.format(requires=[]).replace("mytools-0.3-", "others-0.3-")
            ),
            3,
            "its build backend made a wheel of others",
        ),
        (
            lambda folder: (folder / "backend.py").write_text(
                BACKEND.format(requires=[]).replace("mytools-0.3-", "mytools-three-")
            ),
            3,
            "mytools cannot be installed as editable",  # the name that its backend gave the wheel is not one
        ),
        (
            lambda folder: (folder / "pyproject.toml").write_text(
                PYPROJECT.replace('"backend"', '"flit_core.buildapi"').replace('backend-path = ["."]\n', "")
            ),
            3,
            "No module named 'flit_core'",
        ),
    ],
)
def test_what_cannot_be_editable(site: Site, envlock: Envlock, sources: Path, spoil, status: int, told: str):
    spoil(sources)
    said = envlock(*SOLVE)
    assert (said.status, told in " ".join(said.err.split())) == (status, True), said.golden
