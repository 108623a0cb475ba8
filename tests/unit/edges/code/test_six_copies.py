"""Copies of six in packages, and by what their modules are found."""

import pytest

from envlock.analysis.imports.six_copies import FIND_MODULE
from tests.unit.edges.code.test_code_reads import reads

OLD = "class _SixMetaPathImporter:\n    def find_module(self, fullname): ...\n"
NEW = f"{OLD}    def find_spec(self, fullname): ...\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("from thing.vendor.six.moves import range\n", 1),
        ("import os\nfrom .vendor.six.moves.urllib import parse\n", 2),
        ("import thing.vendor.six.moves\n", 1),
    ],
)
def test_an_old_copy_has_its_modules_found_by_what_python_no_longer_asks(text: str, line: int) -> None:
    found = reads(thing="from . import use\n", thing__use=text, thing__vendor="", thing__vendor__six=OLD)
    assert found[FIND_MODULE] == f"thing/use.py:{line}"


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        ("from thing.vendor.six.moves import range\n", NEW),
        ("from thing.vendor.six.moves import range\n", "range = range\n"),
        ("from thing.vendor.six import moved\n", OLD),
        ("from six.moves import range\n", OLD),
        ("from thing.vendor import six\nsix.moves.range(3)\n", OLD),
        ("from thing.vendor.six import moves\nmoves.range(3)\n", OLD),
        ("try:\n    from thing.vendor.six.moves import range\nexcept ImportError: pass\n", OLD),
    ],
)
def test_of_another_or_without_its_modules_nothing_is_asked(text: str, copy: str) -> None:
    assert FIND_MODULE not in reads(thing=text, thing__vendor="", thing__vendor__six=copy)
