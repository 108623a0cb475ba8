from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envlock.analysis.core_metadata import Fields, to_metadata
from envlock.analysis.requirement_repair import (
    read_requirement,
    read_specifiers,
    read_without_unreadable,
)
from envlock.model.published.metadata import Dependency


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
        ("pytz (>=2011k)", "pytz>2011"),
        ("opencv-python>=3. ; extra == 'all'", 'opencv-python>=3; extra == "all"'),
        ("bar (>=3.,<4.)", "bar<4,>=3"),
        ("bar>1.0.2g,<2", "bar<2,>1.0.2"),
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
    [  # as celery 4.4.1 and apache-airflow 1.10.12 have them
        ("pytz (>dev)", "pytz"),
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


BODIES = st.sampled_from(
    [
        *(
            "Foo_bar",
            "foo (>=1.0.*)",
            "bar[y,x] >=1.0<2.0",
            " spaced ~= 1.4 ",
            "bar>='1.5'",
            "bar (>dev)",
            "",
        ),
        *("foo @ https://example.org/a;b.whl", "foo@https://example.org/foo.whl ", "foo bar"),
    ]
)
CONDITIONS = st.sampled_from(
    [
        *("", ";", "; ", ";extra=='Dev_X'", "; (python_version<'3')and extra == \"a\"", "; what > 1"),
        *("; implementation_name === 'pypy'", '; extra == "a" or (os_name != "nt" and extra == "b")'),
        *("; extra == 'a;b'", "; python_version in '2.7 3.0'", "; 'linux' in sys_platform", "; extra"),
    ]
)


@given(BODIES, CONDITIONS)
def test_a_need_and_its_condition_read_apart_say_what_they_say_together(body, condition):
    found = to_metadata(Fields(requires_dist=(body + condition,), requires_python="", provides_extra=()))
    whole = read_requirement(body + condition)
    if whole is None:
        assert len(found.notes) == 1
        whole = read_without_unreadable(body + condition)
    assert found.requires_dist == ((Dependency.of(whole),) if whole is not None else ())


def test_python_versions():
    stray = ">=2.7, !=3.0.*, !=3.1.*, !=3.2.*, !=3.3.*, !=3.4.*'"
    assert read_specifiers(stray) == read_specifiers(stray.removesuffix("'"))
    assert read_specifiers(">= '2.7'") == read_specifiers(">=2.7")
    assert read_specifiers(">=3.6.*") == read_specifiers(">=3.6")
    assert read_specifiers("three") is None


@pytest.mark.parametrize(
    ("requires", "build_requires", "slips"),
    [
        (("numpy", 'opencv-python>=3. ; extra == "other"'), ("setuptools>=40.8.0", "wheel"), True),
        (("numpy>=1.18.0",), ("setuptools>=40.8.0", "wheel"), False),
        (("torch>=1.9.*",), (), True),
    ],
)
def test_a_release_tells_that_its_requirements_have_slips(requires, build_requires, slips):
    fields = Fields(
        requires_dist=requires, requires_python="", provides_extra=(), build_requires=build_requires
    )
    found = to_metadata(fields)
    assert (found.build_requires, found.has_slips) == (build_requires, slips)


@pytest.mark.parametrize("text", ['python-version (>="3.6")', "python_version>='3.6'"])
def test_a_condition_in_the_place_of_a_name_asks_for_no_distribution(text):
    """As in jraph 0.0.2.dev0; an index has a distribution of that name."""
    metadata = to_metadata(Fields(requires_dist=(text, "bar"), requires_python="", provides_extra=()))
    assert [one.name for one in metadata.requires_dist] == ["bar"]
    assert metadata.notes == (
        f"the requirement {text!r} is a condition in the place of a name and does not count",
    )


@pytest.mark.parametrize("text", ["python-version", "python-version==0.0.2", "pytest>='3.6'"])
def test_a_distribution_may_be_called_like_a_marker(text):
    metadata = to_metadata(Fields(requires_dist=(text,), requires_python="", provides_extra=()))
    assert len(metadata.requires_dist) == 1
    assert metadata.notes == ()
