"""A laptop whose system is no node's: it locks and judges for targets, and is never taken for one."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable

import pytest

from tests.unit.cli.conftest import TINY, Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]


@pytest.fixture
def mac(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The same machine, which says of itself what a Mac says."""
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(platform, "freedesktop_os_release", dict)
    monkeypatch.setattr(platform, "mac_ver", lambda: ("14.5", ("", "", ""), "arm64"))
    return site


@pytest.mark.parametrize(
    "command",
    [
        ("solve", "tiny", "--lock-only"),
        ("solve", "tiny"),
        ("solve", "tiny", "--target", "real"),
        ("check", "--target", "local", "alpha==2.0"),
        ("impact", "--add", "openmpi==4.1.6"),
        ("why-not", "alpha==1.0"),
        ("detect", "--save", "mine"),
    ],
    ids=" ".join,
)
def test_it_is_no_node(mac: Site, envlock: Envlock, command: tuple[str, ...]):
    before = mac.listing()
    said = envlock(*command)
    assert (said.status, said.out) == (2, "")
    assert "this machine runs macOS, and nodes run Linux" in said.err
    assert "code   not-a-node" in said.err
    assert mac.listing() == before


def test_the_refusal_names_the_targets_that_there_are(mac: Site, envlock: Envlock):
    assert "--target here, real" in envlock("solve", "tiny").err
    (mac.project / "envlock.toml").write_text(TINY)
    assert "envlock detect --save NAME" in envlock("solve", "tiny").err


def test_it_locks_judges_and_explains_for_a_target(mac: Site, envlock: Envlock):
    assert envlock("solve", "tiny", "--lock-only", "--target", "real").status == 0
    assert envlock("solve", "--all-groups", "--all-targets", "--lock-only").status == 0
    assert "beta >=1" in envlock("why", "beta", "--target", "real").out.replace("beta>=1", "beta >=1")
    assert envlock("check", "alpha==2.0", "beta==1.1", "--target", "real").status == 0
    assert envlock("check", "alpha==2.0", "beta==1.1").status == 0
    assert envlock("impact", "--upgrade", "beta==1.0", "--target", "real").status == 0
    assert envlock("diff", "tiny@here", "tiny@real").status == 0


def test_a_lock_that_a_node_made_for_itself_is_explained(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    assert envlock("solve", "tiny", "--lock-only").status == 0
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    (reason,) = json.loads(envlock("why", "beta", "--json").out)["reasons"]
    assert reason["bounds"] == {"alpha 2.0": "beta>=1"}
    assert reason["next"] is None
    (here, *_) = json.loads(envlock("status", "--json").out)["groups"]
    assert (here["target"], [one["code"] for one in here["stale"]]) == ("local", ["environment-missing"])


def test_detect_says_what_this_machine_is_not(mac: Site, envlock: Envlock):
    said = envlock("detect")
    assert said.status == 0
    assert "local: macOS 14.5" in said.out
    assert "this machine runs macOS, and nodes run Linux" in said.out
    assert json.loads(envlock("detect", "--json").out)["no_node"]


def test_detect_says_nothing_of_the_kind_on_a_node(site: Site, envlock: Envlock):
    assert "nodes run Linux" not in envlock("detect").out
    assert "no_node" not in json.loads(envlock("detect", "--json").out)


def test_a_project_begun_there_goes_on_with_a_target(mac: Site, envlock: Envlock):
    said = envlock("init", "--project", "new", "--python", "3.11", "alpha")
    assert "next: envlock solve stack --target NAME --lock-only" in said.out


def test_an_archive_is_restored_on_nodes_alone(site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch):
    assert envlock("solve", "tiny", "--target", "real").status == 0
    promise = ("--until", "2999-12-31", "--reason", "a thesis", "--archive", "kept")
    assert envlock("freeze", "tiny", "--target", "real", *promise).status == 0
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    said = envlock("restore", "kept", "--into", "again")
    assert (said.status, "next   restore it on a node" in said.err) == (2, True)
    assert not (site.project / "again").exists()


def test_no_environment_of_another_architecture_is_made(site: Site, envlock: Envlock):
    """Whatever paths there are on both: the interpreter here would install for itself."""
    other = "aarch64" if os.uname().machine != "aarch64" else "x86_64"
    manifest = (site.project / "envlock.toml").read_text()
    (site.project / "envlock.toml").write_text(manifest.replace(f'"{os.uname().machine}"', f'"{other}"'))
    assert envlock("solve", "tiny", "--target", "real", "--lock-only").status == 0
    said = envlock("solve", "tiny", "--target", "real")
    assert said.status == 2
    assert f"this machine is {os.uname().machine}, and the nodes of the target 'real' are {other}" in said.err
    assert "code   another-machine" in said.err
    assert not (site.project / ".envlock/environments").exists()
