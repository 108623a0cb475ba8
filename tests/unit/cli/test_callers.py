"""How the program ends whatever its caller has done to its output, or to the folder that it is in."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

pytestmark = pytest.mark.processes

ENVLOCK = f"{shlex.quote(sys.executable)} -m envlock"
REFUSED = f"{ENVLOCK} check horovod==0.19.0 openmpi==3.1.3"
ROOT = Path(__file__).parents[3]


def shell(script: str) -> tuple[int, str]:
    """Exit status of a script, and what came on standard error."""
    done = subprocess.run(
        ["sh", "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("script", "status"),
    [(f"{REFUSED} >&-", 1), (f"{REFUSED} 2>&-", 1), (f"{ENVLOCK} nonsense >&- 2>&-", 2)],
)
def test_an_answer_stays_an_answer_where_nobody_listens(script: str, status: int) -> None:
    assert shell(script) == (status, "")


@pytest.mark.parametrize("unbuffered", ["", "PYTHONUNBUFFERED=1 "])
@pytest.mark.parametrize(
    ("command", "status"),
    [(f"{ENVLOCK} kb search cuda", 0), (f"{ENVLOCK} kb search cuda --json", 0), (REFUSED, 1)],
)
def test_an_answer_stays_an_answer_where_the_reader_leaves(
    command: str, status: int, unbuffered: str
) -> None:
    assert shell(f"( {unbuffered}{command}; echo $? >&2 ) | true") == (0, f"{status}\n")


@pytest.mark.parametrize("more", ["", " --json"])
def test_what_cannot_be_written_is_told(more: str) -> None:
    status, told = shell(f"{REFUSED}{more} > /dev/full")
    assert status == 3
    assert "No space left on device" in told
    assert "  where  standard output\n" in told
    assert "Traceback" not in told


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    gone = shlex.quote(str(tmp_path / "gone"))
    status, told = shell(f"mkdir {gone}; cd {gone}; rmdir {gone}; {ENVLOCK} status")
    assert (status, "the folder in which envlock was started is gone" in told) == (2, True)
    assert "Traceback" not in told


@pytest.mark.parametrize("kind", ["INT", "TERM", "HUP"])
@pytest.mark.parametrize("library", ["typer", "rich"])
def test_an_interruption_counts_from_the_start_to_the_last_word(
    tmp_path: Path, kind: str, library: str
) -> None:
    """It comes while libraries are read, which lasts where the disk is far: typer, or rich for an error."""
    interrupted = (
        f"import os, signal, time\nos.kill(os.getpid(), signal.SIG{kind})\ntime.sleep({PATIENCE_S})\n"
    )
    (tmp_path / f"{library}.py").write_text(interrupted)
    path = shlex.quote(f"{tmp_path}{os.pathsep}{ROOT}")
    assert shell(f"cd {shlex.quote(str(tmp_path))}; PYTHONPATH={path} {ENVLOCK} status") == (
        130,
        "interrupted\n",
    )


@pytest.mark.parametrize(
    ("encoding", "written"),
    [("ascii", rb"caf\xe9 \u65e5"), ("latin-1", b"caf\xe9 \\u65e5"), ("utf-8", "café 日".encode())],
)
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_an_encoding_lacks_is_escaped(stream: str, encoding: str, written: bytes) -> None:
    """The locale C of containers and jobs has ASCII alone; a path that is no text keeps its bytes."""
    say = (
        "import os, sys; from envlock.cli.streams import outlive_listeners; outlive_listeners(); "
        f"sys.{stream}.write('caf\\xe9 \\u65e5 ' + os.fsdecode(b'\\xff')); sys.{stream}.flush()"
    )
    done = subprocess.run(
        [sys.executable, "-c", say],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"},
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert (done.stdout or done.stderr) == written + b" \xff"


def test_a_home_that_takes_no_completion_is_told() -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash on this machine")
    there = f"HOME=/proc/nowhere {ENVLOCK} --install-completion; exit $?"  # the nearest shell counts
    status, told = shell(f"bash -c {shlex.quote(there)}")
    assert status == 3, told
    assert "--show-completion prints it" in told
    assert "Traceback" not in told
