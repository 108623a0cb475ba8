"""Making a lock real: download, build, install into the store, switch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from envlock.app.project import Project
from envlock.edges.builds import build_key, build_wheel
from envlock.edges.environments import create_environment
from envlock.edges.files import read_bytes, write_bytes
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.lock_files import LockFile
from envlock.edges.store import Store
from envlock.model.errors import RequestError
from envlock.model.lock import Lock
from envlock.model.pins import DistributionPin
from envlock.model.progress import Progress
from envlock.model.target import Interpreter, Target

_KEY_DIGITS = 20
_DOWNLOADS = 4


def environment_key(file: LockFile) -> str:
    """The name of a lock's environment in the store: readable, and bound to the lock's exact content."""
    return f"{file.lock.target}-{file.lock.group}-{file.sha256[:_KEY_DIGITS]}"


def lock_copy(prefix: Path, group: str) -> Path:
    """Where an environment keeps the lock that it was made from."""
    return prefix / f"pylock.{group}.toml"


def create_from_lock(
    project: Project, file: LockFile, target: Target, catalogue: IndexCatalogue, progress: Progress
) -> Path:
    """The environment of a lock, from the store or made now, and made the group's current one.

    Raises:
        RequestError: the target has no longer the interpreter that the lock was solved for.
        SurroundingsError: a download, a build or the disk failed; the group's old environment stays current.
    """
    store, key, lock = project.store, environment_key(file), file.lock
    if store.environment(key) is None:
        maker = _Maker(
            store=store,
            lock=lock,
            interpreter=_interpreter(lock, target),
            catalogue=catalogue,
            progress=progress,
        )
        wheels = maker.wheels(lock.distributions)

        def fill(prefix: Path) -> None:
            with progress.task(f"installing {len(wheels)} distributions") as task:
                create_environment(
                    prefix,
                    interpreter=maker.interpreter,
                    wheels=wheels,
                    log=store.log(key),
                    on_line=task.note,
                )
                # What a later rollback gives back; the key tells whether it is the lock that was meant here.
                write_bytes(lock_copy(prefix, lock.group), read_bytes(file.path))

        store.create(key, fill, record={"lock": file.sha256, "group": lock.group, "target": lock.target})
    return store.switch(lock.target, lock.group, key)


def _interpreter(lock: Lock, target: Target) -> Interpreter:
    for interpreter in target.interpreters:
        if interpreter.version == lock.python:
            return interpreter
    found = ", ".join(one.version for one in target.interpreters) or "none"
    raise RequestError(
        "no-interpreter",
        f"the lock was solved for Python {lock.python}, which is not here",
        where=f"target {target.name!r}",
        why=f"interpreters found: {found}",
        hint=f"install it, or solve {lock.group!r} again",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Maker:
    """Gets or builds the wheel of every pin."""

    store: Store
    lock: Lock
    interpreter: Interpreter
    catalogue: IndexCatalogue
    progress: Progress

    def wheels(self, pins: Iterable[DistributionPin]) -> tuple[Path, ...]:
        """The wheels of pins, downloaded first, then built in the order in which builds need each other."""
        return tuple(made.wheel for made in self._make(pins).values())

    def _make(self, pins: Iterable[DistributionPin]) -> Mapping[str, _Made]:
        wanted = list(pins)
        made = self._fetch([pin for pin in wanted if pin.build is None])
        for pin in _in_build_order(wanted):
            made[pin.component] = self._build(pin, made)
        return {pin.component: made[pin.component] for pin in wanted}

    def _fetch(self, pins: Sequence[DistributionPin]) -> dict[str, _Made]:
        title = f"fetching {len(pins)} wheels"
        pool = ThreadPoolExecutor(_DOWNLOADS)
        with self.progress.task(title, total=len(pins)) as task, _not_waited_for(pool):
            waiting = [(pin, pool.submit(self.catalogue.local_file, pin.file)) for pin in pins]
            made = {}
            for pin, future in waiting:
                task.note(pin.file.filename)
                made[pin.component] = _Made(wheel=future.result(), key=pin.file.sha256)
                task.advance()
            return made

    def _build(self, pin: DistributionPin, made: Mapping[str, _Made]) -> _Made:
        plan = pin.build
        assert plan is not None  # noqa: S101 - only sdists come here
        against = [made[component] for component in plan.against]
        tools = self._make(plan.requires).values()
        systems = tuple(system for system in self.lock.systems if system.component in plan.systems)
        key = build_key(
            pin=pin,
            interpreter=self.interpreter,
            inputs={one.wheel.name: one.key for one in (*tools, *against)},
            systems=systems,
            compiler=plan.systems.get("gcc", ""),
        )
        with self.progress.task(f"building {pin.name} {pin.version}") as task:
            build = partial(
                build_wheel,
                pin=pin,
                sdist=self.catalogue.local_file(pin.file),
                interpreter=self.interpreter,
                build_wheels=[one.wheel for one in tools],
                against_wheels=[one.wheel for one in against],
                systems=systems,
                log=self.store.log(key),
                on_line=task.note,
            )
            return _Made(wheel=self.store.make_wheel(key, lambda work: build(work=work)), key=key)


@contextmanager
def _not_waited_for(pool: ThreadPoolExecutor) -> Iterator[None]:
    """After a failure or an interruption, the downloads that nobody will use are not waited for."""
    try:
        yield
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Made:
    """A wheel at hand: downloaded, with its hash as the key, or built, with the build's key."""

    wheel: Path
    key: str


def _in_build_order(pins: Iterable[DistributionPin]) -> Iterator[DistributionPin]:
    """Pins to build, each after those that it is built against."""
    waiting = {pin.component: pin for pin in pins if pin.build is not None}
    while waiting:
        ready = [
            pin for pin in waiting.values() if pin.build and not (pin.build.against.keys() & waiting.keys())
        ] or list(waiting.values())
        for pin in ready:
            yield waiting.pop(pin.component)
