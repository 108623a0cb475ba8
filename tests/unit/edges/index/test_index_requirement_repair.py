from __future__ import annotations

import pytest

from envlock.edges.index.requirement_repair import read_requirement, read_specifiers, read_without_unreadable


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
        ("bar==2.0.0*", "bar==2.0.0.*"),
        ("bar (==2.0.0.x)", "bar==2.0.0.*"),
        ("bar!=2.*.*", "bar!=2.*"),
        ("bar~=1.4.*", "bar~=1.4"),
        ("bar=1.0", "bar==1.0"),
        ("bar>=1.0, <2.0'", "bar<2.0,>=1.0"),
        ("torch (>=1.9.*)", "torch>=1.9"),
        (
            "spacy-lookups-data (>=0.0.5<0.2.0); extra == 'lookups'",
            'spacy-lookups-data<0.2.0,>=0.0.5; extra == "lookups"',
        ),
        ("bar===1.0; implementation_name === 'pypy'", 'bar===1.0; implementation_name == "pypy"'),
    ],
)
def test_mended(text, meant):
    assert str(read_requirement(text)) == meant


@pytest.mark.parametrize("text", ["", "foo bar", "foo (what?)", "-e .", "foo>=;"])
def test_beyond_repair(text):
    assert read_requirement(text) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [  # as celery 4.4.1, pandas 0.20.1 and apache-airflow 1.10.12 have them
        ("pytz (>dev)", "pytz"),
        ("pytz (>=2011k)", "pytz"),
        (
            "azure-datalake-store (>=0.0.45azure-mgmt>=0.5.0) ; extra == 'all'",
            'azure-datalake-store; extra == "all"',
        ),
        ("foo[x] (>dev,<2)", "foo[x]<2"),
        ("foo bar", None),
        ("-e .", None),
        ("", None),
    ],
)
def test_the_need_stays_where_a_bound_means_nothing(text, meant):
    found = read_without_unreadable(text)
    assert (str(found) if found else None) == meant


def test_python_versions():
    stray = ">=2.7, !=3.0.*, !=3.1.*, !=3.2.*, !=3.3.*, !=3.4.*'"
    assert read_specifiers(stray) == read_specifiers(stray.removesuffix("'"))
    assert read_specifiers(">= '2.7'") == read_specifiers(">=2.7")
    assert read_specifiers(">=3.6.*") == read_specifiers(">=3.6")
    assert read_specifiers("three") is None
