"""What source trees say of their build backends."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyproject_hooks import BackendUnavailable

from envlock.edges.building.backends import UNUSABLE, backend_of, why_unusable


@pytest.mark.parametrize(
    "text",
    [
        "[build-system",
        "a = " + "[" * 9999,
        'build-system = "setuptools"',
        "[build-system]\nbackend-path = 1",
        '[build-system]\nbackend-path = ["../outside"]',
    ],
)
def test_a_tree_that_says_it_wrongly_is_no_bug_of_ours(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(UNUSABLE) as caught:
        backend_of(tmp_path, tmp_path, lambda *_: None)
    assert why_unusable(caught.value)


def test_of_a_backend_that_is_not_there_its_last_word_is_told() -> None:
    told = "Traceback (most recent call last):\n  File ...\nModuleNotFoundError: No module named 'flit'\n"
    assert why_unusable(BackendUnavailable(told)) == "ModuleNotFoundError: No module named 'flit'"
