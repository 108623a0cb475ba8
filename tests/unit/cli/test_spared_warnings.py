"""What a solve does about what facts only warn of: another release of what nobody chose, if there is one."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

import pytest

from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "here", "--lock-only"]
FACT = """
[[fact]]
id = "delta-epsilon-2"
when = { delta = "*" }
then = { epsilon = "<2" }
severity = "warn"
evidence = "reported"
reason = "a part of delta fails beside epsilon 2"
sources = [{ title = "https://example.org/delta", checked = 2026-06-01 }]
refuses = [{ delta = "1.0", epsilon = "2.0" }]
accepts = [{ delta = "1.0", epsilon = "1.0" }]
"""


@pytest.fixture
def warned(site: Site) -> Callable[..., None]:
    """Writes a group that asks for delta, which brings epsilon, and of whose newest release a fact warns."""
    site.offer("delta", "1.0", ["epsilon"])
    site.offer("epsilon", "1.0")
    site.offer("epsilon", "2.0")
    (site.project / "ours/facts").mkdir(parents=True)
    (site.project / "ours/facts/delta.toml").write_text(FACT.lstrip())

    def group(*requires: str) -> None:
        wishes = ", ".join(f'"{one}"' for one in requires)
        site.manifest(f'[site]\nknowledge = ["ours"]\n[groups.tiny]\nrequires = [{wishes}]\n')

    return group


def pinned(site: Site) -> dict[str, str]:
    packages = tomllib.loads(site.lock.read_text())["packages"]
    return {one["name"]: one["version"] for one in packages}


def test_what_only_others_ask_for_takes_another_release(
    site: Site, envlock: Envlock, warned: Callable[..., None]
):
    warned("delta")
    said = envlock(*SOLVE)
    assert said.status == 0
    assert pinned(site) == {"delta": "1.0", "epsilon": "1.0"}
    assert "warned-of:delta-epsilon-2" in site.lock.read_text()
    told = envlock("kb", "why", "warned-of:delta-epsilon-2", "--knowledge", str(site.project / "ours"))
    assert told.status == 0, told.golden


def test_a_lock_that_is_solved_again_still_says_what_it_avoids(
    site: Site, envlock: Envlock, warned: Callable[..., None]
):
    warned("delta")
    assert envlock(*SOLVE).status == 0
    before = site.lock.read_bytes()
    assert envlock(*SOLVE).status == 0
    assert site.lock.read_bytes() == before
    facts = site.project / "ours/facts/delta.toml"
    facts.write_text(facts.read_text().replace("warn", "note"))
    assert envlock(*SOLVE).status == 0
    assert b"warned-of" not in site.lock.read_bytes()


def test_what_the_group_asks_for_stays_and_is_told(site: Site, envlock: Envlock, warned: Callable[..., None]):
    warned("delta", "epsilon")
    said = envlock(*SOLVE)
    assert pinned(site)["epsilon"] == "2.0"
    assert said.out.count("a part of delta fails beside epsilon 2") == 1


def test_a_wish_for_any_version_gives_way_beside_a_pin(
    site: Site, envlock: Envlock, warned: Callable[..., None]
):
    warned("delta==1.0", "epsilon")
    assert envlock(*SOLVE).status == 0
    assert pinned(site)["epsilon"] == "1.0"


@pytest.mark.parametrize("wish", ["epsilon>=1", "epsilon==2.0"])
def test_a_wish_that_says_which_stays(site: Site, envlock: Envlock, warned: Callable[..., None], wish: str):
    warned("delta==1.0", wish)
    said = envlock(*SOLVE)
    assert pinned(site)["epsilon"] == "2.0"
    assert said.out.count("a part of delta fails beside epsilon 2") == 1


def test_where_others_need_it_so_it_stays_and_is_told_once(
    site: Site, envlock: Envlock, warned: Callable[..., None]
):
    site.offer("zeta", "1.0", ["epsilon>=2"])
    warned("delta", "zeta")
    said = envlock(*SOLVE)
    assert pinned(site)["epsilon"] == "2.0"
    assert said.out.count("a part of delta fails beside epsilon 2") == 1
    assert "there is no answer without" not in said.out


@pytest.mark.parametrize("wishes", [["delta"], ["delta==1.0", "epsilon"]])
def test_what_a_lock_has_is_not_moved_by_a_warning(
    site: Site, envlock: Envlock, warned: Callable[..., None], wishes: list[str]
):
    warned("delta", "epsilon==2.0")
    envlock(*SOLVE)
    warned(*wishes)
    assert envlock(*SOLVE).status == 0
    assert pinned(site)["epsilon"] == "2.0"


def test_what_a_fact_warns_of_beside_the_interpreter_takes_another_release(
    site: Site, envlock: Envlock, warned: Callable[..., None]
):
    """As Numba before 0.45 beside late patches of Python 3.6 and 3.7: all that it compiles crashes."""
    warned("delta")
    ours = FACT.replace('{ delta = "*" }', '{ epsilon = ">=2" }').replace(
        '{ epsilon = "<2" }', '{ python = "<3" }'
    )
    ours = ours.replace('{ delta = "1.0", epsilon = "2.0" }', '{ epsilon = "2.0", python = "3.11" }')
    ours = ours.replace('{ delta = "1.0", epsilon = "1.0" }', '{ epsilon = "1.0", python = "3.11" }')
    (site.project / "ours/facts/delta.toml").write_text(ours.lstrip())
    assert envlock(*SOLVE).status == 0
    assert pinned(site)["epsilon"] == "1.0"
    warned("epsilon==2.0")
    (site.project / "ours/facts/delta.toml").write_text(ours.lstrip())
    assert "a part of delta fails" in envlock(*SOLVE).out
