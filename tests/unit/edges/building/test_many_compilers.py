"""The plug-in that lets distutils start several compilers at a time, in setuptools' own process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from envlock.edges.building.builds import _let_many_compile
from envlock.edges.building.many_compilers import AT_A_TIME

pytestmark = pytest.mark.processes
SOURCES = ("a.c", "b.c", "broken.c", "d.c", "e.c", "f.c")
COMPILER = """\
#!/bin/sh
# Writes down its source, waits until TOGETHER have begun, and fails for BROKEN.
while test $# -gt 1; do
  if test "$1" = -c; then source=$2; fi
  shift
done
echo "$source" >>begun
until test "$(wc -l <begun)" -ge "$TOGETHER"; do sleep 0.01; done
test "$source" != "$BROKEN" || exit 1
test -z "$BROKEN" || sleep 0.3
"""
PROGRAM = """\
import sys
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

class Own(build_ext):
    def build_extensions(self):
        if {own}:
            compile_one = self.compiler._compile
            self.compiler._compile = lambda *arguments: compile_one(*arguments)
        self.compiler.link_shared_object = lambda objects, *rest, **more: print(*objects)
        super().build_extensions()

sys.argv = ["setup.py", "-q", "build_ext"]
setup(name="toy", ext_modules=[Extension("toy", {sources})], cmdclass={{"build_ext": Own}})
"""


def build(folder: Path, at_a_time: int, together: int, broken: str = "", *, own: bool = False):
    """Build an extension of all sources by a compiler of ours, with the plug-in installed beside it."""
    packages = folder / "packages"
    packages.mkdir()
    _let_many_compile(packages)
    (folder / "cc").write_text(COMPILER)
    (folder / "cc").chmod(0o755)
    (folder / "begun").touch()
    for source in SOURCES:
        (folder / source).touch()
    cc = str(folder / "cc")
    variables = {"CC": cc, "CXX": cc, "TOGETHER": str(together), "BROKEN": broken}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(own=own, sources=list(SOURCES))],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(packages), AT_A_TIME: str(at_a_time), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(("at_a_time", "own"), [(3, False), (1, False), (3, True)])
def test_objects_come_in_the_order_of_their_sources(tmp_path: Path, at_a_time: int, own: bool) -> None:
    """Where a build puts its own way of compiling into the compiler, one is started after the other."""
    together = 1 if own else at_a_time
    done = build(tmp_path, at_a_time, together, own=own)
    assert done.returncode == 0, done.stderr
    assert [Path(name).stem for name in done.stdout.split()] == [Path(name).stem for name in SOURCES]
    begun = (tmp_path / "begun").read_text().split()
    assert sorted(begun) == sorted(SOURCES)
    if together == 1:
        assert begun == list(SOURCES)


def test_a_failure_starts_no_further_compiler(tmp_path: Path) -> None:
    done = build(tmp_path, 2, 2, "a.c")
    assert done.returncode == 1
    assert "a.c" in done.stderr
    assert len((tmp_path / "begun").read_text().split()) < len(SOURCES)
