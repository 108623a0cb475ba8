"""Markers of extras that are passed over without being parsed hold as packaging says."""

from __future__ import annotations

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.locked.pins import Solved
from envlock.model.project.manifest import decode_manifest
from envlock.solve.request import Request, applies, holds
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, interpreter, machine

KNOWLEDGE = KnowledgeDecoder().finish("0" * 64)

PYTHON = interpreter("3.11.7")


@pytest.mark.parametrize("extra", ["", "dev", "all-gpu"])
@pytest.mark.parametrize(
    "marker",
    [
        'extra == "dev"',
        "extra == 'All_GPU'",
        'python_version < "3.8" and extra == "dev"',
        'extra == "dev" and python_version >= "3.8"',
        '(python_version < "3.8" or sys_platform == "linux") and extra == "dev"',
        'extra == "dev" or python_version >= "3.8"',
        'extra == "dev" or extra == "all-gpu"',
        'extra == "dev" and extra == "all-gpu"',
        'extra != "dev"',
        '"dev" == extra',
        'python_version >= "3.8"',
    ],
)
def test_as_packaging_says(marker: str, extra: str) -> None:
    told = str(Marker(marker))  # as metadata is kept
    assert holds(told, PYTHON, extra) == Marker(marker).evaluate({**PYTHON.markers, "extra": extra})


@pytest.mark.parametrize("marker", ['sys_platform ~= "linux"', 'platform_release ~= "5.4-lts"'])
def test_a_marker_that_orders_what_has_no_order_says_nothing(marker: str) -> None:
    assert holds(marker, PYTHON)
    assert applies(Requirement(f"foo ; {marker}"), PYTHON)


def test_an_extra_is_one_however_it_is_written() -> None:
    index = {
        "foo": {"1.0": {"extras": ["x-y"], "requires": ['bar; extra == "x-y"']}},
        "bar": {"1.0": {}},
        "top": {"1.0": {"requires": ["foo[x.y]"]}},
    }
    requires = ["foo[X_Y]", "foo[x-y]>=1", "top"]
    wishes = (
        decode_manifest({"groups": {"g": {"requires": requires}}}, "envlock.toml", KNOWLEDGE)
        .group("g")
        .wishes
    )
    request = Request(wishes=wishes, target=machine("3.11.7"), interpreter=PYTHON)
    answer = resolve(request, KNOWLEDGE, MemoryCatalogue(index))
    assert isinstance(answer, Solved)
    assert {pin.name: pin.extras for pin in answer.distributions}["foo"] == ("x-y",)
