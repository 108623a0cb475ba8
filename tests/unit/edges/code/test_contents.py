"""Which modules of a release are at hand, and when those of a large file come."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pytest

from envlock.analysis.imports.holdings import Holdings
from envlock.edges.code.contents import Contents, read_contents
from envlock.edges.code.queries import Members
from envlock.model.published.catalogue import DistFile
from tests.memory import MemoryCatalogue

SOURCES = {
    "big/__init__.py": "from big import _C\nfrom .optim import *\n",
    "big/optim.py": "class Optimizer:\n    def step(self): ...\n",
    "big/other.py": "step = 1\n",
    "big/bound.py": "from big import _C\nstep = 1\n",
    "big/_C.so": "",
}


class _Members:
    """Those of one file, and which of them were read."""

    def __init__(self, packed: int) -> None:
        self.names = tuple(SOURCES)
        self.wanted: list[str] = []
        self._packed = packed

    def packed(self, names: Iterable[str]) -> int:
        return self._packed

    def read(self, names: Collection[str]) -> Mapping[str, bytes]:
        self.wanted += sorted(names)
        return {name: SOURCES[name].encode() for name in names}


class _Indexes(MemoryCatalogue):
    def __init__(self, members: _Members | None) -> None:
        super().__init__({"big": {"1.0": {"size": 1 << 30}}})
        self._members = members

    def members(self, file: DistFile) -> Members | None:  # type: ignore[override]
        return self._members

    def local_file(self, file: DistFile) -> Path:
        raise AssertionError("nobody fetches such a file as a whole")


def contents(members: _Members | None) -> Contents:
    found = read_contents(_Indexes(members), "big", "1.0", "")
    assert found is not None
    return found


def test_of_a_large_file_modules_come_when_they_are_needed() -> None:
    members = _Members(packed=1 << 30)
    found = contents(members)
    assert (found.is_whole, found.tells_all, set(found.compiled)) == (False, True, {"big._C"})
    assert set(found.modules) == {"big", "big.optim", "big.other", "big.bound", "big._C"}
    assert members.wanted == []
    found.prefetch(["big.optim.Optimizer", "elsewhere.name"])
    assert members.wanted == ["big/__init__.py", "big/optim.py"]
    assert found.modules["big.other"].source == SOURCES["big/other.py"]
    assert members.wanted == ["big/__init__.py", "big/optim.py", "big/other.py"]


def test_what_is_large_by_its_data_is_had_as_a_whole() -> None:
    members = _Members(packed=1000)
    found = contents(members)
    assert found.is_whole
    assert sorted(members.wanted) == sorted(name for name in SOURCES if name.endswith(".py"))


def test_what_cannot_be_had_in_parts_is_not_looked_through() -> None:
    assert contents(None) == Contents({}, tells_all=False, is_whole=True, is_wheel=True)


@pytest.mark.parametrize(
    ("name", "lacks"),
    [
        ("big.optim.step", True),
        ("big.optim.Optimizer", False),
        ("big.other.late", True),
        ("big.bound.late", False),
        ("big.late", False),
    ],
)
def test_nothing_is_said_where_other_modules_would_have_to_be_asked(name: str, lacks: bool) -> None:
    members = _Members(packed=1 << 30)
    found = contents(members)
    holdings = Holdings(found.modules, is_whole=False, compiled=found.compiled)
    assert holdings.lacks(name) is lacks
    assert set(members.wanted) < set(SOURCES)
