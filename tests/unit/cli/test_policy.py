"""Constraints, overrides, exclusions and agreement, from the manifest to lock and views."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from envlock.edges.lock_files import read_lock
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]

POLICY = """
[groups.tiny]
requires = ["top"]
constraints = ["side<2"]
overrides = [{ requirement = "deep>=2", reason = "the bound was set before deep 2 was out" }]
exclude = ["telemetry"]
"""
ALIKE = """
[groups.tiny]
requires = ["deep<2", "side<2"]

[groups.other]
prefer-same-as = "tiny"
requires = ["deep", "side>=2"]
"""


@pytest.fixture
def offers(site: Site) -> Site:
    site.offer("top", "1.0", ["deep<2", "side"])
    for name in ("deep", "side"):
        site.offer(name, "1.0")
        site.offer(name, "2.0")
    return site


def test_an_override_is_recorded_and_told(offers: Site, envlock: Envlock, golden: Golden) -> None:
    offers.manifest(POLICY)
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    lock = read_lock(offers.lock).lock
    assert {pin.name: pin.version for pin in lock.distributions} == {
        "top": "1.0",
        "deep": "2.0",
        "side": "1.0",
    }
    assert lock.overrides == {"deep>=2": "the bound was set before deep 2 was out"}
    golden("why-overridden", envlock("why", "deep", "--target", "here"))
    golden("why-constrained", envlock("why", "side", "--target", "here"))
    golden("why-not-constrained", envlock("why-not", "side==2.0", "--target", "here"))


def test_an_override_that_a_wish_keeps_from_counting_is_told(offers: Site, envlock: Envlock) -> None:
    offers.manifest(POLICY.replace('"top"', '"deep==1.0"'))
    told = envlock("solve", "tiny", "--lock-only", "--target", "here")
    assert (told.status, read_lock(offers.lock).lock.distributions[0].version) == (0, "1.0")
    assert "the override 'deep>=2' changes nothing" in " ".join((told.out + told.err).split())


def test_another_reason_for_an_override_is_another_lock(offers: Site, envlock: Envlock) -> None:
    offers.manifest(POLICY)
    envlock("solve", "tiny", "--lock-only", "--target", "here")
    before = read_lock(offers.lock).lock.inputs
    offers.manifest(POLICY.replace("the bound", "its bound"))
    envlock("solve", "tiny", "--lock-only", "--target", "here")
    assert read_lock(offers.lock).lock.inputs != before


def test_groups_agree_where_they_can(offers: Site, envlock: Envlock, golden: Golden) -> None:
    offers.manifest(ALIKE)
    golden("fleet-agreeing", envlock("solve", "--all-groups", "--target", "here", "--lock-only"))
    said = envlock("solve", "other", "--target", "here", "--lock-only", "--json")
    told = json.loads(said.out)
    assert {one["name"]: one["version"] for one in told["distributions"]} == {"deep": "1.0", "side": "2.0"}
    assert told["agreement"] == {"group": "tiny", "shared": 2, "differing": {"side": ["2.0", "1.0"]}}
    golden("why-agreeing", envlock("why", "deep", "other", "--target", "here"))


def test_without_the_word_each_takes_the_newest(offers: Site, envlock: Envlock) -> None:
    offers.manifest(ALIKE.replace('prefer-same-as = "tiny"\n', ""))
    envlock("solve", "--all-groups", "--target", "here", "--lock-only")
    told = json.loads(envlock("solve", "other", "--target", "here", "--lock-only", "--json").out)
    assert {one["name"]: one["version"] for one in told["distributions"]} == {"deep": "2.0", "side": "2.0"}
    assert told["agreement"] is None


def test_groups_that_look_at_each_other_are_no_endless_loop(offers: Site, envlock: Envlock) -> None:
    offers.manifest(ALIKE.replace("[groups.tiny]\n", '[groups.tiny]\nprefer-same-as = "other"\n'))
    assert envlock("solve", "--all-groups", "--target", "here", "--lock-only").status == 0


def test_why_tells_in_which_form_a_distribution_had_to_come(
    offers: Site, envlock: Envlock, golden: Golden
) -> None:
    offers.manifest(POLICY + 'only-binary = [":all:"]\n')
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    golden("why-only-binary", envlock("why", "side", "--target", "here"))


def test_a_form_that_is_asked_for_makes_another_lock_and_its_refusal_names_it(
    offers: Site, envlock: Envlock, golden: Golden
) -> None:
    offers.manifest(POLICY)
    envlock("solve", "tiny", "--lock-only", "--target", "here")
    offers.manifest(POLICY + 'no-binary = ["side"]\n')
    golden("solve-no-binary-refused", envlock("solve", "tiny", "--lock-only", "--target", "here"))
