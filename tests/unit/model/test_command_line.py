"""What is told to be done next can be copied."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from envlock.model.command_line import as_word, on_target


@pytest.mark.parametrize("place", ["/kept/a", "my kept/a [1]", "it's", "a;b", "-x"])
def test_a_place_is_one_word(place: str) -> None:
    assert shlex.split(f"envlock restore {as_word(Path(place))}") == ["envlock", "restore", place]


def test_only_another_target_is_named() -> None:
    assert [on_target("a", "local"), on_target("a", "v100")] == ["a", "a --target v100"]
