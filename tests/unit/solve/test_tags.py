"""Ranks of tags are packaging's order."""

from __future__ import annotations

import pytest
from packaging.tags import Tag, compatible_tags, cpython_tags

from envlock.solve.tags import _platforms, supported_tags
from tests.memory import machine


@pytest.mark.parametrize("python", ["3.7.16", "3.11.7"])
def test_the_order_is_packagings(python: str) -> None:
    target = machine(python)
    interpreter = target.interpreters[0]
    platforms = list(_platforms(target.machine, target.glibc))
    short = "cp{}{}".format(*interpreter.release)
    listed = dict.fromkeys(
        [
            *cpython_tags(interpreter.release, abis=[interpreter.abi], platforms=platforms),
            *compatible_tags(interpreter.release, interpreter=short, platforms=platforms),
        ]
    )
    supported = supported_tags(target, interpreter)
    ranks = [supported.rank(tag) for tag in listed]
    assert None not in ranks
    assert ranks == sorted(set(ranks))


@pytest.mark.parametrize(
    "tag", [Tag("cp36", "cp36m", "any"), Tag("py3", "none", "win_amd64"), Tag("cp311", "cp312", "any")]
)
def test_others_have_none(tag: Tag) -> None:
    target = machine("3.11.7")
    assert supported_tags(target, target.interpreters[0]).rank(tag) is None
