"""Which interpreter an archived environment gets where its own cannot be had."""

from __future__ import annotations

import pytest

from envlock.lifecycle.restoring import stand_in
from envlock.model.project.target import Interpreter
from tests.locks import lock


@pytest.mark.parametrize(
    ("locked", "here", "found"),
    [
        ("3.11.7", ["3.12.1", "3.11.9", "3.11.12", "3.11.6"], "3.11.9"),  # the nearest later one
        ("3.11.7", ["3.11.2", "3.11.5", "3.10.7"], "3.11.5"),  # else the nearest earlier one
        ("3.11.7", ["3.11.7", "3.11.9"], None),  # its own is there
        ("3.11.7", ["3.12.1", "3.10.7"], None),
        ("3.13.0", ["3.13.0rc1"], None),
        ("3.14.0rc1", ["3.14.0"], None),
    ],
)
def test_stand_in(locked: str, here: list[str], found: str | None) -> None:
    there = [Interpreter(path="", version=one, abi="cp311", markers={}) for one in here]
    chosen = stand_in(lock(python=locked), there)
    assert (chosen and chosen.version) == found
