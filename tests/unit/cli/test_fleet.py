"""Several groups and targets locked in one go."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]
GROUPS = """\
[groups.tiny]
requires = ["alpha==2.0"]
[groups.impossible]
requires = ["alpha==2.0", "beta<1"]
[groups.other]
requires = ["beta==1.0"]
[groups.thesis]
extends = "tiny"
[groups.thesis.frozen]
until = 2999-12-31
reason = "thesis A is handed in"
"""


def test_a_refusal_keeps_no_other_group_from_its_lock(site: Site, envlock: Envlock, golden: Golden):
    site.manifest(GROUPS)
    golden("solve-fleet", envlock("solve", "--all-groups", "--target", "here", "--lock-only"))
    folder = site.project / "locks/here"
    assert sorted(path.name for path in folder.iterdir()) == ["pylock.other.toml", "pylock.tiny.toml"]


def test_locks_are_those_of_single_solves(site: Site, envlock: Envlock):
    site.manifest(GROUPS)
    said = envlock("solve", "tiny", "other", "--all-targets", "--lock-only", "--json")
    document = json.loads(said.out)
    assert (said.status, document["schema"], document["solved"]) == (0, "envlock/solve/1", True)
    assert [(one["group"], one["target"]) for one in document["locks"]] == [
        (group, target) for group in ("tiny", "other") for target in ("here", "real")
    ]
    together = site.listing()
    for lock in site.project.glob("locks/*/*"):
        lock.unlink()
    for group in ("tiny", "other"):
        for target in ("here", "real"):
            assert envlock("solve", group, "--target", target, "--lock-only").status == 0
    assert site.listing() == together


def test_what_is_named_twice_is_solved_once(site: Site, envlock: Envlock):
    site.manifest(GROUPS)
    twice = ("tiny", "other", "tiny", "--target", "here", "--target", "here")
    document = json.loads(envlock("solve", *twice, "--lock-only", "--json").out)
    assert [(one["group"], one["target"]) for one in document["locks"]] == [
        ("tiny", "here"),
        ("other", "here"),
    ]


def test_programs_are_told_of_each(site: Site, envlock: Envlock):
    site.manifest(GROUPS)
    said = envlock("solve", "--all-groups", "--target", "here", "--lock-only", "--json")
    document = json.loads(said.out)
    assert (said.status, document["solved"]) == (1, False)
    assert [one["solved"] for one in document["locks"]] == [True, False, True, False]
    assert document["locks"][1]["reasons"]
    assert document["locks"][3]["frozen"] == {"until": "2999-12-31", "reason": "thesis A is handed in"}


def test_an_error_of_one_target_is_told_and_the_others_are_locked(site: Site, envlock: Envlock):
    site.manifest('[groups.tiny]\nrequires = ["alpha"]\n[groups.old]\npython = "3.9"\nrequires = ["alpha"]\n')
    said = envlock("solve", "--all-groups", "--target", "here", "--lock-only")
    assert said.status == 2
    assert "no-interpreter" in said.out
    assert site.lock.is_file()


def lock_text(site: Site, group: str) -> str:
    return (site.project / f"locks/real/pylock.{group}.toml").read_text()


@pytest.mark.processes
def test_environments_are_created_together(site: Site, envlock: Envlock, golden: Golden):
    """What one is refused keeps no other from its environment."""
    site.manifest(GROUPS)
    said = envlock("solve", "--all-groups", "--target", "real")
    # Before Python 3.12 each environment has setuptools, too; the columns are as wide as the version.
    pins = {"tiny": 2, "other": 1} if "setuptools" not in lock_text(site, "tiny") else {"tiny": 3, "other": 2}
    shown = re.sub(" {2,}", "  ", said.out.replace(site.real.version, "<version>"))
    for group, number in pins.items():
        shown = shown.replace(f"{group}  real  <version>  {number}", f"{group}  real  <version>  <pins>")
    golden("solve-fleet-created", Said(said.status, shown, said.err))
    for group, there in (("tiny", True), ("other", True), ("impossible", False), ("thesis", False)):
        assert (envlock("where", group, "--target", "real").status == 0) is there, group
    before = site.listing()
    again = json.loads(envlock("solve", "tiny", "other", "--target", "real", "--json").out)
    assert [(one["changed"], one["environment"] is not None) for one in again["locks"]] == [(False, True)] * 2
    assert site.listing() == before


def test_a_lock_stays_where_its_environment_cannot_be_made(site: Site, envlock: Envlock):
    """The interpreter of ``here`` is on another machine."""
    said = envlock("solve", "tiny", "--all-targets", "--json")
    document = json.loads(said.out)
    assert [one["solved"] for one in document["locks"]] == [False, True]
    assert site.lock.is_file()


@pytest.mark.processes
def test_the_environment_of_a_frozen_group_is_made_again(site: Site, envlock: Envlock):
    site.manifest(GROUPS)
    assert envlock("solve", "tiny", "--target", "real", "--lock-only").status == 0
    frozen = '[groups.tiny.frozen]\nuntil = 2999-12-31\nreason = "handed in"\n'
    site.manifest('[groups.tiny]\nrequires = ["alpha"]\n' + frozen + '[groups.other]\nrequires = ["beta"]\n')
    lock = (site.project / "locks/real/pylock.tiny.toml").read_bytes()
    assert envlock("solve", "--all-groups", "--target", "real").status == 0
    assert envlock("where", "tiny", "--target", "real").status == 0
    assert (site.project / "locks/real/pylock.tiny.toml").read_bytes() == lock


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("tiny", "--all-groups"), "--all-groups"),
        (("tiny", "--target", "here", "--all-targets"), "--all-targets"),
    ],
)
def test_names_and_all_of_them_contradict_each_other(
    envlock: Envlock, line: tuple[str, ...], told: str
) -> None:
    said = envlock("solve", *line, "--lock-only")
    assert (said.status, f"or say {told}" in said.err) == (2, True)


def test_the_only_group_need_not_be_named(site: Site, envlock: Envlock):
    (site.project / "envlock.toml").write_text('[groups.tiny]\nrequires = ["alpha"]\n[targets.here]\n')
    said = envlock("solve", "--target", "here", "--lock-only")
    assert (said.status, said.out.partition(":")[0]) == (0, "tiny on here")


@pytest.mark.parametrize(
    ("groups", "code", "told"),
    [("", "no-groups", "add [groups.NAME]"), ("[groups.a]\n[groups.b]\n", "usage", "groups: a, b; or")],
)
def test_no_group_is_named_and_there_is_not_one(
    site: Site, envlock: Envlock, groups: str, code: str, told: str
):
    (site.project / "envlock.toml").write_text(f"{groups}[targets.here]\n")
    said = envlock("solve", "--target", "here", "--lock-only")
    assert (said.status, said.out, f"code   {code}" in said.err, told in said.err) == (2, "", True, True)


def test_of_many_groups_the_nearest_to_a_misspelt_one_is_named_first(site: Site, envlock: Envlock):
    names = [f"g{number}" for number in range(30)]
    (site.project / "envlock.toml").write_text("".join(f"[groups.{name}]\n" for name in (*names, "thesis")))
    assert "groups: thesis, g0, g1" in (said := envlock("solve", "tesis", "--lock-only").err)
    assert "g10 and 19 more" in said


@pytest.mark.parametrize(
    ("manifest", "code"),
    [('[groups.tiny]\nrequires = ["alpha"]\n', "no-targets"), ("[targets.here]\n", "no-groups")],
)
def test_all_of_nothing_is_not_done(site: Site, envlock: Envlock, manifest: str, code: str):
    (site.project / "envlock.toml").write_text(manifest)
    said = envlock("solve", "--all-groups", "--all-targets", "--lock-only")
    assert (said.status, said.out) == (2, "")
    assert f"code   {code}" in said.err
