"""Where version specifiers begin."""

import pytest
from packaging.specifiers import SpecifierSet

from envlock.model.lower_bounds import first_version


@pytest.mark.parametrize(
    ("specifiers", "first"),
    [
        (">=1.0", "1.0"),
        (">=1.9,>=1.10,<2", "1.10"),
        ("==2.13.*", "2.13"),
        ("~=1.4.2", "1.4.2"),
        ("===1.0", "1.0"),
        ("===latest,>=2003", "2003"),
        (">1.0", ""),
        ("<65,!=60", ""),
        ("", ""),
    ],
)
def test_a_set_begins_with_the_last_of_its_lower_bounds(specifiers: str, first: str) -> None:
    assert first_version(SpecifierSet(specifiers)) == first
