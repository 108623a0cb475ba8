"""Folders of sources that are not editable: packed as they are at a solve, locked by hash, and built."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from envlock.edges.index.source_folders import pack_folder
from tests.unit.cli.conftest import Said, Site, laid_open
from tests.unit.cli.test_repositories import SOLVE, ask, git, locked, says, write

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]


@pytest.fixture
def sources(site: Site) -> Path:
    folder = site.project / "src"
    write(folder, "first")
    return folder


@pytest.mark.parametrize("absolute", [False, True])
def test_a_folder_is_locked_as_it_is_now_and_built(
    site: Site, envlock: Envlock, sources: Path, absolute: bool
):
    ask(site, sources.as_uri() if absolute else "./src")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    found = locked(site)
    assert found["directory"] == {"path": str(sources) if absolute else "../../src"}
    assert "version" not in found
    assert says(site, envlock) == "first 1.0"
    before = (site.project / "locks/real/pylock.tiny.toml").read_bytes()
    (sources / "__pycache__").mkdir()
    (sources / "__pycache__/mytools.pyc").write_bytes(b"made of it")
    assert envlock(*SOLVE).status == 0
    assert (site.project / "locks/real/pylock.tiny.toml").read_bytes() == before
    write(sources, "second")
    assert says(site, envlock) == "first 1.0"
    assert envlock(*SOLVE).status == 0
    assert (site.project / "locks/real/pylock.tiny.toml").read_bytes() != before
    assert says(site, envlock) == "second 1.0"
    text = envlock("export", "tiny", "--target", "real").out  # to pip a folder has no hash
    assert "mytools==" not in text
    assert "pip install --no-deps " in text
    bill = json.loads(envlock("export", "tiny", "--target", "real", "--format", "sbom").out)
    assert "pkg:generic/mytools@0.3" in [one.get("purl") for one in bill["components"]]


def test_the_folder_of_the_manifest_itself_stays_the_same_through_its_own_lock(site: Site, envlock: Envlock):
    write(site.project, "beside")
    ask(site, "./")
    assert envlock(*SOLVE).status == 0
    before = locked(site)
    assert envlock(*SOLVE).status == 0
    assert locked(site) == before
    assert says(site, envlock) == "beside 1.0"


@pytest.mark.parametrize("on_the_index", [False, True])
def test_a_folder_of_sources_sends_no_group_to_an_index(
    site: Site, envlock: Envlock, sources: Path, on_the_index: bool
):
    """Where the interpreter is chosen by wheels, too: the index may have another thing of that name."""
    if on_the_index:
        site.offer("mytools", "7.0")
    source = f'[sources]\nmytools = {{ path = "./{sources.name}" }}\n'
    site.manifest(f'[groups.tiny]\nrequires = ["mytools"]\n{source}', ("3.12.1", "3.9.18"))
    said = envlock("solve", "tiny", "--lock-only", "--target", "here")
    assert said.status == 0, said.golden
    assert 'name = "mytools"' in site.lock.read_text()


def test_a_frozen_group_keeps_what_the_folder_held(site: Site, envlock: Envlock, sources: Path):
    ask(site, "./src")
    assert envlock(*SOLVE).status == 0
    frozen = envlock("freeze", "tiny", "--target", "real", "--until", "2999-01-01", "--reason", "thesis")
    assert frozen.status == 0, frozen.golden
    write(sources, "second")
    shutil.rmtree(laid_open(site.project / ".envlock"))
    assert envlock(*SOLVE).status == 0
    assert says(site, envlock) == "first 1.0"


def test_what_a_folder_held_and_nobody_has_any_more_is_told(
    site: Site, envlock: Envlock, sources: Path, monkeypatch: pytest.MonkeyPatch
):
    ask(site, "./src")
    assert envlock(*SOLVE, "--lock-only").status == 0
    assert (
        envlock("freeze", "tiny", "--target", "real", "--until", "2999-01-01", "--reason", "thesis").status
        == 0
    )
    write(sources, "second")
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(site.root / "another-cache"))
    said = envlock(*SOLVE)
    assert said.status == 2
    assert "sources-changed" in said.err


@pytest.mark.parametrize(
    ("place", "more", "told"),
    [
        ("./nowhere", "", "there is no such folder"),
        ("./locks", "", "there is neither a pyproject.toml nor a setup.py"),
        ("./src#sha256=" + 64 * "0", "", "a folder has no sha256"),
        ("./src#subdirectory=python", "", "an archive cannot have a subdirectory"),
        ("https://example.org/src", "", "the name of neither a wheel nor an sdist"),
    ],
)
def test_what_is_no_folder_of_sources(
    site: Site, envlock: Envlock, sources: Path, place: str, more: str, told: str
):
    (site.project / "locks").mkdir()
    ask(site, place, more)
    said = envlock(*SOLVE)
    assert said.status == 2
    assert told in " ".join(said.err.split())


def test_a_version_that_only_git_knows_is_told_in_sources(site: Site, envlock: Envlock):
    write(site.project / "src", "scm", 'dynamic = ["version"]')
    ask(site, "./src")
    said = envlock(*SOLVE)
    assert (said.status, "source-version" in said.err) == (2, True), said.golden
    site.manifest(
        '[groups.tiny]\nrequires = ["mytools"]\n[sources]\nmytools = { path = "./src", version = "0.7" }\n'
    )
    assert envlock(*SOLVE).status == 0
    assert says(site, envlock) == "scm 1.0"


def test_what_git_ignores_is_no_source(site: Site, envlock: Envlock, sources: Path):
    git(sources, "init", "-q")
    (sources / ".gitignore").write_text("data\n")
    git(sources, "add", "pyproject.toml", "backend.py")  # mytools.py is new, and counts all the same
    ask(site, "./src")
    assert envlock(*SOLVE).status == 0
    before = locked(site)["tool"]["envlock"]["sha256"]
    (sources / "data").mkdir()
    (sources / "data/large.bin").write_bytes(b"ignored")
    assert envlock(*SOLVE).status == 0
    assert locked(site)["tool"]["envlock"]["sha256"] == before
    assert says(site, envlock) == "first 1.0"


def test_links_that_lead_out_are_no_sources_and_are_told(site: Site, envlock: Envlock, sources: Path):
    """``data -> /scratch/...`` is usual in research code, and nobody may unpack such a link (PEP 706)."""
    (site.root / "elsewhere").mkdir()
    inside = {"alias.py": "mytools.py", "full.py": sources / "mytools.py", "deep/up.py": "../mytools.py"}
    outside = {"data": "/nowhere/data", "up": "../../elsewhere", "again": "data", "deep/up": "../deep/../.."}
    (sources / "deep").mkdir()
    for name, there in {**inside, **outside}.items():
        (sources / name).symlink_to(there)
    ask(site, "./src")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    told = "mytools: left out of its sources, which they lead out of: again, data, deep/up, up"
    assert " ".join(said.out.split()).count(told) == 1, said.golden
    assert says(site, envlock) == "first 1.0"
    packed = io.BytesIO()
    pack_folder(sources, packed)
    packed.seek(0)
    with tarfile.open(fileobj=packed) as archive:
        links = {one.name.removeprefix("sources/"): one.linkname for one in archive if one.issym()}
    assert links == {"alias.py": "mytools.py", "full.py": "mytools.py", "deep/up.py": "../mytools.py"}


def test_packages_with_names_of_leftovers_are_sources(tmp_path: Path):
    write(tmp_path, "first")
    kept = ("mytools/build/__init__.py", "mytools/dist/x.py", "mytools/lru_cache/x.py", "node_modules.py")
    left = (
        "build/lib/mytools.py",
        "dist/x.whl",
        "x.egg-info/PKG-INFO",
        ".mypy_cache/x",
        "v/pyvenv.cfg",
        "v/x.py",
    )
    for name in (*kept, *left):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    packed = io.BytesIO()
    pack_folder(tmp_path, packed)
    packed.seek(0)
    with tarfile.open(fileobj=packed) as archive:
        names = {name.removeprefix("sources/") for name in archive.getnames()}
    assert names == {*kept, "pyproject.toml", "backend.py", "mytools.py"}
