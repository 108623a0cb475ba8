"""Releases whose requirements are not as the standard has them, beside tools that refuse these."""

import datetime as dt

import pytest

from envlock.judging.malformed_requirements import malformed_findings
from envlock.model.knowing.finding import Chosen
from envlock.model.published.declaration import Declaration, Published
from tests.shipped import KNOWLEDGE

SDIST, WHEEL = "thing-1.0.tar.gz", "thing-1.0-py3-none-any.whl"


@pytest.mark.parametrize(
    ("files", "tool", "version", "slips", "refused"),
    [
        ((SDIST,), "setuptools", "67.0.0", True, True),
        ((SDIST,), "setuptools", "66.1.1", True, False),
        ((SDIST,), "setuptools", "67.0.0", False, False),
        ((SDIST,), "wheel", "0.40.0", True, True),
        ((SDIST, WHEEL), "setuptools", "67.0.0", True, False),
        ((SDIST, WHEEL), "pip", "24.1", True, True),
        ((SDIST, WHEEL), "pip", "24.0", True, False),
        ((SDIST,), "pip", "24.1", True, True),
    ],
)
def test_a_build_tool_reads_sources_and_an_installer_all(
    files: tuple[str, ...], tool: str, version: str, slips: bool, refused: bool
) -> None:
    thing = Declaration(
        distribution="thing",
        version="1.0",
        read=dt.date(2026, 1, 2),
        files=tuple(Published(filename=file, requires_python="") for file in files),
        requires_dist=(),
        versions=("1.0",),
        has_slips=slips,
    )
    assignment = {"thing": (Chosen(version="1.0"),), tool: (Chosen(version=version),)}
    found = list(malformed_findings(assignment, {"thing": thing}, KNOWLEDGE))
    assert [one.components for one in found] == ([{"thing": "1.0", tool: version}] if refused else [])
