"""Whole runs without a network: a real environment from the small index, and what must not break it."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import uv

from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "real"]
PROGRAM = [sys.executable, "-B", "-m", "envlock"]


def program(*arguments: str, file_bytes: int = 0) -> subprocess.CompletedProcess[str]:
    """The command line as a process of its own, which may be forbidden to write files beyond a size.

    Such a one writes no bytecode, which would be cut off and believed (CPython issue 126606).
    """

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        preexec_fn=limit if file_bytes else None,
    )


def test_solve_where_run(site: Site, envlock: Envlock):
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    where = envlock("where", "tiny", "--target", "real")
    prefix = Path(where.out.strip().replace("<root>", str(site.root)))
    code = "import alpha, beta, sys; print(alpha.version, beta.version, sys.prefix)"
    direct = subprocess.run(
        [prefix / "bin/python", "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert direct.stdout.split() == ["2.0", "1.1", str(prefix)]
    within = program("run", "--target", "real", "tiny", "--", "python", "-c", f"{code}; sys.exit(7)")
    assert (within.returncode, within.stdout) == (7, direct.stdout)
    assert within.stderr == ""
    absent = program("run", "--target", "real", "tiny", "--", "no-such-command")
    assert absent.returncode == 2
    assert "there is no command 'no-such-command'" in absent.stderr
    absent = program("run", "--target", "real", "tiny", "--", "./no-such-file")
    assert f"where  {site.project}/no-such-file" in absent.stderr


def test_the_same_inputs_give_the_same_bytes(site: Site, envlock: Envlock):
    lock = site.project / "locks/real/pylock.tiny.toml"
    assert envlock(*SOLVE, "--lock-only").status == 0
    first = lock.read_bytes()
    time = lock.stat().st_mtime_ns
    assert envlock(*SOLVE, "--lock-only").status == 0
    assert lock.stat().st_mtime_ns == time
    lock.unlink()
    afresh = program(*SOLVE, "--lock-only")  # another process, another hash seed
    assert afresh.returncode == 0, afresh.stderr
    assert lock.read_bytes() == first


def test_what_need_not_move_stays(site: Site, envlock: Envlock):
    assert envlock(*SOLVE, "--lock-only").status == 0
    lock = site.project / "locks/real/pylock.tiny.toml"
    before = lock.read_text()
    site.offer("beta", "1.2")
    assert envlock(*SOLVE, "--lock-only").status == 0
    assert lock.read_text() == before
    assert envlock(*SOLVE, "--lock-only", "--upgrade").status == 0
    assert "beta-1.2-py3-none-any.whl" in lock.read_text()


def test_a_failed_solve_leaves_the_old_environment(site: Site, envlock: Envlock):
    assert envlock(*SOLVE).status == 0
    where = envlock("where", "tiny", "--target", "real").out
    before = site.listing()
    (site.index / "alpha/alpha-2.0-py3-none-any.whl").unlink()
    assert envlock(*SOLVE, "--upgrade").status == 1
    assert envlock("where", "tiny", "--target", "real").out == where
    assert site.listing() == before


@pytest.mark.parametrize("tool", ["pip", "uv"])
def test_pip_and_uv_install_from_the_lock(tool: str, site: Site, envlock: Envlock):
    assert envlock(*SOLVE, "--lock-only").status == 0
    command = {
        "pip": [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--dry-run",
            "--no-index",
            "--ignore-installed",
            "-r",
        ],
        "uv": [
            uv.find_uv_bin(),
            "pip",
            "install",
            "--dry-run",
            "--offline",
            "--python",
            sys.executable,
            "-r",
        ],
    }[tool]
    environment = {**os.environ, "PIP_INDEX_URL": "", "UV_CACHE_DIR": str(site.root / "uv")}
    lock = str(site.project / "locks/real/pylock.tiny.toml")
    done = subprocess.run(
        [*command, lock],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env=environment,
    )
    if tool == "pip" and "Invalid requirement" in done.stderr:
        pytest.skip("this pip does not read pylock files yet")
    assert done.returncode == 0, done.stderr
    assert "alpha" in done.stdout + done.stderr
    assert "beta" in done.stdout + done.stderr


@pytest.mark.parametrize("file_bytes", [64, 600])
def test_no_room_for_the_lock(file_bytes: int, site: Site):
    """A limit on the size of files stands for a full disk: of the cache, then of the lock."""
    before = site.listing()
    done = program(*SOLVE, "--lock-only", file_bytes=file_bytes)
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "code   disk-full" in done.stderr
    assert ("ENVLOCK_CACHE_DIR" in done.stderr) == (file_bytes == 64)
    assert "Traceback" not in done.stderr
    assert site.listing() == before


def test_no_room_for_the_environment(site: Site, envlock: Envlock):
    assert envlock(*SOLVE).status == 0
    old = envlock("where", "tiny", "--target", "real").out
    site.offer("beta", "1.2", source=f"text = '{'x' * 300_000}'\n")
    done = program(*SOLVE, "--upgrade", file_bytes=200_000)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert envlock("where", "tiny", "--target", "real").out == old
    assert len(list((site.project / ".envlock/environments").iterdir())) == 1
    assert program(*SOLVE).returncode == 0  # with room again, it is made
    assert envlock("where", "tiny", "--target", "real").out != old


def test_an_interruption_that_got_lost_is_said_again():
    code = """
import signal, time
from envlock.cli import heed_interruptions
heed_interruptions(again_s=0.05)
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    pass
try:
    time.sleep(600)
except KeyboardInterrupt:
    print("again")
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "again\n"


def test_an_interruption_in_a_destructor_is_not_lost():
    code = """
import signal, time
from envlock.cli import heed_interruptions
heed_interruptions(again_s=600.0)
class Lost:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
Lost()
try:
    time.sleep(600)
except KeyboardInterrupt:
    print("again", flush=True)
"""
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert (said.stdout, said.stderr) == ("again\n", "")


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_interrupted(site: Site, monkeypatch: pytest.MonkeyPatch, kind: signal.Signals, more: list[str]):
    """Ctrl-C, a scheduler's word or a closed terminal while an index is silent: 130, and nothing left."""
    before = site.listing()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(PATIENCE_S)
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/simple")
        with subprocess.Popen(
            [*PROGRAM, *SOLVE, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            connection, _ = silent.accept()
            with connection:
                process.send_signal(kind)
                out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert err == "interrupted\n"
    if more:
        document = json.loads(out)
        assert document["schema"] == "envlock/solve/1"
        assert (document["error"]["code"], document["error"]["exit_status"]) == ("interrupted", 130)
    else:
        assert out == ""
    assert site.listing() == before
