"""The least that a lock asks of the node."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.judging.minimums import _first_versions, minimums
from envlock.model.locked.pins import Origin
from tests.locks import distribution, lock, system
from tests.shipped import KNOWLEDGE


def wheel(name: str, version: str, tags: str = "py3-none-any"):
    return distribution(name, version, filename=f"{name.replace('-', '_')}-{version}-{tags}.whl")


@pytest.mark.parametrize(
    ("tags", "glibc"),
    [
        ("py3-none-any", None),
        ("cp37-cp37m-manylinux1_x86_64", "2.5"),
        ("cp37-cp37m-manylinux_2_27_x86_64.manylinux_2_28_x86_64", "2.27"),
        ("cp37-cp37m-manylinux_2_12_x86_64.manylinux2010_x86_64", "2.12"),
        ("py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64", "2.17"),
        ("py3-none-manylinux_2_17_x86_64.linux_x86_64", None),
    ],
)
def test_c_library_by_the_wheels_tags(tags: str, glibc: str | None):
    assert minimums(lock(wheel("a", "1", tags)), KNOWLEDGE).get("glibc") == glibc


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        (">=12", ["12"]),
        (">=12,>=13", ["13"]),
        (">=418.39,<450 || >=440.33", ["418.39"]),
        (">=1.0,~=1.5 || <3", []),
        ("<3", []),
        ("==10.1.*", ["10.1"]),
    ],
)
def test_where_a_range_begins(text: str, begins: list[str]):
    assert [*_first_versions(text)] == begins


def test_driver_by_the_cuda_inside_a_wheel():
    found = minimums(lock(wheel("torch", "1.4.0", "cp37-cp37m-manylinux1_x86_64")), KNOWLEDGE)
    assert (found["driver"], found["gpu_cc"]) == ("418.39", "3.7")


def test_what_is_built_here_asks_nothing_of_the_driver():
    assert "driver" not in minimums(lock(distribution("torch", "1.4.0", against={})), KNOWLEDGE)


def test_the_node_that_the_lock_was_made_on_does_not_count():
    node = system("glibc", "2.36", Origin.NODE)
    assert "glibc" not in minimums(replace(lock(node), distributions=()), KNOWLEDGE)
