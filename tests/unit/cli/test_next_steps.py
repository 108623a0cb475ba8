"""What commands say to do next, word for word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "here", "--lock-only"]


def test_a_project_begun_elsewhere_is_named(site: Site, envlock: Envlock):
    said = envlock("init", "--project", "a b", "alpha")
    assert said.status == 0, said.golden
    assert said.out.splitlines()[-1] == "next: envlock solve stack --project 'a b'"


def test_a_project_that_asks_for_nothing_yet_is_to_be_written_first(site: Site, envlock: Envlock):
    said = envlock("init", "--force")
    assert said.status == 0, said.golden
    told = "next: write into requires what the group needs, then envlock solve stack"
    assert said.out.splitlines()[-1] == told


def test_a_target_that_is_kept_is_told(site: Site, envlock: Envlock):
    said = envlock("detect", "--save", "n1")
    assert said.status == 0, said.golden
    assert said.out.splitlines()[-2:] == [
        "kept as [targets.n1] in envlock.toml",
        "next, anywhere: envlock solve GROUP --target n1 --lock-only",
    ]


@pytest.mark.parametrize(
    ("place", "told"),
    [("locks", "name a file in that folder"), ("envlock.toml/x", "a part of that path is a file")],
)
def test_a_place_of_the_wrong_kind(site: Site, envlock: Envlock, place: str, told: str):
    assert envlock(*SOLVE).status == 0
    said = envlock("export", "tiny", "--target", "here", "-o", place)
    assert (said.status, told in " ".join(said.err.split())) == (3, True), said.golden


def test_a_group_that_asks_for_nothing_is_told(site: Site, envlock: Envlock):
    site.manifest("[groups.tiny]\nrequires = []\n")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert "the group requires nothing" in said.out


@pytest.mark.parametrize("option", ["--deadline", "--reference-time"])
@pytest.mark.parametrize("seconds", ["nan", "inf"])
def test_no_time_is_without_end(site: Site, envlock: Envlock, option: str, seconds: str):
    said = envlock("verify", "tiny", "--target", "here", option, seconds)
    assert (said.status, "is no number of seconds" in " ".join(said.err.split())) == (2, True), said.golden
