"""Threads for tasks that wait: created on first use, because most answers come from a cache."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Given = ParamSpec("Given")
One = TypeVar("One")
Result = TypeVar("Result")


class Threads:
    """A thread pool that is created with its first task, since importing its module and logging takes 2 ms.

    Use it in a ``with`` statement, or ``close`` it. It may be used from several threads.
    """

    def __init__(self, most: int, name: str = "") -> None:
        self._most = most
        self._name = name
        self._making = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(wait=True, drop=False)

    def submit(
        self, task: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Result]:
        """Start a task.

        Raises:
            RuntimeError: the pool is closed.
        """
        return self._made().submit(task, *args, **kwargs)

    def map(self, task: Callable[[One], Result], each: Iterable[One]) -> Iterator[Result]:
        """Return the task's results for each item, in order; all tasks are started now.

        Raises:
            RuntimeError: the pool is closed.
        """
        return self._made().map(task, each)

    def close(self, *, wait: bool, drop: bool) -> None:
        """Accept no more tasks.

        Args:
            wait: whether to wait until the tasks that have begun are done.
            drop: whether to drop the tasks that have not begun.
        """
        with self._making:
            self._is_closed = True
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=drop)

    def _made(self) -> ThreadPoolExecutor:
        with self._making:
            if self._pool is None:
                if self._is_closed:
                    msg = "cannot begin a task after close"
                    raise RuntimeError(msg)
                from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - see the class

                self._pool = ThreadPoolExecutor(self._most, thread_name_prefix=self._name)
            return self._pool
