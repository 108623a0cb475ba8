"""Results of tests in a ``setup.py``: what Python would give, or nothing where only running it would tell."""

from __future__ import annotations

import ast

import pytest

from envlock.analysis.sdists import script_tests
from envlock.analysis.sdists.script_tests import UNKNOWN


def value(text: str, *lines: str) -> object:
    expression = ast.parse(text, mode="eval").body
    return script_tests.Tests(ast.parse("\n".join(lines))).value(expression)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("os.environ.get('FOO') or 'yes'", "yes"),
        ("os.environ.get('FOO') and 'yes'", None),
        ("'no' and 0 or 'yes'", "yes"),
        ("'' or 0", 0),
        ("'yes' or f()", "yes"),
        ("f() or 'yes'", UNKNOWN),
        ("f() and 0", UNKNOWN),
        ("(os.environ.get('FOO') or 'yes') == 'yes'", True),
        ("int(os.environ.get('FOO', 2)) == 2", True),
        ("int(os.getenv('FOO', default='2'))", 2),
        ("int('two')", UNKNOWN),
        ("int(None)", UNKNOWN),
        ("int(f())", UNKNOWN),
        ("bool(os.getenv('FOO', 'no'))", True),
        ("bool(f())", UNKNOWN),
        ("not (f() or 'yes')", False),
        ("not (f() and 0)", True),
        ("not f()", UNKNOWN),
        ("'FOO' in os.environ", False),
        ("'FOO' not in os.environ", True),
        ("'PATH' in os.environ", UNKNOWN),
        ("'HOME' not in os.environ", UNKNOWN),
        ("f() in os.environ", UNKNOWN),
        ("os.environ.get('HOME')", UNKNOWN),
        ("os.environ.get('CUDA_HOME', 'none')", UNKNOWN),
        ("os.getenv(f())", UNKNOWN),
        ("bool(os.environ)", UNKNOWN),
        ("os.environ == {}", UNKNOWN),
        ("'__pypy__' in sys.builtin_module_names", False),
        ("'posix' in sys.builtin_module_names", UNKNOWN),
    ],
)
def test_an_expression_is_what_python_gives_or_unknown(text: str, result: object):
    found = value(text)
    assert (type(found), found) == (type(result), result)


def test_a_name_is_what_it_is_bound_to():
    assert value("x == 'yes'", "x = os.environ.get('FOO') or 'yes'") is True
    assert value("x", "x = 'yes' if f() else 'no'") is UNKNOWN


@pytest.mark.parametrize(("text", "sure"), [("f() or 1", True), ("f() and 1", False), ("f() and 0", False)])
def test_a_branch_surely_runs_where_one_operand_decides(text: str, sure: bool):
    tests = script_tests.Tests(ast.parse(""))
    assert tests.surely(ast.parse(text, mode="eval").body, taken=True) is sure


def test_a_branch_may_run_unless_one_operand_decides():
    tests = script_tests.Tests(ast.parse(""))
    assert not tests.may(ast.parse("f() and 0", mode="eval").body, taken=True)
    assert tests.may(ast.parse("f() and 1", mode="eval").body, taken=True)
