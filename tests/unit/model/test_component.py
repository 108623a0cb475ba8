"""Versions of distributions and of what vendors call so."""

from __future__ import annotations

import pickle

import pytest

from envlock.model.component import InvalidSpecifier, InvalidVersion, Range, parse_version


@pytest.mark.parametrize(
    ("text", "release"), [("9.0a", "9.0"), ("1.1.1k", "1.1.1"), ("2019-update4", "2019"), ("v3b", "3")]
)
def test_vendors_letters_and_words_leave_the_leading_release(text: str, release: str):
    assert str(parse_version(text)) == release


@pytest.mark.parametrize("text", ["4.1.4,numpy==1.2", "5 5", "12,4", "abc", ""])
def test_what_is_more_than_one_word_is_no_version(text: str):
    with pytest.raises(InvalidVersion):
        parse_version(text)


@pytest.mark.parametrize("text", ["4.1.x", "2.x", "v5.X", "4.x.x", "4.1.*"])
def test_a_series_is_no_version(text: str):
    with pytest.raises(InvalidVersion):
        parse_version(text)


@pytest.mark.parametrize("text", ["4.1.x-20201211", "4.1.xfs", "4.1.0x"])
def test_an_x_with_more_to_it_is_a_vendors(text: str):
    assert str(parse_version(text)).startswith("4.1")


@pytest.mark.parametrize("text", ["1.0+g12a", "1.0.dev5+g1234d5a", "1!2.0+4b1f72a", "1.0+cu118", "1.0a0"])
def test_a_label_may_end_like_a_vendors_version(text: str):
    assert str(parse_version(text)) == text
    assert Range.only(text).contains(text)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("+cu118", ["2.1.0+cu118", "1.0+cu118"], ["2.1.0", "2.1.0+cu1180", "2.1.0+cu121"]),
        (">=2.1,<2.4 +cu12*", ["2.1.0+cu121", "2.3.1+cu124"], ["2.4.0+cu121", "2.3.1+cu118", "2.3.1"]),
        (">=2.1 +", ["2.1.0", "2.2.0.post1"], ["2.1.0+cpu", "2.0.0"]),
        ("+cu11[!8] || ==2.0.0+cpu", ["1.12.1+cu113", "2.0.0+cpu"], ["2.0.0+cu118", "2.0.1+cpu", "2.0.0"]),
        ("+cuda11.*", ["0.4.1+cuda11.cudnn86"], ["0.4.1+cuda12.cudnn88", "0.1.64+cuda111"]),
        ("* +", ["1.0"], ["1.0+local"]),
    ],
)
def test_a_range_may_speak_of_labels(text: str, inside: list[str], outside: list[str]):
    versions = Range.versions(text)
    assert [version for version in (*inside, *outside) if versions.contains(version)] == inside
    assert pickle.loads(pickle.dumps(versions)).contains(inside[0])


@pytest.mark.parametrize("text", [">=2.1 +CU", ">=2.1 + cu12", ">=2.1+cu12*", "+cu118,>=2"])
def test_what_is_no_label_is_no_range(text: str):
    with pytest.raises(InvalidSpecifier):
        Range.versions(text)
