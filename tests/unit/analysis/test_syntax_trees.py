"""Sources of others: many at once, with slips, and with what compilers complain about."""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from envlock.analysis.syntax_trees import parsed

_SOURCE = "\n".join(
    f"def f{n}(a): return [x.y(z)[1] for x in a if x not in (1, {{3: 4}})]" for n in range(400)
)


class _Slow:
    """A circle whose end lets other threads run, wherever the collector happens to be at work."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        time.sleep(0)


@pytest.fixture
def _eager_collector() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(100, 1, 1)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("_eager_collector")
def test_many_threads_at_once():
    def several(_: int) -> list[int]:
        lengths = []
        for _again in range(6):
            for _circle in range(20):
                _Slow()
            lengths.append(len(parsed(_SOURCE).body))
        return lengths

    with ThreadPoolExecutor(3) as pool:
        assert {length for some in pool.map(several, range(3)) for length in some} == {400}


def test_a_source_may_begin_with_the_mark_of_an_editor():
    assert len(parsed("\ufeffimport numpy\n").body) == 1


def test_what_a_compiler_complains_about_is_not_told():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        parsed(r"x = '\d' is 'y'")
    assert told == []


@pytest.mark.parametrize("source", ["print 1", "x = '\0'", "(" * 300 + ")" * 300, "-" * 100_000 + "1"])
def test_what_is_no_python_is_told_in_one_of_two_ways(source: str):
    with pytest.raises((SyntaxError, ValueError)):
        parsed(source)
