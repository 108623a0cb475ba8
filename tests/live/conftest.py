"""Projects in temporary folders, and the envlock command as users run it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"
ENVLOCK = Path(sys.executable).with_name("envlock")
BY_MAKERS = {"envlock.json", "uv_cache.json", "RECORD"}
FIRST_LINES = re.compile(rb"\A#!(/bin/sh\n(#.*coding.*\n)?'''exec' .*\n' '''|.*python.*)\n")
"""A launcher begins with its interpreter, or, where the path is too long, with a shell's detour to it, below
the encoding of a script that declares one."""
NO_NETWORK = ["unshare", "--map-root-user", "--net"]


@dataclass(frozen=True)
class Workplace:
    """A copy of a fixture project."""

    folder: Path

    def envlock(self, *arguments: str, status: int = 0, timeout: float = 1800) -> str:
        """Run a command; its exit status must be as expected. The result is its standard output."""
        done = self.run([str(ENVLOCK), *arguments], timeout=timeout)
        assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout if status == 0 else done.stdout + done.stderr

    def json(self, *arguments: str, status: int = 0) -> dict:
        """Run a command with --json; standard output must be exactly one document."""
        done = self.run([str(ENVLOCK), *arguments, "--json"], timeout=1800)
        assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout)

    def run(self, command: Sequence[str], timeout: float = 600) -> subprocess.CompletedProcess[str]:
        """Run anything in the project's folder, without what would steer Python."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def lock(self, group: str) -> Path:
        """Where a group's lock lies."""
        return self.folder / "locks/local" / f"pylock.{group}.toml"


def workplace(tmp_path_factory: pytest.TempPathFactory, name: str) -> Workplace:
    """A copy of a fixture project in an empty folder."""
    folder = tmp_path_factory.mktemp(name)
    shutil.copy(FIXTURES / name / "envlock.toml", folder)
    return Workplace(folder)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """The laboratory of 2020; one folder for all tests, so that Horovod is built once for each MPI."""
    need_python("3.7")
    need_open_mpi()
    return workplace(tmp_path_factory, "nlpl-2020")


@pytest.fixture(scope="session")
def both(lab: Workplace) -> Workplace:
    """The laboratory with its large group, PyTorch and TensorFlow under Horovod over the site's MPI."""
    lab.envlock("solve", "both")
    return lab


def contents(prefix: Path) -> dict[str, bytes]:
    """Every file but bytecode and its makers' notes, its own place in it made plain."""
    place = str(prefix).encode()
    return {
        str(path.relative_to(prefix)): FIRST_LINES.sub(b"", path.read_bytes().replace(place, b"<prefix>"))
        for path in prefix.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name not in BY_MAKERS
    }


def without_network(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command where there is no interface but loopback, no cache, and nothing to configure pip."""
    if shutil.which("unshare") is None or subprocess.run([*NO_NETWORK, "true"], check=False).returncode:
        message = "this machine lets nobody make a namespace of networks (unshare --map-root-user --net)"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}
    own = {"ENVLOCK_CACHE_DIR": str(folder / "cache"), "UV_CACHE_DIR": str(folder / "uv")}
    up = 'ip link set lo up 2>/dev/null; exec "$@"'
    return subprocess.run(
        [*NO_NETWORK, "sh", "-c", up, "sh", *command],
        cwd=folder,
        env=kept | own,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def need_python(version: str) -> None:
    """Skip where the machine has no such interpreter; in CI that is a failure."""
    detected = json.loads(
        subprocess.run([str(ENVLOCK), "detect", "--json"], capture_output=True, check=True).stdout
    )
    found = [one["version"] for one in detected["interpreter"]]
    if not any(one.startswith(f"{version}.") for one in found):
        message = f"no Python {version} on this machine; found {', '.join(found)}"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)


def need_open_mpi() -> None:
    """Skip where the machine has no Open MPI with its compilers; in CI that is a failure."""
    if shutil.which("mpicc") is None or shutil.which("mpirun") is None:
        message = "no Open MPI with mpicc on this machine"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
