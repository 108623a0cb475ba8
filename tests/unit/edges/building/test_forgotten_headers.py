from __future__ import annotations

from pathlib import Path

import pytest

from envlock.edges.building.forgotten_headers import add_forgotten_headers

SOURCE = "#pragma once\ninline int f() { return 1; }\n"
MISSED = "a.cpp:7:26: error: 'numeric_limits' is not a member of 'std'\n"


def _note(name: str, header: str) -> str:
    return (
        f"3:1: note: '{name}' is defined in header '<{header}>'; did you forget to '#include <{header}>'?\n"
    )


@pytest.mark.parametrize(
    ("output", "header"),
    [
        (MISSED, "limits"),
        (MISSED.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}"), "limits"),
        ("a.cpp:1:23: error: 'std::this_thread' has not been declared\n", "thread"),
        ("a.cpp:1:40: error: 'runtime_error' is not a member of 'std'\n", "stdexcept"),
        (f"a.cpp:{_note('uint8_t', 'cstdint')}", "cstdint"),
        (f"a.cpp:{_note('std::unique_ptr', 'memory')}", "memory"),
    ],
)
def test_what_gcc_misses_is_included(tmp_path: Path, output: str, header: str) -> None:
    (tmp_path / "a.cpp").write_text(SOURCE)
    assert add_forgotten_headers(output, tmp_path) == [f"a.cpp: #include <{header}>"]
    assert (tmp_path / "a.cpp").read_text() == f"#ifdef __cplusplus\n#include <{header}>\n#endif\n{SOURCE}"


def test_nothing_is_added_twice(tmp_path: Path) -> None:
    """A name that is missed although its header is included is missed for another reason."""
    (tmp_path / "a.cpp").write_text(SOURCE)
    assert add_forgotten_headers(MISSED * 2, tmp_path) == ["a.cpp: #include <limits>"]
    assert add_forgotten_headers(MISSED, tmp_path) == []


@pytest.mark.parametrize(
    "output",
    [
        f"a.c:{_note('uint8_t', 'stdint.h')}",
        "a.cpp:3:1: error: 'nothing' is not a member of 'std'\n",
        MISSED.replace("a.cpp", "gone.cpp"),
        MISSED.replace("a.cpp", "../outside.cpp"),
    ],
    ids=["c", "name", "gone", "outside"],
)
def test_other_files_and_errors_stay_as_they_are(tmp_path: Path, output: str) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for file in (tree / "a.c", tree / "a.cpp", tmp_path / "outside.cpp"):
        file.write_text(SOURCE)
    assert add_forgotten_headers(output, tree) == []
    assert {file.read_text() for file in (tree / "a.c", tree / "a.cpp", tmp_path / "outside.cpp")} == {SOURCE}
