"""Projects in temporary folders, and the envlock command as users run it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"
ENVLOCK = Path(sys.executable).with_name("envlock")


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
