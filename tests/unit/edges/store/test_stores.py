"""Attributes that a module sets."""

from __future__ import annotations

import ast

import pytest

from envlock.analysis.imports.stores import stored_attributes


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("a.x = 1", {"x"}),
        ("a.b.x = 1", {"x"}),
        ("y = a.x", set()),
        ("a.x[0] = 1", set()),
        ("a.x += 1", {"x"}),
        ("a.x: int = 1", {"x"}),
        ("a.x, [b.y, *c.z] = 1, (2, 3)", {"x", "y", "z"}),
        ("for a.x in b: pass\nelse: c.y = 1", {"x", "y"}),
        ("with f() as a.x, g() as (b.y, c): d.z = 1", {"x", "y", "z"}),
        ("async def f():\n async for a.x in b: pass\n async with c as d.y: pass", {"x", "y"}),
        ("def f():\n class A:\n  def g(self): self.x = a.y = 1", {"y"}),
        ("try: a.x = 1\nexcept E: a.y = 1\nelse: a.z = 1\nfinally: a.w = 1", {"x", "y", "z", "w"}),
        ("if b: pass\nelif c: a.x = 1\nelse:\n while d: a.y = 1", {"x", "y"}),
        ("match b:\n case 1: a.x = 1", {"x"}),
        ("setattr(a, 'x', 1)", {"x"}),
        ("def f(): return [setattr(a, 'x', 1) for a in b]", {"x"}),
        ("setattr(a, name, 1)", set()),
        ("del a.x", set()),
    ],
)
def test_what_a_statement_sets_counts_wherever_it_stands(text: str, stored: set[str]) -> None:
    assert stored_attributes(ast.parse(text), text) == stored
