"""The wheel of every pin: downloaded by hash, or built beside other builds that do not need it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from envlock.app.nodes import need_machine
from envlock.edges.building.builds import build_key, build_wheel
from envlock.edges.building.editable import build_editable_wheel
from envlock.edges.building.parallelism import builds_at_a_time
from envlock.edges.index.source_folders import folder_digest
from envlock.edges.store.store import Store
from envlock.edges.subprocesses import stopped_by
from envlock.model.counting import number_of
from envlock.model.frozen import dataclass
from envlock.model.knowing.recipe import BuildFailure
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import DistributionPin
from envlock.model.progress import Progress, Task
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import DistFile
from envlock.solve.building.compilers import COMPILER

_DOWNLOADS = 4


class FileSource(Protocol):
    """Where the files that a lock pins come from: the indexes, or an archive."""

    def local_file(self, file: DistFile) -> Path:
        """Return the file on the local disk, its hash checked."""


@dataclass(frozen=True, slots=True)
class Made:
    """A wheel on disk: downloaded, with its hash as the key, or built, with the build's key."""

    wheel: Path
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Build:
    """A build that may begin: its pin, its key, and what makes the wheel in a given working folder."""

    pin: DistributionPin
    key: str
    run: Callable[..., Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelMaker:
    """Fetches or builds the wheels of a lock's pins."""

    store: Store
    lock: Lock
    interpreter: Interpreter
    source: FileSource
    progress: Progress
    failures: tuple[BuildFailure, ...] = ()

    def wheels(self, pins: Iterable[DistributionPin]) -> tuple[Path, ...]:
        """Return the wheels of pins, downloading first, then building."""
        return tuple(made.wheel for made in self.make(pins).values())

    def make(self, pins: Iterable[DistributionPin]) -> Mapping[str, Made]:
        """Return the wheel of each pin by component; pins must come with those they are built against."""
        wanted = list(pins)
        made = self._fetch([pin for pin in wanted if pin.build is None])
        for ready in _in_build_order(wanted):
            made |= self._make([self._build(pin, made) for pin in ready])
        return {pin.component: made[pin.component] for pin in wanted}

    def _fetch(self, pins: Sequence[DistributionPin]) -> dict[str, Made]:
        title = f"fetching {number_of(len(pins), 'wheel')}"
        pool = ThreadPoolExecutor(_DOWNLOADS)
        with self.progress.task(title, total=len(pins)) as task, _not_waited_for(pool):
            waiting = [(pin, pool.submit(self.source.local_file, pin.file)) for pin in pins]
            made = {}
            for pin, future in waiting:
                task.note(pin.file.filename)
                made[pin.component] = Made(wheel=future.result(), key=pin.file.sha256)
                task.advance()
            return made

    def _build(self, pin: DistributionPin, made: Mapping[str, Made]) -> _Build:
        """Prepare a build with all that it needs at hand: its source, its tools, what it is built against."""
        plan = pin.build
        assert plan is not None  # noqa: S101 - only sdists come here
        against = [made[component] for component in plan.against]
        tools = self.make(plan.requires).values()
        systems = tuple(system for system in self.lock.systems if system.component in plan.systems)
        place = self.source.local_file(pin.file)
        if pin.file.editable:
            pin = replace(pin, file=replace(pin.file, sha256=folder_digest(place)))
        key = build_key(
            pin=pin,
            interpreter=self.interpreter,
            inputs={tool.wheel.name: tool.key for tool in (*tools, *against)},
            systems=systems,
            compiler=plan.systems.get(COMPILER, ""),
            glibc=next((system.version for system in self.lock.systems if system.component == "glibc"), ""),
        )
        build = (
            partial(build_editable_wheel, folder=place)
            if pin.file.editable
            else partial(
                build_wheel,
                sdist=place,
                against_wheels=[other.wheel for other in against],
                systems=systems,
            )
        )
        run = partial(
            build,
            pin=pin,
            interpreter=self.interpreter,
            build_wheels=[tool.wheel for tool in tools],
            failures=self.failures,
            log=self.store.log(key),
        )
        return _Build(pin=pin, key=key, run=run)

    def _make(self, builds: Sequence[_Build]) -> dict[str, Made]:
        """Make the wheels of builds none of which needs another, several at a time where there is room.

        Raises:
            SurroundingsError: one failed; those under way are stopped, and what is built is kept.
        """
        first, several = builds[0].pin, len(builds) > 1
        title = f"building {len(builds)} wheels" if several else f"building {first.name} {first.version}"
        total = len(builds) if several else None
        stop = threading.Event()
        with ThreadPoolExecutor(builds_at_a_time()) as pool, self.progress.task(title, total) as task:
            running = {pool.submit(self._made, build, task, stop): build for build in builds}
            try:
                for future in as_completed(running):
                    future.result()
                    task.advance()
            except BaseException:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            return {build.pin.component: future.result() for future, build in running.items()}

    def _made(self, build: _Build, task: Task, stop: threading.Event) -> Made:
        def note(line: str) -> None:
            task.note(f"{build.pin.name}: {line}")

        def run(work: Path) -> Path:
            need_machine(self.interpreter, self.lock.target, f"the build of {build.pin.name}")
            return build.run(work=work, on_line=note)

        def on_wait() -> None:
            note("another envlock builds it: waiting")

        with stopped_by(stop):
            wheel = self.store.wheels.make(build.key, run, on_wait=on_wait)
        return Made(wheel=wheel, key=build.key)


@contextmanager
def _not_waited_for(pool: ThreadPoolExecutor) -> Iterator[None]:
    """Do not wait, after a failure or an interrupt, for downloads that nobody will use."""
    try:
        yield
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_build_order(pins: Iterable[DistributionPin]) -> Iterator[list[DistributionPin]]:
    """Yield batches of pins to build that do not need each other, after those that they are built against."""
    waiting = {pin.component: pin for pin in pins if pin.build is not None}
    while waiting:
        ready = [
            pin for pin in waiting.values() if pin.build and not (pin.build.against.keys() & waiting.keys())
        ] or list(waiting.values())
        for pin in ready:
            waiting.pop(pin.component)
        yield ready
