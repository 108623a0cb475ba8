from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from envlock.edges.subprocesses import kept_open, run, run_logged
from envlock.model.errors import SurroundingsError
from tests.patience import PATIENCE_S, deadlines, wait_until

pytestmark = pytest.mark.processes


def test_a_short_program_answers_with_any_status() -> None:
    finished = run(["sh", "-c", "cat; echo oops >&2; exit 3"], stdin="hello", timeout_s=PATIENCE_S)
    assert (finished.stdout, finished.stderr, finished.status) == ("hello", "oops\n", 3)


def test_a_missing_program_is_named() -> None:
    with pytest.raises(SurroundingsError) as caught:
        run(["no-such-program"], timeout_s=1)
    assert caught.value.code == "tool-missing"
    assert "no-such-program" in caught.value.message


def test_a_missing_folder_is_not_taken_for_a_missing_program(tmp_path: Path) -> None:
    with pytest.raises(SurroundingsError) as caught:
        run(["true"], cwd=tmp_path / "gone", timeout_s=1)
    assert caught.value.code == "folder-missing"


def test_a_slow_program_is_stopped_with_its_children(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    for timeout_s in deadlines(0.3):
        with pytest.raises(SurroundingsError) as caught:  # the child holds the output open until it ends
            run(["sh", "-c", f"sleep 3600 & echo $! > {pid}; wait"], timeout_s=timeout_s)
        assert caught.value.code == "tool-timeout"
        if pid.exists() and pid.read_text():
            break
    assert wait_until(lambda: _is_gone(int(pid.read_text())))


def test_a_daemon_that_keeps_the_output_open_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("envlock.edges.subprocesses._GRACE_S", 0.5)
    pid = tmp_path / "pid"
    program = f"setsid sh -c 'echo $$ > {pid}; exec sleep 60' & sleep 60"
    begin = time.monotonic()
    try:
        with pytest.raises(SurroundingsError) as caught:
            run(["sh", "-c", program], timeout_s=1)
        assert (caught.value.code, time.monotonic() - begin < 30) == ("tool-timeout", True)
    finally:
        assert wait_until(lambda: bool(pid.exists() and pid.read_text()))
        os.kill(int(pid.read_text()), signal.SIGKILL)


def test_a_long_program_reports_lines_and_keeps_its_log(tmp_path: Path) -> None:
    log, lines = tmp_path / "logs" / "build.log", list[str]()
    run_logged(["sh", "-c", "echo one; echo two >&2"], log=log, on_line=lines.append, timeout_s=PATIENCE_S)
    assert lines == ["one", "two"]
    assert log.read_text().splitlines()[1:] == ["one", "two"]


@pytest.mark.parametrize("talks", [False, True])
def test_a_long_program_is_done_though_what_it_leaves_holds_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, talks: bool
) -> None:
    monkeypatch.setattr("envlock.edges.subprocesses._GRACE_S", 0.5)
    pid, log, lines = tmp_path / "pid", tmp_path / "log", list[str]()
    left = "while :; do echo more; sleep 0.05; done" if talks else "exec sleep 60"
    program = f"setsid sh -c 'echo $$ > {pid}; {left}' & while ! test -s {pid}; do :; done; echo last"
    begin = time.monotonic()
    try:
        run_logged(["sh", "-c", program], log=log, on_line=lines.append, timeout_s=60)
        assert time.monotonic() - begin < 40
    finally:
        assert wait_until(lambda: bool(pid.exists() and pid.read_text()))
        os.kill(int(pid.read_text()), signal.SIGKILL)
    assert "last" in lines


def test_lines_are_those_of_a_text_whatever_they_end_with(tmp_path: Path) -> None:
    program = "printf '1 %%\\r2 %%\\r\\nd\\303'; sleep 0.1; printf '\\251j\\303\\240 vu \\377'"
    lines = list[str]()
    run_logged(["sh", "-c", program], log=tmp_path / "log", on_line=lines.append, timeout_s=PATIENCE_S)
    assert lines == ["1 %", "2 %", "déjà vu �"]


def test_what_a_program_prints_is_not_kept_in_memory(tmp_path: Path) -> None:
    """16 MiB without the end of a line, and as much in lines: neither may be here at once."""
    line = "x" * 4095
    program = f"head -c 16777216 /dev/zero | tr '\\0' x; echo; yes {line} | head -c 16777216"
    tracemalloc.start()
    try:
        run_logged(["sh", "-c", program], log=tmp_path / "log", timeout_s=PATIENCE_S)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 8 << 20
    assert (tmp_path / "log").stat().st_size >= 2 << 24


def test_a_log_takes_every_argument_and_a_program_that_cannot_be_logged_is_ended(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo $1", "sh", "caf\udce9"]
    run_logged(command, log=tmp_path / "log", timeout_s=PATIENCE_S)
    assert (tmp_path / "log").read_text(errors="replace").startswith("$ sh -c echo $1 sh caf\\udce9\n")
    begin = time.monotonic()
    with pytest.raises(SurroundingsError) as caught:
        run_logged(["sleep", "60"], log=Path("/dev/full"), timeout_s=60)
    assert (caught.value.code, caught.value.where) == ("disk-full", "/dev/full")
    assert time.monotonic() - begin < 40


def test_a_program_that_is_kept_open_may_print_on(tmp_path: Path) -> None:
    """More than a pipe holds, which is 64 KiB (pipe(7))."""
    script = f"echo one; echo go; head -c 300000 /dev/zero; touch {tmp_path}/on; exec cat"
    with kept_open(["sh", "-c", script], env=dict(os.environ), until="go", on_line=print) as lines:
        assert lines == ["one"]
        assert wait_until((tmp_path / "on").exists)


def test_a_failed_program_shows_its_last_lines_and_its_log(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    with pytest.raises(SurroundingsError) as caught:
        run_logged(["sh", "-c", "seq 1 50; echo; echo boom; exit 4"], log=log, timeout_s=PATIENCE_S)
    error = caught.value
    assert (error.code, error.where) == ("tool-failed", str(log))
    assert error.why.splitlines()[-1] == "boom"
    assert len(error.why.splitlines()) == 12


def test_a_long_program_that_hangs_is_stopped(tmp_path: Path) -> None:
    for timeout_s in deadlines(0.3):
        with pytest.raises(SurroundingsError) as caught:
            run_logged(["sh", "-c", "echo begun; sleep 3600"], log=tmp_path / "log", timeout_s=timeout_s)
        assert caught.value.code == "tool-timeout"
        if caught.value.why:
            break
    assert caught.value.why == "begun"


def test_a_long_program_ends_when_we_are_killed(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    program = (
        "from pathlib import Path; from envlock.edges.subprocesses import run_logged;"
        f"run_logged(['sh', '-c', 'echo $$ > {pid}; exec sleep 3600'], log=Path('{pid}.log'), timeout_s=3600)"
    )
    with subprocess.Popen([sys.executable, "-c", program]) as ours:
        assert wait_until(lambda: pid.exists() and pid.read_text().endswith("\n"))
        ours.send_signal(signal.SIGKILL)
    assert wait_until(lambda: _is_gone(int(pid.read_text())))


def _is_gone(pid: int) -> bool:
    """Whether a process is gone or but a zombie that nobody waits for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_a_kernel_without_that_wish_starts_programs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    assert run(["echo", "hello"], timeout_s=PATIENCE_S, dies_with_us=True).stdout == "hello\n"
