"""Ranks of tags are packaging's order."""

from __future__ import annotations

import pytest
from packaging.tags import Tag, compatible_tags, cpython_tags, parse_tag

from envlock.judging.tags import _platforms, supported_tags
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


@pytest.mark.parametrize(
    ("tags", "told"),
    [
        (["cp27-cp27mu-manylinux1_x86_64"], "its wheels are for cp27"),
        (
            [f"cp{minor}-cp{minor}-manylinux2014_x86_64" for minor in (36, 37, 38, 39, 310)],
            "its wheels are for cp36 to cp310",
        ),
        (["cp311-cp311t-manylinux2014_x86_64"], "its wheels are for cp311-cp311t"),
        (["cp311-cp311-manylinux_2_38_x86_64"], "its wheels need glibc 2.38, the target has 2.36"),
        (["cp311-cp311-musllinux_1_2_x86_64"], "its wheels need musl, the target has glibc 2.36"),
        (["cp311-cp311-manylinux_2_17_aarch64", "cp311-cp311-win_amd64"], "its wheels are for aarch64"),
        (["cp311-cp311-win_amd64", "cp311-cp311-macosx_11_0_arm64"], "its wheels are for macosx, win"),
        ([], ""),
    ],
)
def test_what_wheels_are_for_that_cannot_be_used(tags: list[str], told: str) -> None:
    target = machine("3.11.7")
    found = [tag for text in tags for tag in parse_tag(text)]
    assert supported_tags(target, target.interpreters[0]).missed(found) == told


@pytest.mark.parametrize("name", ["manylinux1", "manylinux_2_5", "manylinux2014"])
def test_a_target_without_a_c_library_is_told_that_wheels_need_one(name: str) -> None:
    """PyTorch 2.6.0 calls its wheels manylinux1, by the name from before glibc's own numbers."""
    target = machine("3.11.7", glibc=[])
    missed = supported_tags(target, target.interpreters[0]).missed(parse_tag(f"cp311-cp311-{name}_x86_64"))
    needed = "2.17" if name == "manylinux2014" else "2.5"
    assert missed == f"its wheels need glibc {needed}, the target has none"
