"""Who waits for indexes sees that something goes on; what is known already is told at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from envlock.app.checking.check import check_combination
from envlock.edges.cache import Cache
from envlock.model.progress import Silent, Task
from tests.memory import MemoryCatalogue


class Told:
    """Keeps the titles of tasks."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:
        self.titles.append(title)
        with Silent().task(title, total) as task:
            yield task


def test_progress_is_told_once_and_where_somebody_has_to_wait(tmp_path: Path) -> None:
    releases = {"server": {"1.0": {"requires": ["words<2"]}}, "words": {"1.0": {}}}
    pins = ["server==1.0", "words==1.0"]
    told = Told()
    check_combination(pins, Cache(tmp_path), lambda: nullcontext(MemoryCatalogue(releases)), progress=told)
    assert len(told.titles) == 1
    told = Told()
    check_combination(pins, Cache(tmp_path), None, progress=told)
    assert not told.titles
