"""Addresses of package sources: what of them may be shown and locked, and which of them are none."""

from __future__ import annotations

import pytest

from envlock.model.project.package_sources import (
    is_address,
    is_url,
    named_by,
    without_credentials,
    without_name,
)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:secret@host/simple", "https://host/simple"),
        ("https://me:s@cret@host/simple", "https://host/simple"),
        ("HTTPS://token@host/simple", "HTTPS://host/simple"),
        ("git+https://me:secret@host/x.git@v1", "git+https://host/x.git@v1"),
        ("git+ssh://git@host/x.git@v1", "git+ssh://git@host/x.git@v1"),
        ("git+ssh://git:secret@host:22/x.git@v1", "git+ssh://git@host:22/x.git@v1"),
        ("https://host/x.whl?token=abc", "https://host/x.whl"),
        ("https://host/x.whl?TOKEN=abc&v=1", "https://host/x.whl?v=1"),
        ("https://host/x.whl?v=1&X-Amz-Signature=abc&z=2#sha256=1", "https://host/x.whl?v=1&z=2#sha256=1"),
        ("https://host/x.whl?private_token=abc&sig=1&password=%40", "https://host/x.whl"),
        ("https://host?api-key=abc", "https://host"),
        ("https://host/a:b@c/x.whl?v=1", "https://host/a:b@c/x.whl?v=1"),
        ("https://host/tokens=abc/x.whl#token=abc", "https://host/tokens=abc/x.whl#token=abc"),
        ("file:///site/a@b/x.whl", "file:///site/a@b/x.whl"),
        ("wheels/x.whl", "wheels/x.whl"),
    ],
)
def test_nothing_that_lets_in_is_shown(address: str, shown: str):
    assert without_credentials(address) == shown


def test_a_request_keeps_its_parameters():
    assert without_name("https://me:secret@host/x.whl?token=abc") == "https://host/x.whl?token=abc"


@pytest.mark.parametrize(
    ("address", "valid"),
    [
        ("https://host/simple", True),
        ("https://host:65535/simple", True),
        ("https://host:/simple", True),
        ("https://[::1]:80/simple", True),
        ("https://me:p:w@host/simple", True),
        ("wheels/x.whl", True),
        ("https://host:65536/simple", False),
        ("https://host:port/simple", False),
        ("https://[::1/simple", False),
    ],
)
def test_whether_there_can_be_a_host(address: str, valid: bool):
    assert is_address(address) is valid


def test_what_is_relative_to_the_project():
    assert not is_url("wheels/x.whl")
    assert all(map(is_url, ["https://host/x", "http://host/x", "file:///x", "git+ssh://git@host/x"]))


@pytest.mark.parametrize(
    ("filename", "distribution", "version"),
    [
        ("Flask_Thing-1.0.0-1-py3-none-any.whl", "flask-thing", "1.0.0"),
        ("flask_thing-1.00.tar.gz", "flask-thing", "1.0"),
    ],
)
def test_what_a_file_name_says(filename: str, distribution: str, version: str):
    named = named_by(filename)
    assert named is not None
    assert (named.distribution, named.version) == (distribution, version)
    assert bool(named.tags) is bool(named.build) is filename.endswith(".whl")


@pytest.mark.parametrize("filename", ["v1.0.tar.gz", "x-1.0.whl", "x-1.0.egg", ""])
def test_a_file_name_that_says_nothing(filename: str):
    assert named_by(filename) is None
