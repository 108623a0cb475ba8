"""What the search for names that dependencies get later proposes."""

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
    return script("find_late_names")


def late(tool: Any, things: dict[str, str], helpers: dict[str, str], asks: str) -> list[tuple[str, ...]]:
    """Proposals for releases of ``thing``, whose sources these are, beside those of ``helper``."""

    def made(kind: Any, name: str, sources: dict[str, str]) -> Any:
        one = kind.__new__(kind)
        one.distribution = name
        one.catalogue = SimpleNamespace(
            metadata=lambda _name, _file: SimpleNamespace(requires_dist=[asks, "thing[all]"])
        )
        one.releases = [SimpleNamespace(text=text, version=Version(text), files=(text,)) for text in sources]
        one.file = lambda release: release.text
        one.sources = lambda text: {name: Module(file=f"{name}.py", source=sources[text])}
        return one

    helper = made(tool.Dependency, "helper", helpers)
    helper._holdings = {}
    finder = made(tool.LateFinder, "thing", things)
    finder._roots, finder._kept, finder._dependencies = (), {}, {"helper": helper}
    return [
        (since.text, last.text, one.dependency, one.missing_in, one.first, one.name, one.where)
        for since, last, one in finder.late(8)
    ]


def test_the_releases_that_read_a_name_are_told_and_the_first_that_has_it(tool: Any) -> None:
    things = {
        "1.0": "import helper\n",
        "1.1": "from helper import new\n",
        "1.2": "from helper import new, old\n",
        "1.3": "from helper import old\n",
    }
    helpers = {"0.1": "old = 1\n", "0.2": "old = 1\n", "0.3": "old = new = 1\n"}
    assert late(tool, things, helpers, "helper>=0.2") == [
        ("1.1", "1.2", "helper", "0.2", "0.3", "helper.new", "thing.py:1")
    ]


def test_nothing_is_missing_where_metadata_asks_for_the_release_that_has_the_name(tool: Any) -> None:
    things, helpers = {"1.0": "from helper import new\n"}, {"0.1": "old = 1\n", "0.2": "new = 1\n"}
    assert late(tool, things, helpers, "helper>=0.2") == []


def test_what_a_try_looks_for_may_be_missing(tool: Any) -> None:
    things = {"1.0": "try:\n    from helper import new\nexcept ImportError:\n    new = None\n"}
    assert late(tool, things, {"0.1": "old = 1\n", "0.2": "new = 1\n"}, "helper") == []


def test_modules_that_make_their_names_up_may_have_any_that_stands_in_them(tool: Any) -> None:
    things = {"1.0": "from helper import new\n"}
    helpers = {"0.1": "NAMES = ['new']\ndef __getattr__(name): ...\n", "0.2": "new = 1\n"}
    assert late(tool, things, helpers, "helper") == []


def test_modules_that_take_over_another_distribution_may_have_any_name(tool: Any) -> None:
    things = {"1.0": "from helper import new\n"}
    helpers = {"0.1": "try:\n    from other import *\nexcept ImportError:\n    raise\n", "0.2": "new = 1\n"}
    assert late(tool, things, helpers, "helper") == []
