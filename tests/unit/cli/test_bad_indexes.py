"""Indexes and caches that fail: a clear error or the right lock, and never a wrong one."""

from __future__ import annotations

import subprocess
import sys
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


def login(server: IndexServer) -> None:
    server.page("beta", LOGIN)


def login_instead_of_a_file(server: IndexServer) -> None:
    server.routes["/files/beta-1.1-py3-none-any.whl"].content = LOGIN.encode()


@pytest.mark.parametrize(
    ("spoil", "code", "told"),
    [
        (slow, "index-unreachable", "Timeout"),
        (errors, "index-error", "503"),
        (half_a_page, "index-error", "cut off"),
        (cut_off, "index-unreachable", "cannot be reached"),
        (wrong_file, "hash-mismatch", "expected"),
        (login, "index-error", "login page"),
        (login_instead_of_a_file, "broken-file", "beta-1.1-py3-none-any.whl"),
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
