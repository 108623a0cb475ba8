from __future__ import annotations

import pytest

from envlock.edges.index.requirement_repair import read_requirement, read_specifiers


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("foo (>=1.0.*)", "foo>=1.0"),
        ("bar>=2.0.*", "bar>=2.0"),
        ("bar2>=2.0.*,<3.0.*; python_version < '3.0'", 'bar2<3.0,>=2.0; python_version < "3.0"'),
        ("bar==2.0.*", "bar==2.0.*"),
        ("bar[x]>=1.0<2.0", "bar[x]<2.0,>=1.0"),
        ("bar>='1.5'", "bar>=1.5"),
        ("bar (>=1.0,)", "bar>=1.0"),
        ("bar=>1.0", "bar>=1.0"),
        ("bar===1.0; implementation_name === 'pypy'", 'bar===1.0; implementation_name == "pypy"'),
    ],
)
def test_mended(text, meant):
    assert str(read_requirement(text)) == meant


@pytest.mark.parametrize("text", ["", "foo bar", "foo (what?)", "-e .", "foo>=;"])
def test_beyond_repair(text):
    assert read_requirement(text) is None


def test_python_versions():
    assert read_specifiers(">=3.6.*") == read_specifiers(">=3.6")
    assert read_specifiers("three") is None
