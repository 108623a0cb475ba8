"""Versions of distributions and of what vendors call so."""

from __future__ import annotations

import pytest

from envlock.model.component import Range, parse_version


@pytest.mark.parametrize(
    ("text", "release"), [("9.0a", "9.0"), ("1.1.1k", "1.1.1"), ("2019-update4", "2019"), ("v3b", "3")]
)
def test_vendors_letters_and_words_leave_the_leading_release(text: str, release: str):
    assert str(parse_version(text)) == release


@pytest.mark.parametrize("text", ["1.0+g12a", "1.0.dev5+g1234d5a", "1!2.0+4b1f72a", "1.0+cu118", "1.0a0"])
def test_a_label_may_end_like_a_vendors_version(text: str):
    assert str(parse_version(text)) == text
    assert Range.only(text).contains(text)
