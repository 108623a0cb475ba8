"""What git leaves in a file that it could not merge."""

from __future__ import annotations

import pytest

from envlock.analysis.merges import refuse_both_sides
from envlock.model.errors import RequestError

MERGED = "a = 1\n<<<<<<< HEAD\nb = 2\n=======\nb = 3\n>>>>>>> other\n"


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        ("", "delete the lines of <<<<<<<"),
        ("lock it again", "git checkout --ours or --theirs takes one of them; or lock it again"),
    ],
)
def test_both_sides_of_a_merge(hint: str, told: str):
    with pytest.raises(RequestError) as refused:
        refuse_both_sides(MERGED, "envlock.toml", hint)
    assert (refused.value.code, refused.value.where) == ("merge-conflict", "envlock.toml, line 2")
    assert told in refused.value.hint


@pytest.mark.parametrize("text", ["", "a = 1\n", 'reason = "a <<<<<<< b"\n'])
def test_what_is_no_merge(text: str):
    refuse_both_sides(text, "envlock.toml", "")
