"""What markers say of extras, whatever the node."""

from __future__ import annotations

import pytest
from packaging.markers import Marker

from envlock.model.markers import is_of_extras


@pytest.mark.parametrize(
    ("marker", "of_extras"),
    [
        ('extra == "dev"', True),
        ('"dev" == extra', True),
        ('(extra == "dev" or extra == "all") and python_version < "3"', True),
        ('python_version < "3" and extra == "dev"', True),
        ('python_version < "3" or extra == "dev"', False),
        ('extra != "dev"', False),
        ('platform_release == "extra"', False),
        ('"extra" in platform_version', False),
        ('platform_machine not in "i686 x86" and sys_platform ~= "linux"', False),
    ],
)
def test_whether_a_requirement_is_of_extras_alone(marker: str, of_extras: bool) -> None:
    assert is_of_extras(Marker(marker)) is of_extras
