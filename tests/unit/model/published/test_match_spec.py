"""What lines of conda environments ask for."""

from __future__ import annotations

import pytest

from envlock.model.published.match_spec import MatchSpec, read_match_spec


@pytest.mark.parametrize(
    ("text", "name", "specifier", "build"),
    [
        ("numpy", "numpy", "", ""),
        ("NumPy =*", "numpy", "", ""),
        ("numpy=1.18", "numpy", "==1.18.*", ""),
        ("numpy=1.18.*", "numpy", "==1.18.*", ""),
        ("numpy==1.18.1", "numpy", "==1.18.1", ""),
        ("numpy 1.18.1", "numpy", "==1.18.1", ""),
        ("numpy 1.18.*", "numpy", "==1.18.*", ""),
        ("numpy!=1.18.2", "numpy", "!=1.18.2", ""),
        ("numpy!=1.18.*", "numpy", "!=1.18.*", ""),
        ("numpy~=1.18.0", "numpy", "~=1.18.0", ""),
        ("numpy >= 1.18 , <2", "numpy", ">=1.18,<2", ""),
        ("numpy>=1.18.*", "numpy", ">=1.18", ""),
        ("numpy=1.18.1=py37h4f9e942_0", "numpy", "==1.18.1", "py37h4f9e942_0"),
        ("numpy 1.18.1 py37_0", "numpy", "==1.18.1", "py37_0"),
        ("numpy=1.18.1=py37*", "numpy", "==1.18.1", "py37*"),
        ("pytorch::pytorch=1.4", "pytorch", "==1.4.*", ""),
        ("conda-forge/linux-64::xz=5.2.4=h14c3975_4", "xz", "==5.2.4", "h14c3975_4"),
        ("https://repo.example/conda::six", "six", "", ""),
        ("numpy[version='>=1.18,<2']", "numpy", ">=1.18,<2", ""),
        ('numpy[version="1.18.*", build=py37*]', "numpy", "==1.18.*", "py37*"),
        ("numpy[channel=conda-forge]", "numpy", "", ""),
    ],
)
def test_what_is_read(text, name, specifier, build):
    assert read_match_spec(text) == MatchSpec(name, specifier, build)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "numpy=1.18|1.19",
        "numpy[version='1.18|1.19']",
        "openssl=1.1.1=",
        "tzdata=2020a",
        "a 1 b c",
        "*",
        "=1",
    ],
)
def test_what_has_no_counterpart(text):
    assert read_match_spec(text) is None


@pytest.mark.parametrize(
    ("build", "has"),
    [
        *(("", True), ("py37_0", True), ("pyhd8ed1ab_0", True), ("py_0", True), ("h7b_0", False)),
        *(("cuda120py312h4f3e942_0", True), ("gpu_py37h7a4bb67_0", True), ("cuda*", True), ("0", False)),
    ],
)
def test_builds_tell_whether_there_are_modules(build, has):
    assert MatchSpec("a", "==1", build).has_modules is has
