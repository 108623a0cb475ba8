"""The wheel of every pin: downloaded by hash, or built in the order in which builds need each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from envlock.edges.builds import build_key, build_wheel
from envlock.edges.editable_builds import build_editable_wheel
from envlock.edges.index.source_folders import folder_digest
from envlock.edges.store import Store
from envlock.model.catalogue import DistFile
from envlock.model.frozen import dataclass
from envlock.model.lock import Lock
from envlock.model.pins import DistributionPin
from envlock.model.progress import Progress
from envlock.model.target import Interpreter

_DOWNLOADS = 4


class FileSource(Protocol):
    """Where the files that a lock pins come from: the indexes, or an archive."""

    def local_file(self, file: DistFile) -> Path:
        """The file on the local disk, its hash checked."""


@dataclass(frozen=True, slots=True)
class Made:
    """A wheel at hand: downloaded, with its hash as the key, or built, with the build's key."""

    wheel: Path
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelMaker:
    """Gets or builds the wheels of a lock's pins."""

    store: Store
    lock: Lock
    interpreter: Interpreter
    source: FileSource
    progress: Progress

    def wheels(self, pins: Iterable[DistributionPin]) -> tuple[Path, ...]:
        """The wheels of pins, downloaded first, then built in the order in which builds need each other."""
        return tuple(made.wheel for made in self.make(pins).values())

    def make(self, pins: Iterable[DistributionPin]) -> Mapping[str, Made]:
        """The wheel of each pin, by component; pins come with those that they are built against."""
        wanted = list(pins)
        made = self._fetch([pin for pin in wanted if pin.build is None])
        for pin in _in_build_order(wanted):
            made[pin.component] = self._build(pin, made)
        return {pin.component: made[pin.component] for pin in wanted}

    def _fetch(self, pins: Sequence[DistributionPin]) -> dict[str, Made]:
        title = f"fetching {len(pins)} wheels"
        pool = ThreadPoolExecutor(_DOWNLOADS)
        with self.progress.task(title, total=len(pins)) as task, _not_waited_for(pool):
            waiting = [(pin, pool.submit(self.source.local_file, pin.file)) for pin in pins]
            made = {}
            for pin, future in waiting:
                task.note(pin.file.filename)
                made[pin.component] = Made(wheel=future.result(), key=pin.file.sha256)
                task.advance()
            return made

    def _build(self, pin: DistributionPin, made: Mapping[str, Made]) -> Made:
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
            inputs={one.wheel.name: one.key for one in (*tools, *against)},
            systems=systems,
            compiler=plan.systems.get("gcc", ""),
        )
        with self.progress.task(f"building {pin.name} {pin.version}") as task:
            tool_wheels = [one.wheel for one in tools]
            build = (
                partial(build_editable_wheel, folder=place)
                if pin.file.editable
                else partial(
                    build_wheel,
                    sdist=place,
                    against_wheels=[one.wheel for one in against],
                    systems=systems,
                )
            )

            def make(work: Path) -> Path:
                return build(
                    pin=pin,
                    interpreter=self.interpreter,
                    build_wheels=tool_wheels,
                    work=work,
                    log=self.store.log(key),
                    on_line=task.note,
                )

            return Made(wheel=self.store.wheels.make(key, make), key=key)


@contextmanager
def _not_waited_for(pool: ThreadPoolExecutor) -> Iterator[None]:
    """After a failure or an interruption, the downloads that nobody will use are not waited for."""
    try:
        yield
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_build_order(pins: Iterable[DistributionPin]) -> Iterator[DistributionPin]:
    """Pins to build, each after those that it is built against."""
    waiting = {pin.component: pin for pin in pins if pin.build is not None}
    while waiting:
        ready = [
            pin for pin in waiting.values() if pin.build and not (pin.build.against.keys() & waiting.keys())
        ] or list(waiting.values())
        for pin in ready:
            yield waiting.pop(pin.component)
