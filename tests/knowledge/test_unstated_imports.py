"""What the search for unstated imports proposes, and what is asked for somewhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from packaging.version import Version

from envlock.analysis.imports.modules import Module
from tests.scripts import TOOLS, script


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script, which imports its sister."""
    monkeypatch.syspath_prepend(str(TOOLS))
    return script("find_unstated_imports")


def finder(tool: Any, source: str, asks: dict[str, list[str]]) -> Any:
    """Looks at releases 1.0 of ``thing``, of this source, and of all that has a name in ``asks``."""
    file = SimpleNamespace(is_wheel=True)
    release = SimpleNamespace(text="1.0", version=Version("1.0"), files=(file,))
    found = tool.ImportFinder.__new__(tool.ImportFinder)
    found.distribution = "thing"
    found.modules = {"PIL": ("pillow", "pillow-simd"), "yaml": ("pyyaml",)}
    found.catalogue = SimpleNamespace(
        releases=lambda name: (release,) if name in asks else (),
        metadata=lambda name, _file: SimpleNamespace(requires_dist=asks[name]),
    )
    found.file = lambda _release: file
    found.sources = lambda _file: {"thing": Module(file="thing.py", source=source)}
    return {top: (one.distribution, one.where) for top, one in found.unstated(release).items()}


def test_what_neither_the_release_nor_its_dependencies_ask_for_is_proposed(tool: Any) -> None:
    source = "import os\nimport numpy\nimport six\nfrom PIL import Image\nimport yaml\n"
    asks = {"thing": ["gym", "pyyaml; sys_platform == 'win32'"], "gym": ["numpy", "six; extra == 'more'"]}
    found = finder(tool, source, asks)
    assert found == {
        "six": ("six", "thing.py:3"),
        "PIL": ("pillow", "thing.py:4"),
        "yaml": ("pyyaml", "thing.py:5"),
    }


def test_what_an_extra_that_is_asked_for_brings_is_there(tool: Any) -> None:
    assert finder(tool, "import six\n", {"thing": ["gym[more]"], "gym": ["six; extra == 'more'"]}) == {}
