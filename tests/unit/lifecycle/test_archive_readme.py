"""What the README of an archive says that a machine must have."""

from __future__ import annotations

import pytest

from envlock.lifecycle.publishing.archive_readme import needed
from envlock.model.locked.archive import InterpreterOrigin
from tests.locks import lock


@pytest.mark.parametrize(
    ("path", "kind", "build", "told"),
    [
        (
            "/opt/bin/python3.7",
            "pyenv",
            "default, GCC 12",
            "Python 3.7.16, compiled by pyenv: pyenv install 3.7.16 (default, GCC 12)",
        ),
        ("/opt/bin/python3.7", "other", "", "Python 3.7.16, at /opt/bin/python3.7"),
        ("", "other", "", "Python 3.7.16"),  # a target of the manifest says no more
    ],
)
def test_the_interpreter(path: str, kind: str, build: str, told: str) -> None:
    origin = InterpreterOrigin(version="3.7.16", path=path, kind=kind, build=build)
    assert list(needed(lock(), origin)) == [f"{told}; where that cannot be had, another 3.7"]
