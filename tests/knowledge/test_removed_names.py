"""What the search for removed names takes for being read on import, and what not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.scripts import script

tool = script("find_removed_names")


def reads(**sources: str) -> dict[str, str]:
    """What importing ``thing`` reads, of a distribution with these modules."""
    modules = {name.replace("__", "."): text for name, text in sources.items()}
    found: dict[str, str] = tool.reads_on_import(modules, tool.roots_of(modules, "thing"))
    return found


def test_what_runs_on_import_is_read_also_in_modules_that_are_imported() -> None:
    found = reads(
        thing="from .inner import value\n",
        thing__inner="import numpy as np\nclass A:\n    kind = np.float\n",
        thing__alone="from collections import Mapping\n",
    )
    assert found["numpy.float"] == "thing/inner.py:3"
    assert "collections.Mapping" not in found


def test_defaults_and_decorators_run_and_bodies_do_not() -> None:
    found = reads(
        thing="import numpy as np\nfrom . import a\ndef f(kind=np.int):\n    return np.bool\n", thing__a=""
    )
    assert "numpy.int" in found
    assert "numpy.bool" not in found


def test_what_may_be_meant_for_just_that_is_passed_over() -> None:
    text = "import sys\nfrom . import a\ntry:\n    from fractions import gcd\nexcept ImportError:\n    pass\n"
    text += "if sys.version_info < (3,):\n    import imp\n"
    found = reads(thing=text, thing__a="")
    assert {"fractions.gcd", "imp"}.isdisjoint(found)


def test_every_removal_names_its_source() -> None:
    assert all(one.names and one.source.startswith(("https://", "seen: ")) for one in tool.removals())


@pytest.mark.parametrize(
    ("hits", "first", "last", "mended"), [({2, 3, 4}, "2", "4", "5"), ({7, 8, 9}, "7", "9", "")]
)
def test_releases_in_a_row_are_proposed_and_the_last_one_may_be_among_them(
    monkeypatch: pytest.MonkeyPatch, hits: set[int], first: str, last: str, mended: str
) -> None:
    found: Any = tool.Finder.__new__(tool.Finder)
    found._distribution = "thing"
    found.releases = [SimpleNamespace(text=str(number)) for number in range(10)]
    told = ("numpy.float", "thing.py:1")
    monkeypatch.setattr(tool.Finder, "_hit", lambda _self, index, _removal: told if index in hits else None)
    monkeypatch.setattr(tool.Finder, "_excluded", lambda _self, _release, _removal: False)
    removal = tool.Removal(component="numpy", since="1.24", names=frozenset({"numpy.float"}), source="")
    (proposal,) = found.proposals([removal])
    assert (proposal.first, proposal.last, proposal.mended) == (first, last, mended)
