"""Several indexes: pins to one of them, the first that knows a name, and what locks tell of them."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from packaging.pylock import Pylock

from tests.unit.cli.conftest import Said, Site, write_wheel
from tests.unit.edges.index.conftest import IndexServer, serving

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "here", "--lock-only"]
BASIC = "Basic bWU6cEBzcw=="
"""me, p@ss"""


class Second:
    """A second index, over HTTP, beside the site's own."""

    def __init__(self, server: IndexServer, folder: Path) -> None:
        self.server, self.folder, self.url = server, folder, f"{server.url}/simple"

    def offer(self, name: str, version: str, **options: object) -> None:
        path = self.folder / f"{name}-{version}-py3-none-any.whl"
        write_wheel(path, name, version, [], f'version = "{version}"\n')
        link = self.server.file(path.name, path.read_bytes(), **options)
        self.server.page(name, f"<!DOCTYPE html><html><body>{link}</body></html>", **options)

    def asked_for(self) -> list[str]:
        return [path.split("/")[2] for path, _ in self.server.requests if path.startswith("/simple/")]


@pytest.fixture
def second(tmp_path: Path) -> Iterator[Second]:
    (tmp_path / "second").mkdir()
    with serving() as started:
        yield Second(started, tmp_path / "second")


def ask(site: Site, second: Second, *requires: str, explicit: bool, sources: str = "", url: str = "") -> None:
    wishes = ", ".join(f'"{one}"' for one in requires)
    index = f'[[indexes]]\nname = "second"\nurl = "{url or second.url}"\nexplicit = {str(explicit).lower()}\n'
    site.manifest(f"[groups.tiny]\nrequires = [{wishes}]\n{index}[sources]\n{sources}\n")


def packages(site: Site) -> dict[str, dict]:
    document = tomllib.loads(site.lock.read_text())
    Pylock.from_dict(document)
    return {one["name"]: one for one in document["packages"]}


def test_exported_requirements_name_the_file_of_an_index_that_pip_does_not_know(
    site: Site, envlock: Envlock, second: Second
):
    second.offer("beta", "1.5")
    ask(site, second, "beta", "alpha", explicit=True, sources='beta = "second"')
    assert envlock(*SOLVE).status == 0
    text = envlock("export", "tiny", "--target", "here").out
    assert f"\nbeta @ {second.server.url}/files/beta-1.5-py3-none-any.whl \\\n    --hash=sha256:" in text
    assert "\nalpha==" in text


@pytest.mark.parametrize("form", ['beta = "second"', 'Beta = { index = "second" }'])
def test_a_pin_to_an_index_holds_and_others_do_not_look_there(
    site: Site, envlock: Envlock, second: Second, form
):
    second.offer("beta", "1.0.5")
    second.offer("alpha", "99.0")
    ask(site, second, "alpha", explicit=True, sources=form)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    found = packages(site)
    assert (found["beta"]["version"], found["beta"]["index"]) == ("1.0.5", second.url)
    assert found["beta"]["tool"]["envlock"]["index"] == "second"
    assert found["alpha"]["version"] == "2.0"
    assert "index" not in found["alpha"]  # nobody wrote one
    assert second.asked_for() == ["beta"]
    before = site.lock.read_bytes()
    assert envlock(*SOLVE).status == 0
    assert site.lock.read_bytes() == before
    # A pin to an index that does not know it is a refusal, not another index's file.
    ask(
        site,
        second,
        "alpha",
        explicit=True,
        sources='setuptools = "second"\nalpha = "second"\nbeta = "second"',
    )
    second.server.routes.pop("/simple/beta/")
    ask(site, second, "alpha", "beta<9", explicit=True, sources='beta = "second"')
    (site.root / "cache").rename(site.root / "cache-before")
    said = envlock(*SOLVE, "--upgrade")
    assert said.status == 1
    assert "  nothing offers beta, which is taken from the index 'second' alone\n" in said.err
    assert site.lock.read_bytes() == before


