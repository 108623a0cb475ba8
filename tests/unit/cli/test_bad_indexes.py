"""Indexes and caches that fail: a clear error or the right lock, and never a wrong one."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Said, Site
from tests.unit.edges.index.conftest import IndexServer, serving

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "here", "--lock-only"]
LOGIN = "<html><body><form action='/login'><input type=password></form></body></html>"


@pytest.fixture
def server(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexServer]:
    """The site's small index over HTTP."""
    with serving() as started:
        for folder in sorted(site.index.iterdir()):
            links = [started.file(wheel.name, wheel.read_bytes()) for wheel in sorted(folder.glob("*.whl"))]
            started.page(folder.name, f"<!DOCTYPE html><html><body>{' '.join(links)}</body></html>")
        monkeypatch.setenv("PIP_INDEX_URL", f"{started.url}/simple")
        monkeypatch.setenv("PIP_RETRIES", "1")
        monkeypatch.setenv("PIP_TIMEOUT", str(PATIENCE_S))
        yield started


def slow(server: IndexServer) -> None:
    server.routes["/simple/beta/"].pause_s = 60.0


def errors(server: IndexServer) -> None:
    server.routes["/simple/beta/"].failures = 100


def half_a_page(server: IndexServer) -> None:
    page = server.routes["/simple/beta/"]
    page.content = page.content[: len(page.content) // 2]


def cut_off(server: IndexServer) -> None:
    server.routes["/simple/beta/"].cut = True


def wrong_file(server: IndexServer) -> None:
    server.routes["/files/beta-1.1-py3-none-any.whl"].ranges = False
    server.routes["/files/beta-1.1-py3-none-any.whl"].content += b"altered"


def empty(server: IndexServer) -> None:
    server.page("beta", " \n")


def blocked(server: IndexServer) -> None:
    server.routes["/files/beta-1.1-py3-none-any.whl"].status = 403
    server.routes["/files/beta-1.1-py3-none-any.whl"].ranges = False


def login(server: IndexServer) -> None:
    server.page("beta", LOGIN)


def login_instead_of_a_file(server: IndexServer) -> None:
    server.routes["/files/beta-1.1-py3-none-any.whl"].content = LOGIN.encode()


def login_instead_of_an_unhashed_file(server: IndexServer) -> None:
    page = server.routes["/simple/beta/"]
    page.content = re.sub(rb"#sha256=[0-9a-f]+", b"", page.content)
    login_instead_of_a_file(server)


def no_wheel_as_published(server: IndexServer) -> None:
    republish(server, b"no zip file")


def of_another_name(server: IndexServer) -> None:
    republish(server, server.routes["/files/alpha-2.0-py3-none-any.whl"].content)


def gone(server: IndexServer) -> None:
    del server.routes["/files/beta-1.1-py3-none-any.whl"]


def no_record(server: IndexServer) -> None:
    """Its metadata can be read, by which it is chosen; no installer takes it."""
    whole, cut = io.BytesIO(server.routes["/files/beta-1.1-py3-none-any.whl"].content), io.BytesIO()
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(cut, "w") as new:
        for name in old.namelist():
            if not name.endswith("RECORD"):
                new.writestr(name, old.read(name))
    republish(server, cut.getvalue())


def republish(server: IndexServer, content: bytes) -> None:
    """As a file that was published so: its hash is right."""
    old = server.routes["/files/beta-1.1-py3-none-any.whl"].content
    page = server.routes["/simple/beta/"]
    hashes = [hashlib.sha256(one).hexdigest().encode() for one in (old, content)]
    page.content = page.content.replace(*hashes)
    server.routes["/files/beta-1.1-py3-none-any.whl"].content = content


BROKEN = [
    (no_wheel_as_published, "cannot be read"),
    (of_another_name, "no METADATA of beta"),
    (gone, "is no longer at its address (HTTP status 404)"),
    (no_record, "cannot be read"),
]


@pytest.mark.parametrize(("spoil", "told"), BROKEN)
def test_a_broken_file_of_one_release_leads_to_another(
    site: Site, envlock: Envlock, server: IndexServer, spoil, told: str
):
    spoil(server)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    packages = tomllib.loads(site.lock.read_text())["packages"]
    assert {one["name"]: one["version"] for one in packages} == {"alpha": "2.0", "beta": "1.0"}
    said = envlock("why-not", "beta==1.1", "tiny", "--target", "here")
    assert said.status == 1, said.golden
    assert "beta-1.1-py3-none-any.whl" in said.out
    assert told in said.out


@pytest.mark.parametrize(("spoil", "told"), BROKEN)
def test_a_broken_file_that_nothing_can_replace_is_told(
    site: Site, envlock: Envlock, server: IndexServer, spoil, told: str
):
    site.manifest('[groups.tiny]\nrequires = ["alpha==2.0", "beta==1.1"]\n')
    spoil(server)
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert "beta-1.1-py3-none-any.whl" in said.err
    assert told in said.err
    assert "ask for beta ==1.0" in said.err
    assert not site.lock.exists()


@pytest.mark.parametrize(
    ("spoil", "code", "told"),
    [
        (slow, "index-unreachable", "Timeout"),
        (errors, "index-error", "503"),
        (half_a_page, "index-error", "cut off"),
        (cut_off, "index-unreachable", "cannot be reached"),
        (wrong_file, "hash-mismatch", "expected"),
        (login, "index-error", "login page"),
        (empty, "index-error", "it is empty"),
        (blocked, "index-error", 'constraints = ["NAME!=VERSION"]'),
        (login_instead_of_a_file, "hash-mismatch", "beta-1.1-py3-none-any.whl"),
        (login_instead_of_an_unhashed_file, "index-error", "login page"),
    ],
)
def test_a_failing_index_is_told_and_no_lock_written(
    site: Site,
    envlock: Envlock,
    server: IndexServer,
    monkeypatch: pytest.MonkeyPatch,
    spoil,
    code: str,
    told: str,
):
    sound = {path: (route.content, route.kind) for path, route in server.routes.items()}
    spoil(server)
    with monkeypatch.context() as hurry:
        if spoil is slow:
            hurry.setenv("PIP_TIMEOUT", "0.5")
        said = envlock(*SOLVE)
    assert said.status == 3, said.golden
    assert f"code   {code}" in said.err
    assert told in said.err
    assert not list(site.project.rglob("pylock.*"))
    # Nothing of it stays: the index mended, the same command gives the right answer.
    for path, (content, kind) in sound.items():
        server.routes[path] = type(server.routes[path])(content=content, kind=kind)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert 'version = "1.1"' in site.lock.read_text()


def test_a_cache_cut_off_in_the_middle_is_made_again(site: Site, envlock: Envlock, server: IndexServer):
    assert envlock(*SOLVE).status == 0
    first = site.lock.read_bytes()
    kept = [path for path in (site.root / "cache").rglob("*") if path.is_file()]
    assert len(kept) > 4
    for path in kept:
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
    site.lock.unlink()
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert site.lock.read_bytes() == first


def test_two_solves_at_once_on_one_cache(site: Site, server: IndexServer, tmp_path: Path):
    text = (site.project / "envlock.toml").read_text()
    projects = [tmp_path / f"project-{number}" for number in range(2)]
    for project in projects:
        project.mkdir()
        (project / "envlock.toml").write_text(text)
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "envlock", *SOLVE, "--project", str(project)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for project in projects
    ]
    outputs = [process.communicate(timeout=PATIENCE_S)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], outputs
    locks = [(project / "locks/here/pylock.tiny.toml").read_bytes() for project in projects]
    assert locks[0] == locks[1]
    assert b"beta" in locks[0]


def test_a_frozen_group_asks_no_index(site: Site, envlock: Envlock, server: IndexServer):
    assert envlock(*SOLVE).status == 0
    frozen = envlock("freeze", "tiny", "--until", "2099-01-01", "--reason", "a thesis", "--target", "here")
    assert frozen.status == 0, frozen.golden
    shutil.rmtree(site.root / "cache")
    server.requests.clear()
    assert "code   frozen" in envlock(*SOLVE, "--upgrade").err
    assert server.requests == []
