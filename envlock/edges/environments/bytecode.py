"""Bytecode, compiled once for each source and interpreter, and linked into all environments with that source.

A source is identified by its hash in a RECORD. Bytecode in the pool is never checked against its source again
(PEP 552, unchecked hashes), since an environment does not change; and when the interpreter loads it, it puts
the right path into tracebacks, whichever environment it was compiled in.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from envlock.edges.environments.records import InstalledRecord, installed_records
from envlock.edges.subprocesses import run, stopped_by
from envlock.model.project.target import Interpreter

_UNCHECKED_HASHES_SINCE = (3, 7)
_TIMEOUT_S = 3600.0
_LINKING = 8
"""How many threads link: on a local disk two are as fast."""
_LINKS_OF_A_TASK = 256
_COMPILER = """
import marshal, os, py_compile, sys
with open(sys.argv[1], encoding="utf-8") as listed:
    sources = listed.read().splitlines()
for source in sources:
    try:
        compiled = py_compile.compile(
            source, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
    except Exception:
        continue
    try:
        with open(compiled, "rb") as file:
            marshal.loads(file.read()[16:])
    except Exception:
        os.unlink(compiled)
"""
"""Compiles the sources listed in a file. On a full disk, interpreters before 3.12.8 write only the beginning
of a file and report success (CPython issue 126606); every environment would get it, so each is read back."""


def fill_bytecode(
    prefix: Path,
    records: Iterable[InstalledRecord],
    *,
    interpreter: Interpreter,
    pool: Path,
    on_line: Callable[[str], None] | None = None,
) -> None:
    """Give every module of an environment its bytecode, from the pool or else compiled now.

    Sources that do not compile, such as those for Python 2 in many old wheels, get none. Nor do interpreters
    other than CPython, and those before 3.7, which have no unchecked hashes.

    Args:
        prefix: the environment.
        records: what is installed in it.
        interpreter: its interpreter.
        pool: the folder of all bytecode, on the environments' file system.
        on_line: called with progress.
    """
    if (
        interpreter.release < _UNCHECKED_HASHES_SINCE
        or interpreter.markers.get("implementation_name") != "cpython"
    ):
        return
    tag = _tag(interpreter)
    modules = [module for installed in records for module in _modules(installed, tag, pool / tag)]
    linked = _link_all([(module.pooled, module.bytecode) for module in modules])
    missing = [module for module, is_there in zip(modules, linked, strict=True) if not is_there]
    if missing:
        if on_line is not None:
            on_line(f"compiling {len(missing)} of {len(modules)} modules")
        _compile(prefix, missing)
        # All empty modules share one file, which may have no more names by now: then theirs is the next.
        _link_all([(module.bytecode, module.pooled) for module in missing])


def drop_bytecode(prefix: Path, *, interpreter: Interpreter, pool: Path, names: Container[str]) -> None:
    """Remove the bytecode of distributions from the environment and from the pool.

    Args:
        prefix: the environment.
        interpreter: its interpreter.
        pool: the folder of all bytecode.
        names: canonical names of the distributions.
    """
    tag = _tag(interpreter)
    for installed in installed_records(prefix):
        if installed.name in names:
            for module in _modules(installed, tag, pool / tag):
                Path(module.bytecode).unlink(missing_ok=True)
                Path(module.pooled).unlink(missing_ok=True)


def unused_bytecode(pool: Path) -> Iterator[Path]:
    """Yield the files of the pool that no environment uses."""
    for folder, _, names in os.walk(pool):
        for name in names:
            path = Path(folder, name)
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_nlink == 1:
                    yield path


class _Module(NamedTuple):
    source: str
    bytecode: str
    pooled: str


def _tag(interpreter: Interpreter) -> str:
    """The tag in the names of its bytecode files (``sys.implementation.cache_tag``)."""
    return "cpython-{}{}".format(*interpreter.release[:2])


def _modules(installed: InstalledRecord, tag: str, pool: Path) -> Iterator[_Module]:
    """Yield the modules of a distribution."""
    for path, digest, _ in installed.files:
        if digest and path.endswith(".py"):
            folder, _, name = path.rpartition("/")
            bytecode = f"{folder}/__pycache__/{name[:-3]}.{tag}.pyc"
            yield _Module(path, bytecode, f"{pool}/{digest[:2]}/{digest}.pyc")


def _link_all(names: Sequence[tuple[str, str]]) -> list[bool]:
    """Hard-link many files, each to another name, and return for each whether that name exists now.

    On a network's file system each link waits for the server, so that several are made at a time; neighbours
    one after the other, since a folder takes one new name at a time.
    """
    folders: set[str] = set()
    parts = [names[first : first + _LINKS_OF_A_TASK] for first in range(0, len(names), _LINKS_OF_A_TASK)]

    def link_some(part: Sequence[tuple[str, str]]) -> list[bool]:
        return [_link(origin, place, folders) for origin, place in part]

    with ThreadPoolExecutor(_LINKING) as threads:
        return [is_there for linked in threads.map(link_some, parts) for is_there in linked]


def _link(origin: str, place: str, folders: set[str]) -> bool:
    """Hard-link a file to another name, and return whether that name exists now; a failed link is no error.

    ``folders`` are those that are known to exist; the new name's is added. Another file of that name is
    replaced, such as bytecode from a wheel, which the interpreter would reject because its source is newer.
    """
    folder = place.rpartition("/")[0]
    if folder not in folders:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - paths are texts here
        folders.add(folder)
    try:
        os.link(origin, place)
    except FileExistsError:
        return _replace(origin, place)
    except OSError:
        return False
    return True


def _replace(origin: str, place: str) -> bool:
    """Hard-link a file in place of another one, which stays where that fails; return whether it is done."""
    aside = f"{place}.{os.getpid()}.{threading.get_native_id()}"
    try:
        if not os.path.samefile(origin, place):  # noqa: PTH121 - paths are texts here
            os.link(origin, aside)
            os.replace(aside, place)  # noqa: PTH105
    except OSError:
        with suppress(OSError):
            os.unlink(aside)  # noqa: PTH108
        return False
    return True


def _compile(prefix: Path, modules: Sequence[_Module]) -> None:
    """Compile with the environment's own interpreter, on all processors that this process may use."""
    workers, stop = max(1, min(len(os.sched_getaffinity(0)), len(modules))), threading.Event()
    with ThreadPoolExecutor(workers) as threads:
        try:
            running = [
                threads.submit(_compile_some, prefix, modules[number::workers], stop)
                for number in range(workers)
            ]
            for future in as_completed(running):
                future.result()
        except BaseException:
            stop.set()  # and wait: a compiler that still writes would keep the folder from being removed
            raise


def _compile_some(prefix: Path, modules: Sequence[_Module], stop: threading.Event) -> None:
    with (
        NamedTemporaryFile("w", prefix="envlock-", suffix=".txt", encoding="utf-8") as listed,
        stopped_by(stop),
    ):
        listed.writelines(f"{module.source}\n" for module in modules)
        listed.flush()
        command = [str(prefix / "bin/python"), "-IS", "-c", _COMPILER, listed.name]
        run(command, timeout_s=_TIMEOUT_S, dies_with_us=True)
