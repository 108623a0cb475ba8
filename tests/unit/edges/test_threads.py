"""Threads begin with the first task, and none begins after the end."""

from __future__ import annotations

import threading

import pytest

from envlock.edges.threads import Threads


def test_no_thread_begins_without_a_task() -> None:
    before = threading.active_count()

    with Threads(4) as pool:
        assert threading.active_count() == before
        assert list(pool.map(str.upper, "abc")) == ["A", "B", "C"]
        assert threading.active_count() > before


def test_what_has_begun_is_done_before_the_end() -> None:
    go_on = threading.Event()

    with Threads(1) as pool:
        asked = [pool.submit(go_on.wait, 5), pool.submit(go_on.is_set)]
        go_on.set()

    assert [one.result() for one in asked] == [True, True]


def test_what_has_not_begun_may_be_dropped() -> None:
    go_on, begun = threading.Event(), threading.Event()
    pool = Threads(1)
    first = pool.submit(lambda: begun.set() or go_on.wait(5))  # type: ignore[func-returns-value]
    second = pool.submit(go_on.is_set)
    begun.wait(5)

    pool.close(wait=False, drop=True)
    go_on.set()

    assert (first.result(), second.cancelled()) == (True, True)


@pytest.mark.parametrize("tasks", [0, 1])
def test_none_begins_after_the_end(tasks: int) -> None:
    pool = Threads(2)
    for _ in range(tasks):
        assert pool.submit(int).result() == 0
    pool.close(wait=True, drop=True)

    with pytest.raises(RuntimeError, match="after"):
        pool.submit(int)
