from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envlock.lifecycle.steps import Part, StepKind, move, step_between


@pytest.mark.parametrize(
    ("old", "new", "kind", "may_break"),
    [
        ("3.8.1", "4.0.0", "major", True),
        ("3.8.1", "3.9.0", "minor", False),
        ("0.19.0", "0.20.0", "minor", True),
        ("0.19.0", "0.19.1", "patch", False),
        ("0.28.1", "1.0.0", "major", True),
        ("3.8.1", "3.8.3", "patch", False),
        ("3.8", "3.8.0", "build", False),
        ("3.8", "3.8.1", "patch", False),
        ("2.0.0rc1", "2.0.0", "patch", False),
        ("1.9", "2.0.0rc1", "major", True),
        ("2.1.0+cu118", "2.1.0+cpu", "build", False),
        ("2.1.0+cu118", "2.1.0", "build", False),
        ("1.0", "1.0.post1", "build", False),
        ("1.0.post1", "1.0", "build", False),
        ("2.1.0", "2.1.0", "build", False),
        ("2020.1", "1!1.0", "major", True),
        ("1!1.0", "2020.1", "downgrade", True),
        ("2019.7", "2021.1", "calendar", False),
        ("3.4", "2021.1", "major", True),
        ("2021.1", "2021.5", "minor", False),
        ("2021.1", "2019.7", "downgrade", False),
        ("4.0.0", "3.8.1", "downgrade", True),
        ("0.20.0", "0.19.0", "downgrade", True),
        ("1.4.1", "1.4.0", "downgrade", False),
        ("srun", "mpirun", "other", False),
        ("srun", "srun", "build", False),
    ],
)
def test_step(old: str, new: str, kind: str, may_break: bool):
    step = step_between(old, new, minor_may_break=False)
    assert (step.kind.value, step.may_break) == (kind, may_break)


def test_python_takes_things_away_in_minor_releases():
    old, new = (Part(component="python", version=version) for version in ("3.7.16", "3.8.18"))
    assert move(old, new).step.may_break
    patch = Part(component="python", version="3.7.17")
    assert not move(old, patch).step.may_break


versions = st.tuples(*[st.integers(0, 12)] * 3).map(lambda parts: ".".join(map(str, parts)))


@given(versions, versions)
def test_there_and_back(old: str, new: str):
    there, back = (step_between(*pair, minor_may_break=False) for pair in ((old, new), (new, old)))
    assert there.may_break == back.may_break
    if old == new:
        assert there.kind is back.kind is StepKind.BUILD
    else:
        assert (there.kind is StepKind.DOWNGRADE) != (back.kind is StepKind.DOWNGRADE)
