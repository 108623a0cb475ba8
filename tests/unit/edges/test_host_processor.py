from __future__ import annotations

from pathlib import Path

import pytest

from envlock.edges.host.processor import find_processor, widest_instructions


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (["fpu sse sse2 pni ssse3 sse4_1 sse4_2 avx avx2 avx512f"], "avx512"),
        (["fpu sse sse2 pni sse4_1 sse4_2 avx avx2"], "avx2"),
        (["fpu sse sse2 pni ssse3 sse4_1 sse4_2"], "sse4.2"),
        (["fpu sse sse2 pni"], "sse3"),
        (["fpu"], "none"),
        (["sse2 avx avx2", "sse2 avx"], "avx"),  # what all of them have counts
        ([], ""),
    ],
)
def test_the_widest_that_every_processor_has(flags: list[str], word: str) -> None:
    text = "\n".join(f"processor\t: {n}\nflags\t\t: {one}\nbogomips : 1\n" for n, one in enumerate(flags))
    assert widest_instructions(text) == word


def test_a_machine_of_another_family(tmp_path: Path) -> None:
    found = find_processor("ppc64le", tmp_path / "cpuinfo")
    assert [(one.component, one.version) for one in found] == [("processor", "ppc64le")]


def test_a_machine_without_a_list_of_processors(tmp_path: Path) -> None:
    assert [one.component for one in find_processor("x86_64", tmp_path / "gone")] == ["processor"]
