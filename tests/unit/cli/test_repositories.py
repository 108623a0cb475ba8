"""Sources of a git repository and archives called by a revision: locked to a commit or a hash, and built."""

from __future__ import annotations

import subprocess
import tarfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.pylock import Pylock

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
{version}
dependencies = ["beta<1.1"]
"""
BACKEND = """
import os, zipfile
VERSION = os.environ.get("SETUPTOOLS_SCM_PRETEND_VERSION", "0.3")
INFO = "mytools-%s.dist-info/" % VERSION
def build_wheel(folder, settings=None, metadata=None):
    name = "mytools-%s-py3-none-any.whl" % VERSION
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        archive.write("mytools.py")
        told = "Metadata-Version: 2.1\\nName: mytools\\nVersion: %s\\n" % VERSION
        archive.writestr(INFO + "METADATA", told)
        archive.writestr(INFO + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        archive.writestr(INFO + "RECORD", "")
    return name
"""


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()


def write(folder: Path, word: str, version: str = 'version = "0.3"') -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(PYPROJECT.format(version=version))
    (folder / "backend.py").write_text(BACKEND)
    (folder / "mytools.py").write_text(f"word = {word!r}\n")


@pytest.fixture
def repository(site: Site) -> Path:
    """A repository with a tag, and one more commit on its branch."""
    folder = site.root / "elsewhere/mytools"
    write(folder / "python", "tagged")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "tag", "-a", "v0.3", "-m", "0.3")
    write(folder / "python", "later")
    git(folder, "commit", "-q", "-a", "-m", "second")
    return folder


def ask(site: Site, place: str, more: str = "") -> None:
    site.manifest(f'[groups.tiny]\nrequires = ["mytools @ {place}"]\n{more}')


def locked(site: Site) -> dict:
    document = tomllib.loads((site.project / "locks/real/pylock.tiny.toml").read_text())
    Pylock.from_dict(document)
    return next(one for one in document["packages"] if one["name"] == "mytools")


def says(site: Site, envlock: Envlock) -> str:
    prefix = Path(envlock("where", "tiny", "--target", "real").out.strip().replace("<root>", str(site.root)))
    return subprocess.run(
        [prefix / "bin/python", "-c", "import mytools, beta; print(mytools.word, beta.version)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout.strip()


@pytest.mark.parametrize(("revision", "word"), [("@v0.3", "tagged"), ("@main", "later"), ("", "later")])
def test_a_revision_is_locked_to_its_commit_and_built(
    site: Site, envlock: Envlock, repository: Path, revision: str, word: str
):
    ask(site, f"git+{repository.as_uri()}{revision}#subdirectory=python")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    commit = git(repository, "rev-parse", f"{revision.removeprefix('@') or 'HEAD'}^{{commit}}")
    found = locked(site)
    assert found["version"] == "0.3"
    assert found["vcs"] == {
        "type": "git",
        "url": repository.as_uri(),
        "commit-id": commit,
        "subdirectory": "python",
    }
    assert says(site, envlock) == f"{word} 1.0"


def test_a_commit_stays_when_the_branch_moves_and_is_the_same_bytes_again(
    site: Site, envlock: Envlock, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    commit = git(repository, "rev-parse", "v0.3^{commit}")
    ask(site, f"git+{repository.as_uri()}@{commit}#subdirectory=python")
    assert envlock(*SOLVE, "--lock-only").status == 0
    before = (site.project / "locks/real/pylock.tiny.toml").read_bytes()
    write(repository / "python", "moved")
    git(repository, "commit", "-q", "-a", "-m", "third")
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path / "another-cache"))
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert (site.project / "locks/real/pylock.tiny.toml").read_bytes() == before
    assert says(site, envlock) == "tagged 1.0"


def test_offline_a_branch_is_where_it_was(site: Site, envlock: Envlock, repository: Path):
    ask(site, f"git+{repository.as_uri()}@main#subdirectory=python")
    said = envlock(*SOLVE, "--lock-only", "--offline")
    assert (said.status, "offline-miss" in said.err) == (3, True), said.golden
    assert envlock(*SOLVE).status == 0
    was = locked(site)
    write(repository / "python", "moved")
    git(repository, "commit", "-q", "-a", "-m", "third")
    assert envlock(*SOLVE, "--offline").status == 0
    assert locked(site) == was
    assert envlock(*SOLVE).status == 0
    assert locked(site)["vcs"]["commit-id"] == git(repository, "rev-parse", "HEAD") != was["vcs"]["commit-id"]
    assert says(site, envlock) == "moved 1.0"


@pytest.mark.parametrize(
    ("place", "status", "told"),
    [
        ("{uri}@v9", 2, "no tag and no branch 'v9'"),
        ("{uri}@" + "a" * 40, 2, "has no commit aaaa"),
        ("{uri}@main#subdirectory=rust", 2, "has no folder 'rust'"),
        ("{uri}-gone@main", 3, "cannot be read"),
    ],
)
def test_what_a_repository_does_not_have(
    site: Site, envlock: Envlock, repository: Path, place: str, status: int, told: str
):
    ask(site, "git+" + place.format(uri=repository.as_uri()))
    said = envlock(*SOLVE, "--lock-only")
    assert said.status == status, said.golden
    assert told in " ".join(said.err.split())


def _archive(site: Site, name: str, version: str) -> str:
    sources = site.root / "sources"
    write(sources, "archived", version)
    place = site.project / "archive" / name
    place.parent.mkdir()
    with tarfile.open(place, "w:gz") as archive:
        archive.add(sources, "mytools-0123abc")
    return f"./archive/{name}"


@pytest.mark.parametrize(
    ("name", "stated", "version"),
    [
        ("v0.3.tar.gz", 'version = "0.3"', "0.3"),
        ("main.tar.gz", 'version = "0.3"', "0.3"),
        ("release-0.3.tar.gz", 'version = "0.3"', "0.3"),
        ("v0.7.tar.gz", 'dynamic = ["version"]', "0.7"),
    ],
)
def test_an_archive_called_by_its_revision_is_read_for_its_version(
    site: Site, envlock: Envlock, name: str, stated: str, version: str
):
    ask(site, _archive(site, name, stated))
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    found = locked(site)
    assert found["version"] == version
    assert found["archive"]["path"] == f"../../archive/{name}"
    assert found["tool"]["envlock"]["file"] == f"mytools-{version}.tar.gz"
    assert says(site, envlock) == "archived 1.0"
    assert envlock(*SOLVE).status == 0
    assert locked(site) == found


def test_a_version_that_nothing_states_must_be_told(site: Site, envlock: Envlock):
    place = _archive(site, "main.tar.gz", 'dynamic = ["version"]')
    ask(site, place)
    said = envlock(*SOLVE)
    assert (said.status, "source-version" in said.err) == (2, True), said.golden
    site.manifest(
        f'[groups.tiny]\nrequires = ["mytools"]\n[sources]\nmytools = {{ path = "{place}", version = "1.5" }}'
    )
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert locked(site)["version"] == "1.5"


def test_sources_that_make_another_version_are_refused(site: Site, envlock: Envlock):
    place = _archive(site, "main.tar.gz", 'version = "0.4"')
    backend = (site.root / "sources/backend.py").read_text()
    (site.root / "sources/backend.py").write_text(backend.replace("os.environ.get", "(lambda *_: '0.9')"))
    with tarfile.open(site.project / place, "w:gz") as archive:
        archive.add(site.root / "sources", "mytools-0123abc")
    ask(site, place)
    said = envlock(*SOLVE)
    assert (said.status, "the wheel declares version 0.9" in " ".join(said.err.split())) == (3, True), (
        said.golden
    )
