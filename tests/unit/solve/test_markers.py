"""Markers of extras that are passed over without being parsed hold as packaging says."""

from __future__ import annotations

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from envlock.solve.request import applies, holds
from tests.memory import interpreter

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
