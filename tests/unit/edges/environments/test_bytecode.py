from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest

from envlock.edges.environments.bytecode import fill_bytecode
from envlock.edges.environments.records import installed_records
from envlock.edges.environments.virtual_environments import create_environment
from envlock.edges.host.interpreters import ask_interpreter
from envlock.model.project.target import Interpreter
from tests.patience import PATIENCE_S, wait_until
from tests.unit.cli.conftest import write_wheel

pytestmark = pytest.mark.processes

FILL = """
import sys
from pathlib import Path
from envlock.edges.environments.bytecode import fill_bytecode
from envlock.edges.host.interpreters import ask_interpreter
from envlock.edges.environments.records import installed_records
python = ask_interpreter(Path(sys.executable).resolve())
prefix = Path(sys.argv[1])
fill_bytecode(prefix, installed_records(prefix), interpreter=python, pool=Path(sys.argv[2]))
"""
LIMIT = 16_000


@pytest.fixture
def interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Interpreter:
    """The one that runs the tests; what it is used for has caches of its own."""
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    found = ask_interpreter(Path(sys.executable).resolve())
    assert found is not None
    return found


def test_what_a_full_disk_cut_off_is_in_no_environment(tmp_path: Path, interpreter: Interpreter) -> None:
    """A limit on the size of files stands for a full disk: Python takes a short write for a whole one."""
    wheels = []
    for name, lines in (("large", 4000), ("small", 1)):
        wheels.append(tmp_path / f"{name}-1.0-py3-none-any.whl")
        write_wheel(wheels[-1], name, "1.0", (), "a = b = 1\n" * lines)
    prefix, pool = tmp_path / "environment", tmp_path / "pool"
    create_environment(prefix, interpreter=interpreter, wheels=wheels, log=tmp_path / "log")

    def fill(file_bytes: int) -> set[str]:
        limits = (file_bytes, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
        subprocess.run(
            [sys.executable, "-B", "-c", FILL, str(prefix), str(pool)],
            check=True,
            timeout=PATIENCE_S,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits),
        )
        made = [path for path in prefix.rglob("*.pyc") if path.stem.split(".")[0] in {"large", "small"}]
        assert len(list(pool.rglob("*.pyc"))) == len(made)
        return {path.stem.split(".")[0] for path in made}

    assert fill(LIMIT) == {"small"}
    assert fill(resource.RLIM_INFINITY) == {"large", "small"}
    program = "import large, small; print(large.a)"
    done = subprocess.run([prefix / "bin/python", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_bytecode_that_a_wheel_brings_gives_way(tmp_path: Path, interpreter: Interpreter) -> None:
    """In the environment that compiles it and in the next one, which takes it from the pool."""
    wheel = tmp_path / "mine-1.0-py3-none-any.whl"
    write_wheel(wheel, "mine", "1.0", (), "a = 1\n")
    bytecode = f"__pycache__/mine.{sys.implementation.cache_tag}.pyc"
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr(bytecode, "theirs")
    made = []
    for name in ("first", "second"):
        create_environment(
            tmp_path / name,
            interpreter=interpreter,
            wheels=[wheel],
            log=tmp_path / "log",
            bytecode=tmp_path / "pool",
        )
        (path,) = (tmp_path / name).glob(f"lib/python3.*/site-packages/{bytecode}")
        made.append(path)
    assert made[0].samefile(made[1])
    assert b"theirs" not in made[0].read_bytes()


def test_of_hundreds_of_modules_only_what_the_pool_lacks_is_compiled(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    """They are linked by several threads, and each gets its own."""
    sources = {f"many/m{number}.py": f"number = {number}\n" for number in range(599)}
    wheel, pool, told = tmp_path / "mine-1.0-py3-none-any.whl", tmp_path / "pool", list[str]()
    write_wheel(wheel, "mine", "1.0", (), "import many\n", sources)

    def made(name: str) -> dict[str, Path]:
        prefix = tmp_path / name
        create_environment(prefix, interpreter=interpreter, wheels=[wheel], log=tmp_path / "log")
        records = [record for record in installed_records(prefix) if record.name == "mine"]
        fill_bytecode(prefix, records, interpreter=interpreter, pool=pool, on_line=told.append)
        return {path.name.partition(".")[0]: path for path in prefix.rglob("many/__pycache__/*.pyc")}

    first = made("first")
    lost = {"m0", "m255", "m256", "m598"}
    for path in pool.rglob("*.pyc"):
        if any(path.samefile(first[name]) for name in lost):
            path.unlink()
    second = made("second")
    assert told == ["compiling 600 of 600 modules", "compiling 4 of 600 modules"]
    assert len(second) == 599
    assert {name for name, path in second.items() if not path.samefile(first[name])} == lost


def test_an_interruption_ends_the_compilers(
    tmp_path: Path, interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What still writes to an environment would keep it from being removed."""
    wheel, pid = tmp_path / "mine-1.0-py3-none-any.whl", tmp_path / "pid"
    write_wheel(wheel, "mine", "1.0", (), "a = 1\n")
    tell = f"import os, time; open({str(pid)!r} + '.new', 'w').write(str(os.getpid())); "
    tell += f"os.rename({str(pid)!r} + '.new', {str(pid)!r}); time.sleep(60)"
    monkeypatch.setattr("envlock.edges.environments.bytecode._COMPILER", tell)
    prefix = tmp_path / "environment"
    create_environment(prefix, interpreter=interpreter, wheels=[wheel], log=tmp_path / "log")

    def interrupt() -> None:
        if wait_until(pid.exists):
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        fill_bytecode(prefix, installed_records(prefix), interpreter=interpreter, pool=tmp_path / "pool")
    assert time.monotonic() - begin < 40
    assert not Path("/proc", pid.read_text()).exists()


def test_a_file_with_as_many_names_as_it_may_have_is_made_anew(
    tmp_path: Path, interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All empty modules share one file, of which a file system allows so many names (ext4: 65,000)."""
    wheel = tmp_path / "mine-1.0-py3-none-any.whl"
    write_wheel(wheel, "mine", "1.0", (), "a = 1\n")
    pool = tmp_path / "pool"

    def made(name: str) -> Path:
        prefix = tmp_path / name
        create_environment(prefix, interpreter=interpreter, wheels=[wheel], log=tmp_path / "log")
        fill_bytecode(prefix, installed_records(prefix), interpreter=interpreter, pool=pool)
        return next(prefix.rglob(f"mine.{sys.implementation.cache_tag}.pyc"))

    first, link = made("first"), os.link
    full = first.stat().st_ino

    def limited(origin: str, place: str) -> None:
        if Path(origin).stat().st_ino == full:
            raise OSError(errno.EMLINK, "Too many links", origin)
        link(origin, place)

    monkeypatch.setattr("envlock.edges.environments.bytecode.os.link", limited)
    second, third = made("second"), made("third")
    assert second.stat().st_ino == third.stat().st_ino != full
    assert not list(tmp_path.rglob("*.pyc.*"))
