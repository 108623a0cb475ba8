"""What a build found in its environment is found where the wheel is installed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from envlock.edges.building.library_paths import relative_path, with_own_paths
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


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{PREFIX}/lib", "$ORIGIN/../../.."),
        (PREFIX, "$ORIGIN/../../../.."),
        (f"{PREFIX}-2/lib", f"{PREFIX}-2/lib"),
        ("/opt/mpi/lib", "/opt/mpi/lib"),
        ("$ORIGIN/lib", "$ORIGIN/lib"),
        ("", ""),
    ],
)
def test_a_path_into_the_build_environment_becomes_relative_and_others_stay(path: str, expected: str):
    folder = f"{PREFIX}/lib/python3.9/site-packages/mpi4py"
    assert relative_path(path, prefixes=(PREFIX,), folder=folder) == expected


def packed(folder: Path, paths: str) -> Path:
    """A wheel with one library."""
    wheel = folder / "one-1.0-cp39-cp39-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(library(folder, paths), "deep/er/one.so")
        archive.writestr("one.py", "")
        archive.writestr("one-1.0.dist-info/RECORD", "deep/er/one.so,sha256=old,1\none.py,sha256=same,0\n")
    return wheel


def move(wheel: Path) -> None:
    """Make its paths its own."""
    packages = Path(PREFIX, "lib/python3.9/site-packages")
    with_own_paths(wheel, prefix=Path(PREFIX), packages=packages, log=wheel.with_suffix(".log"))


@needs_gcc
@pytest.mark.parametrize("paths", ["", "/opt/mpi/lib", f"{PREFIX}-2/lib"])
def test_a_wheel_without_such_a_path_stays_as_it_is(tmp_path: Path, paths: str):
    wheel = packed(tmp_path, paths)
    before = wheel.read_bytes()
    move(wheel)
    assert wheel.read_bytes() == before


@needs_gcc
@pytest.mark.parametrize("options", [["-c"], ["-static", "-nostdlib"]])
def test_what_has_no_search_paths_is_left_as_it_is(tmp_path: Path, options: list[str]):
    """Object files and static programs, whose debugging information names the folders of headers."""
    (tmp_path / "one.c").write_text(f'const char *where = "{PREFIX}/include"; void _start(void) {{}}\n')
    made, wheel = tmp_path / "made", tmp_path / "one-1.0-py3-none-any.whl"
    subprocess.run(["gcc", *options, "-o", made, tmp_path / "one.c"], check=True)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(made, "one/made")
    before = wheel.read_bytes()
    move(wheel)
    assert wheel.read_bytes() == before


@needs_gcc
def test_a_path_is_of_the_environment_whatever_link_leads_to_it(tmp_path: Path):
    """As with a store on a file system that a site names by a link."""
    (tmp_path / "real/environment").mkdir(parents=True)
    (tmp_path / "store").symlink_to("real")
    prefix = tmp_path / "store/environment"
    wheel = packed(tmp_path, f"{prefix.resolve()}/lib:{prefix}/lib64")
    packages = prefix / "lib/python3.9/site-packages"
    with_own_paths(wheel, prefix=prefix, packages=packages, log=tmp_path / "log")
    with zipfile.ZipFile(wheel) as archive:
        (tmp_path / "made.so").write_bytes(archive.read("deep/er/one.so"))
    read = Elf(str(tmp_path / "made.so"))
    assert (read.runpath or read.rpath) == ["$ORIGIN/../../../..", "$ORIGIN/../../../../../lib64"]


@needs_gcc
def test_paths_are_relative_and_the_record_follows(tmp_path: Path):
    wheel = packed(tmp_path, f"/opt/mpi/lib:{PREFIX}/lib")
    move(wheel)
    with zipfile.ZipFile(wheel) as archive:
        made, record = archive.read("deep/er/one.so"), archive.read("one-1.0.dist-info/RECORD").decode()
    (tmp_path / "made.so").write_bytes(made)
    read = Elf(str(tmp_path / "made.so"))
    assert (read.runpath or read.rpath) == ["/opt/mpi/lib", "$ORIGIN/../../../.."]
    digest = urlsafe_b64encode(hashlib.sha256(made).digest()).rstrip(b"=").decode()
    assert record == f"deep/er/one.so,sha256={digest},{len(made)}\none.py,sha256=same,0\n"
    assert [path.name for path in tmp_path.glob("*.moved")] == []
