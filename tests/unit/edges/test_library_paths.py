"""What a build found in its environment is found where the wheel is installed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from envlock.edges.library_paths import relocated, with_own_paths
from envlock.probe.elf import Elf

PREFIX = "/store/building/key/environment"
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def library(folder: Path, paths: str) -> Path:
    """A shared library with search paths."""
    source, result = folder / "one.c", folder / "one.so"
    source.write_text("int one(void) { return 1; }\n")
    command = ["gcc", "-shared", "-fPIC", "-o", str(result), str(source)]
    subprocess.run([*command, f"-Wl,-rpath,{paths}"] if paths else command, check=True)
    return result


@needs_gcc
def test_a_path_into_the_build_environment_becomes_relative_and_others_stay(tmp_path: Path):
    made = library(tmp_path, f"/opt/mpi/lib:{PREFIX}/lib:{PREFIX}-2/lib")
    packages = f"{PREFIX}/lib/python3.9/site-packages"
    made.write_bytes(relocated(made.read_bytes(), prefix=PREFIX, folder=f"{packages}/mpi4py"))
    read = Elf(str(made))
    assert (read.runpath or read.rpath) == ["/opt/mpi/lib", "$ORIGIN/../../..", f"{PREFIX}-2/lib"]


@needs_gcc
@pytest.mark.parametrize("paths", ["", "/opt/mpi/lib"])
def test_a_library_without_such_a_path_stays_as_it_is(tmp_path: Path, paths: str):
    data = library(tmp_path, paths).read_bytes()
    assert relocated(data, prefix=PREFIX, folder=f"{PREFIX}/lib/python3.9/site-packages") == data


@needs_gcc
def test_the_record_of_the_wheel_follows(tmp_path: Path):
    wheel = tmp_path / "one-1.0-cp39-cp39-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(library(tmp_path, f"{PREFIX}/lib"), "deep/er/one.so")
        archive.writestr("one.py", "")
        archive.writestr("one-1.0.dist-info/RECORD", "deep/er/one.so,sha256=old,1\none.py,sha256=same,0\n")

    with_own_paths(wheel, prefix=Path(PREFIX), packages=Path(PREFIX, "lib/python3.9/site-packages"))

    with zipfile.ZipFile(wheel) as archive:
        made, record = archive.read("deep/er/one.so"), archive.read("one-1.0.dist-info/RECORD").decode()
    assert b"$ORIGIN/../../../..\0" in made
    digest = urlsafe_b64encode(hashlib.sha256(made).digest()).rstrip(b"=").decode()
    assert record == f"deep/er/one.so,sha256={digest},{len(made)}\none.py,sha256=same,0\n"
