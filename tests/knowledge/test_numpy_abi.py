"""The tool that finds wheels compiled against NumPy 1: what a module's bytes tell."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.scripts import script

tool = script("find_numpy_abi")

# Texts in compiled modules end with a zero.
FOR_NUMPY_1 = b"\x7fELF numpy.core._multiarray_umath\0_ARRAY_API\0module compiled against ABI version 0x%x\0"
FOR_BOTH = FOR_NUMPY_1 + b"numpy._core._multiarray_umath\0"
WITHOUT_ITS_HEADERS = b"\x7fELF numpy.core.multiarray\0_ARRAY_API\0"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"a/one.so": FOR_NUMPY_1}, "a/one.so"),
        ({"a/one.so": FOR_BOTH, "a/two.so": FOR_NUMPY_1}, "a/two.so"),
        ({"a/one.so": FOR_BOTH}, ""),
        ({"a/one.so": WITHOUT_ITS_HEADERS}, ""),
        ({"a/one.py": FOR_NUMPY_1}, ""),
    ],
    ids=["old", "mixed", "both", "other-bindings", "no-module"],
)
def test_a_module_tells_which_numpy_it_was_compiled_against(
    tmp_path: Path, members: dict[str, bytes], expected: str
) -> None:
    with zipfile.ZipFile(tmp_path / "a-1-py3-none-any.whl", "w") as wheel:
        for name, content in members.items():
            wheel.writestr(name, content)
    assert tool.module_for_numpy_1(tmp_path / "a-1-py3-none-any.whl") == expected
