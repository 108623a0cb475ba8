"""What the cache holds, and rid of it: what is missing is fetched again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.conftest import TINY, Said, Site

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]


def sizes(said: Said) -> Said:
    """What was said without numbers of bytes, and the widths that these give to columns."""
    text = re.sub(r"[\d.]+ [kM]?B", "<size>", said.out)
    return Said(said.status, re.sub(r" {2,}\d+(?= )", "  <files>", re.sub(r" {2,}", "  ", text)), said.err)


def test_what_a_solve_left_is_shown_and_pruned(site: Site, envlock: Envlock, golden: Golden):
    site.manifest(TINY)
    assert envlock("solve", "tiny", "--lock-only", "--target", "real").status == 0
    golden("cache", sizes(envlock("cache")))
    golden("cache-prune", sizes(envlock("cache", "--prune", "--days", "0")))
    assert json.loads(envlock("cache", "--json").out)["parts"] == []
    lock = site.project / "locks/real/pylock.tiny.toml"
    before = lock.read_bytes()
    lock.unlink()
    assert envlock("solve", "tiny", "--lock-only", "--target", "real").status == 0
    assert lock.read_bytes() == before


def test_what_cannot_be_removed_is_not_told_as_gone(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    site.manifest(TINY)
    assert envlock("solve", "tiny", "--lock-only", "--target", "real").status == 0
    (part,) = json.loads(envlock("cache", "--days", "0", "--json").out)["parts"]

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refuse)
    found = json.loads(envlock("cache", "--prune", "--days", "0", "--json").out)
    assert found["left"] == part["unused_size"]
    assert [one["unused_files"] for one in found["parts"]] == [0]
    assert "not yours to remove" in envlock("cache", "--prune", "--days", "0").out


def test_an_empty_cache(site: Site, envlock: Envlock):
    said = envlock("cache")
    assert said.status == 0
    assert said.out.endswith("there is nothing in it\n")
