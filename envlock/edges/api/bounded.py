"""Compares interfaces in separate processes: bounded in time, several at once, cached for ever."""

from __future__ import annotations

import math
import multiprocessing as mp
import resource
import signal
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from envlock.edges.api.comparison import compare
from envlock.edges.cache import Cache
from envlock.model.frozen import dataclass
from envlock.model.published.api import Api, ApiState, decode_api, encode_api

_KIND = "api-8"
"""Kind in the cache; incremented whenever the same files would be compared differently."""
_WAITED = 5
"""Seconds that are waited for each second of work: other programs may want the processors, too."""

_LASTING = frozenset({ApiState.COMPARED, ApiState.NO_SOURCES, ApiState.UNREADABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two files of one distribution to compare, on the local disk, each with its hash."""

    component: str
    old: Path
    new: Path
    old_sha256: str
    new_sha256: str


class Comparisons:
    """Compares interfaces; each pair of files is compared once, within some seconds of a processor's work."""

    __slots__ = ("_at_once", "_cache", "_limit_s")

    def __init__(self, cache: Cache, *, limit_s: float, at_once: int) -> None:
        self._cache = cache
        self._limit_s = limit_s
        self._at_once = at_once

    def kept(self, old_sha256: str, new_sha256: str) -> Api | None:
        """Return the comparison of two files by their hashes, if it was made before."""
        document = self._cache.read(_KIND, _key(old_sha256, new_sha256))
        return decode_api(cast("dict[str, object]", document), "the cache") if document is not None else None

    def compare(self, pairs: Iterable[Pair]) -> Iterator[tuple[str, Api]]:
        """Yield component and comparison as each pair finishes; one that takes too long is killed."""
        waiting = list(pairs)
        running: dict[Connection, _Running] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self._at_once:
                    begun = _start(waiting.pop(0), self._limit_s)
                    running[begun.answer] = begun
                ready = wait(list(running), timeout=0.2)
                late = [begun.answer for begun in running.values() if time.monotonic() > begun.until]
                for connection in dict.fromkeys([*cast("list[Connection]", ready), *late]):
                    begun = running.pop(connection)
                    yield begun.pair.component, self._finish(begun, answered=connection in ready)
        finally:
            for begun in running.values():
                _end(begun)

    def _finish(self, running: _Running, *, answered: bool) -> Api:
        api = Api(state=ApiState.TOO_LONG)
        if answered:
            try:
                api = decode_api(cast("dict[str, object]", running.answer.recv()), running.pair.component)
            except EOFError:  # the process died: of its limit, of memory, or of a file that breaks its parser
                running.process.join()
                is_late = running.process.exitcode == -signal.SIGXCPU
                answered, api = False, api if is_late else Api(state=ApiState.UNREADABLE)
        _end(running)
        if api.state in _LASTING and answered:
            self._cache.keep(_KIND, _key(running.pair.old_sha256, running.pair.new_sha256), encode_api(api))
        return api


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    pair: Pair
    process: SpawnProcess
    answer: Connection
    until: float
    sources: TemporaryDirectory[str]


def _key(old_sha256: str, new_sha256: str) -> str:
    return f"{old_sha256} {new_sha256}"


def _start(pair: Pair, limit_s: float) -> _Running:
    context = mp.get_context("spawn")  # a fork would copy locks held by the index's threads
    answer, question = context.Pipe(duplex=False)
    sources = TemporaryDirectory(prefix="envlock-api-")  # ours, because a killed process cannot remove it
    arguments = (question, pair.old, pair.new, Path(sources.name), math.ceil(limit_s))
    process = context.Process(target=_work, args=arguments, daemon=True)
    process.start()
    question.close()
    until = time.monotonic() + limit_s * _WAITED
    return _Running(pair=pair, process=process, answer=answer, until=until, sources=sources)


def _work(question: Connection, old: Path, new: Path, folder: Path, limit_s: int) -> None:
    """Run in the separate process, which an interrupt of the group, or its limit, ends without a word."""
    for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
        signal.signal(kind, signal.SIG_DFL)  # ours were set by the program's module, which this imports too
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    question.send(encode_api(compare(old, new, folder)))
    question.close()


def _end(running: _Running) -> None:
    if running.process.is_alive():
        running.process.kill()
    running.process.join()
    running.answer.close()
    running.sources.cleanup()
