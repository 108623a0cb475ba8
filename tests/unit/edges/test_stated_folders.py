"""Folders of a manifest with variables and homes in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from envlock.edges.stated_folders import stated_folder
from envlock.model.errors import RequestError


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("$SCRATCH/envlock", "/scratch/me/envlock"),
        ("/projects/${USER_OF}/x", "/projects/me/x"),
        ("$AT_HOME/x", "/home/me/x"),
        ("~/envlock", "/home/me/envlock"),
        ("./~nobody-of-this-name", "~nobody-of-this-name"),
        ("a$/b", "a$/b"),
        ("/shared/envlock", "/shared/envlock"),
    ],
)
def test_variables_and_homes_count(text: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {"SCRATCH": "/scratch/me", "USER_OF": "me", "AT_HOME": "~", "HOME": "/home/me"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert stated_folder(text, "envlock.toml") == Path(path)


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("$NOT_SET/envlock", "unset-variable", "$NOT_SET"),
        ("${NOT_SET}", "unset-variable", "$NOT_SET"),
        ("$EMPTY/envlock", "unset-variable", "$EMPTY"),
        ("~nobody-of-this-name/x", "unknown-user", "nobody-of-this-name"),
    ],
)
def test_what_nobody_knows_is_told(text: str, code: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOT_SET", raising=False)
    monkeypatch.setenv("EMPTY", "")
    with pytest.raises(RequestError) as caught:
        stated_folder(text, "envlock.toml, site.store")
    assert (caught.value.code, caught.value.where) == (code, "envlock.toml, site.store")
    assert told in caught.value.message
