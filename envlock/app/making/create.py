"""Making a lock real: download, build, install into the store, switch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from envlock.app.making.keys import environment_key
from envlock.app.making.markers import BUILDS, INTERPRETER_MODULES, lock_copy
from envlock.app.making.wheels import FileSource, WheelMaker
from envlock.app.nodes import need_machine, need_node
from envlock.app.project import Project, need_place_on_path
from envlock.edges.environments.installed_files import take_inventory
from envlock.edges.environments.virtual_environments import create_environment
from envlock.edges.files import read_bytes, write_bytes
from envlock.edges.lock_files import LockFile
from envlock.edges.modules import load_for_all
from envlock.edges.visible import is_file
from envlock.lifecycle.site_distributions import site_distributions
from envlock.model.counting import number_of
from envlock.model.errors import RefusedError, RequestError
from envlock.model.locked.integrity import encode_inventory
from envlock.model.locked.lock import Lock
from envlock.model.progress import Progress
from envlock.model.project.target import Interpreter, Target


def create_from_lock(
    project: Project, file: LockFile, target: Target, source: FileSource, progress: Progress
) -> Path:
    """Make a lock's environment, or take it from the store, and make it the group's current one.

    Raises:
        RefusedError: a part of it is a distribution that the site's modules bring.
        RequestError: the target no longer has the interpreter that the lock was solved for, or this machine
            does not; or no environment can live in the store, or on this machine.
        SurroundingsError: a download, a build or the disk failed; the group's old environment stays current.
    """
    store, key, lock = project.store, environment_key(file, project.folder), file.lock
    need_place_on_path(project)
    need_node(f"an environment of {lock.group!r} on this machine", project.manifest.targets)
    _refuse_brought(lock, project)
    if not store.has_usable(key):
        maker = wheel_maker(project, lock, target, source, progress)
        need_machine(maker.interpreter, lock.target, f"an environment of {lock.group!r}")
        _refuse_elsewhere(maker.interpreter, lock)
        # All that follows may start the interpreter: uv, build backends, the compilation of bytecode.
        load_for_all(maker.interpreter.modules)
        wanted = maker.make(lock.distributions)
        wheels = tuple(made.wheel for made in wanted.values())
        built = {pin.name: wanted[pin.component].key for pin in lock.distributions if pin.build}

        def fill(prefix: Path) -> Mapping[str, object]:
            made = create_environment(
                prefix,
                interpreter=maker.interpreter,
                wheels=wheels,
                bytecode=store.bytecode,
                log=store.log(key),
                on_line=task.note,
            )
            # For a later rollback to restore; the key shows whether it is the lock that was meant here.
            write_bytes(lock_copy(prefix, lock.group), read_bytes(file.path))
            inventory = encode_inventory(take_inventory(prefix, made))
            made_from = {"lock": file.sha256, "group": lock.group, "target": lock.target, BUILDS: built}
            modules = list(maker.interpreter.modules)
            needed = {INTERPRETER_MODULES: modules} if modules else {}
            return {**made_from, **needed, **inventory}

        with progress.task(f"installing {number_of(len(wheels), 'distribution')}") as task:
            store.create(key, fill, on_wait=lambda: task.note("another envlock installs them: waiting"))
    return store.switch(lock.target, lock.group, key)


def wheel_maker(
    project: Project, lock: Lock, target: Target, source: FileSource, progress: Progress
) -> WheelMaker:
    """Return the maker of a lock's wheels, with the interpreter that the lock was solved for.

    Raises:
        RequestError: the target no longer has that interpreter, or something is to be built and this machine
            is no node.
    """
    if any(pin.build for pin in lock.distributions):
        need_node(f"what {lock.group!r} has to build", project.manifest.targets)
    return WheelMaker(
        store=project.store,
        lock=lock,
        interpreter=_interpreter(lock, target),
        source=source,
        progress=progress,
        failures=project.knowledge.failures,
    )


def _refuse_brought(lock: Lock, project: Project) -> None:
    """Refuse to pretend: what modules bring is for their own interpreter, not for an environment of ours."""
    from_site = site_distributions(lock, project.knowledge)
    if from_site is None:
        return
    raise RefusedError(
        "site-distribution",
        f"{', '.join(from_site.distributions)} comes from the site and is not installed here",
        where=f"group {lock.group!r} on {lock.target}",
        why="a module's packages are for the module's own Python; lock, check and status work without it",
        hint=f"{from_site.use}; or ask for a release that the site does not bring, to have it built",
    )


def _refuse_elsewhere(interpreter: Interpreter, lock: Lock) -> None:
    if interpreter.path and is_file(Path(interpreter.path)):
        return
    raise RequestError(
        "interpreter-elsewhere",
        f"Python {interpreter.version} of the target {lock.target!r} is not on this machine",
        where=interpreter.path or f"targets.{lock.target}.interpreter has no path",
        why="an environment is made with the interpreter that runs it; a lock needs none here",
        hint=f"here: envlock solve {lock.group} --target {lock.target} --lock-only; "
        "the same without --lock-only where the interpreter is",
    )


def _interpreter(lock: Lock, target: Target) -> Interpreter:
    if (interpreter := target.interpreter(lock.python)) is not None:
        return interpreter
    found = ", ".join(there.version for there in target.interpreters) or "none"
    raise RequestError(
        "no-interpreter",
        f"the lock was solved for Python {lock.python}, which is not here",
        where=f"target {target.name!r}",
        why=f"interpreters found: {found}",
        hint=f"install it: pyenv install {lock.python}, or uv python install {lock.python}; "
        "a group that is not frozen takes another one at its next solve",
    )