def test_where_no_index_is_to_be_asked_that_is_told(
    site: Site, envlock: Envlock, second: Second, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    site.manifest('[groups.tiny]\nrequires = ["alpha"]\n')
    said = envlock(*SOLVE)
    assert said.status == 1
    assert "  there is no index to ask: pip's configuration says no-index" in said.err
    second.offer("alpha", "1.0")
    ask(site, second, "alpha", explicit=False)
    assert envlock(*SOLVE).status == 0


def test_the_first_index_that_knows_a_name_is_the_only_one(site: Site, envlock: Envlock, second: Second):
    site.offer("private", "99.0")  # what a stranger published under the name of an own distribution
    second.offer("private", "1.0")
    ask(site, second, "private", "beta", explicit=False)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    found = packages(site)
    assert {name: one["version"] for name, one in found.items()} == {"private": "1.0", "beta": "1.1"}
    assert second.asked_for() == ["beta", "private"] or second.asked_for() == ["private", "beta"]
    for name, told in (("private", ", which is taken from the index 'second' alone,"), ("beta", "")):
        ask(site, second, f"{name}==98.0", explicit=False)
        said = envlock(*SOLVE)
        assert (said.status, f"no release of {name}{told} is ==98.0; " in said.err) == (1, True), said.golden


@pytest.mark.parametrize("status", [401, 403, 500])
def test_an_index_that_does_not_let_one_in_is_not_passed_by(
    site: Site, envlock: Envlock, second: Second, status
):
    site.offer("private", "99.0")
    second.server.page("private", "", status=status)
    ask(site, second, "private", explicit=False)
    os.environ["PIP_RETRIES"] = "0"
    said = envlock(*SOLVE)
    assert (said.status, f"{status}" in said.err) == (3, True), said.golden
    assert not site.lock.exists()


def test_pip_stands_for_the_indexes_of_its_configuration(site: Site, envlock: Envlock, second: Second):
    second.offer("beta", "99.0")
    ask(site, second, "beta", explicit=False, sources='beta = "pip"')
    assert envlock(*SOLVE).status == 0
    assert packages(site)["beta"]["version"] == "1.1"
    assert second.asked_for() == []


def test_a_password_comes_from_the_keyring_and_goes_nowhere(
    site: Site, envlock: Envlock, second: Second, monkeypatch: pytest.MonkeyPatch
):
    second.offer("beta", "1.5", password=BASIC)
    tools = site.root / "tools"
    tools.mkdir()
    host = second.server.url.removeprefix("http://")
    keyring = tools / "keyring"
    keyring.write_text(
        f'#!/bin/sh\necho "$*" >> {tools}/asked\n'
        f'[ "$1 $2 $3" = "get {host} me" ] && echo "p@ss" && exit 0\nexit 1\n'
    )
    keyring.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    with_name = second.url.replace("http://", "http://me@")
    ask(site, second, "beta", explicit=False, url=with_name)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert packages(site)["beta"]["index"] == second.url
    assert (tools / "asked").read_text().splitlines() == [f"get {second.url} me", f"get {host} me"]
    written = [
        path.read_bytes() for path in site.root.rglob("*") if path.is_file() and tools not in path.parents
    ]
    assert not any(
        b"p@ss" in content or b"me@127" in content for content in written if b"[groups" not in content
    )
    # Without leave to ask, without a keyring, or with one that fails: as if there were no password.
    site.lock.unlink()
    (site.root / "cache").rename(site.root / "cache-before")
    monkeypatch.setenv("PIP_KEYRING_PROVIDER", "disabled")
    said = envlock(*SOLVE)
    assert (said.status, "401" in said.err) == (3, True), said.golden
    assert len((tools / "asked").read_text().splitlines()) == 2
    monkeypatch.delenv("PIP_KEYRING_PROVIDER")
    keyring.unlink()
    assert envlock(*SOLVE).status == 3


def test_a_file_whose_hash_no_index_tells_is_locked_with_one(site: Site, envlock: Envlock, second: Second):
    second.offer("beta", "1.5")
    page = second.server.routes["/simple/beta/"]
    page.content = page.content.partition(b"#sha256")[0] + b'">beta</a></body></html>'
    ask(site, second, "beta", explicit=False)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    content = second.server.routes["/files/beta-1.5-py3-none-any.whl"].content
    assert packages(site)["beta"]["wheels"][0]["hashes"] == {"sha256": hashlib.sha256(content).hexdigest()}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            '[[indexes]]\nname = "a"\nurl = "https://me:secret@example.org/simple"\n',
            "must not contain a password",
        ),
        ('[[indexes]]\nname = "a"\nurl = "example.org"\n', "is not a URL"),
        ('[[indexes]]\nname = "a"\nurl = "me:secret@example.org"\n', "'...@example.org' is not a URL"),
        (
            '[[indexes]]\nname = "a"\nurl = "https://me:secret@example.org:99999/"\n',
            "'https://example.org:99999/' is not an address",
        ),
        ('[[indexes]]\nname = "pip"\nurl = "https://example.org"\n', "is that of pip's configuration"),
        ('[[indexes]]\nname = "A b"\nurl = "https://example.org"\n', "is not a name for an index"),
        (
            '[[indexes]]\nname = "a"\nurl = "https://example.org"\nexplict = true\n',
            "did you mean 'explicit'?",
        ),
        ('[sources]\nbeta = "nowhere"\n', "there is no index 'nowhere'"),
        ('[sources]\nbeta = { path = "x", url = "y" }\n', "must be one place"),
    ],
)
def test_what_cannot_be_meant(site: Site, envlock: Envlock, more: str, told: str):
    site.manifest(f'[groups.tiny]\nrequires = ["beta"]\n{more}')
    said = envlock(*SOLVE)
    assert (said.status, told in " ".join(said.err.split())) == (2, True), said.golden
    assert "secret" not in said.err
