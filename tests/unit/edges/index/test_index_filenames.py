from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

from envlock.edges.index.filenames import read_filename

PARTS = st.sampled_from(
    [
        "foo",
        "Foo",
        "foo_bar",
        "1.0",
        "1.0+cu101",
        "v2",
        "x",
        "3b",
        "12",
        "",
        "py3",
        "py2.py3",
        "none",
        "any",
        "abi3",
    ]
)


@given(
    st.lists(PARTS, min_size=1, max_size=8).map("-".join),
    st.sampled_from([".whl", ".tar.gz", ".zip", ".exe"]),
)
def test_agrees_with_packaging(stem, ending):
    found = read_filename(stem + ending, "foo")
    try:
        if ending == ".whl":
            name, version, build, tags = parse_wheel_filename(stem + ending)
        else:
            (name, version), build, tags = parse_sdist_filename(stem + ending), (), frozenset()
    except InvalidWheelFilename:
        assert found is None
    except InvalidSdistFilename:
        _, *version = stem.split("-")
        assert found is None or (len(version) > 1 and found.version == Version("-".join(version)))
    else:
        if name == "foo" or ending == ".whl":
            assert found == ((version, tags, build) if name == "foo" else None)


@pytest.mark.parametrize(
    ("stem", "version"),
    [
        ("foo-1.0-1", "1.0.post1"),
        ("Foo-2.0-rc3", "2.0rc3"),
        ("foo-1.0-rc-1", "1.0rc1"),
        ("foo-bar-1.0", None),
        ("foo-1.0-final", None),
        ("foobar-1.0-1", None),
    ],
)
def test_versions_with_a_dash_are_read_by_who_knows_the_distribution(stem, version):
    found = read_filename(f"{stem}.tar.gz", "foo")
    assert (found and str(found.version)) == version


@pytest.mark.parametrize("name", ["foo-1.0-py3-none-any/../../x.whl", "foo__bar-1.0-py3-none-any.whl"])
def test_names_that_would_lead_astray(name):
    assert read_filename(name, "foo") is None
    assert read_filename(name, "foo-bar") is None


def test_a_version_of_thousands_of_digits_is_that_of_no_release() -> None:
    assert read_filename(f"alpha-{'9' * 5000}.tar.gz", "alpha") is None
