from __future__ import annotations

import pytest

from envlock.model.near_names import OF_DISTRIBUTION, near_names

KNOWN = ["numpy", "petsc4py", "pygam", "pyldavis", "tensorflow", "torch", "torchvision"]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("tensorlfow", ["tensorflow"]),
        ("pytoch", ["torch"]),
        ("nunpy", ["numpy"]),
        ("pyav", []),
        ("esmpy", []),
    ],
)
def test_a_distribution_is_near_where_letters_are_missing_or_swapped_and_not_by_chance(
    name: str, near: list[str]
) -> None:
    assert near_names(name, KNOWN, alike=OF_DISTRIBUTION) == near
