"""The table of negative controls against the tests that it names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_ROW = re.compile(
    r"^\| (?P<planted>.+) \| (?P<check>.+) \| `(?P<said>.+)` \| `(?P<file>\S+)::(?P<test>\w+)` \|$"
)
ROWS = [match for line in (ROOT / "CONTROLS.md").read_text().splitlines() if (match := _ROW.match(line))]


def test_every_row_of_the_table_is_one() -> None:
    rows = [line for line in (ROOT / "CONTROLS.md").read_text().splitlines() if line.startswith("| ")]
    assert len(rows) - 1 == len(ROWS) > 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["test"])
def test_a_control_has_a_test_that_wants_what_is_said(row: re.Match[str]) -> None:
    """The words, or the name of the check that says them, are in the test or what it is parametrized with."""
    text = (ROOT / row["file"]).read_text()
    found = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == row["test"]
    ]
    assert len(found) == 1
    begin = min([one.lineno for one in found[0].decorator_list], default=found[0].lineno)
    lines = text.splitlines()[begin - 1 : found[0].end_lineno]
    assert row["said"] in "\n".join(lines)
