"""A small real environment for the probe: toy distributions on disk, and an MPI that is its own world."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TOY_MPI = '''
"""An mpi4py whose every process is rank 0 of 1: what a launcher of another MPI leaves."""
IN_PLACE, SUM, FLOAT, UNDEFINED, THREAD_MULTIPLE = object(), object(), object(), -1, 3


class World:
    def Get_rank(self):
        return 0

    def Get_size(self):
        return 1

    def Allreduce(self, mine, total, op=SUM):
        mine, total = [one[0] if isinstance(one, list) else one for one in (mine, total)]
        if mine is not IN_PLACE:
            memoryview(total)[:] = mine

    Allgather = Alltoall = Allreduce

    def Iallreduce(self, mine, total, op):
        self.Allreduce(mine, total)
        return self

    def Dup(self):
        return self

    def Wait(self):
        pass

    def Bcast(self, tensor, root):
        pass

    def Barrier(self):
        pass

    Free = Wait


COMM_WORLD = COMM_SELF = World()
Get_library_version = lambda: "Toy MPI 1.0, of no use"
Get_version = lambda: (3, 1)
Query_thread = lambda: 3
Get_processor_name = lambda: "toy"
Is_finalized = lambda: False
Finalize = lambda: None
'''


class ToyEnvironment:
    """A directory of packages for PYTHONPATH."""

    def __init__(self, folder: Path) -> None:
        self.site = folder / "site"
        self.site.mkdir()

    def install(self, name: str, source: str, version: str = "1.0", requires: tuple[str, ...] = ()) -> None:
        """Install a package of one file."""
        package = self.site / name
        package.mkdir()
        (package / "__init__.py").write_text(source)
        self.record(name, [f"{name}/__init__.py"], version, requires)

    def record(
        self, name: str, files: list[str], version: str = "1.0", requires: tuple[str, ...] = ()
    ) -> None:
        """Write a distribution's metadata."""
        metadata = self.site / f"{name}-{version}.dist-info"
        metadata.mkdir()
        fields = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {one}" for one in requires)]
        (metadata / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *fields, ""]))
        (metadata / "RECORD").write_text("".join(f"{file},,\n" for file in files))

    def install_mpi(self) -> None:
        """Install the toy MPI."""
        self.install("mpi4py", "__version__ = '1.0'\n")
        (self.site / "mpi4py" / "MPI.py").write_text(TOY_MPI)


class ToyVirtualEnvironment(ToyEnvironment):
    """The same as a virtual environment: nothing but the toys and the standard library is within reach."""

    def __init__(self, folder: Path) -> None:
        self.prefix = folder / "environment"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.prefix)], check=True)
        (self.site,) = self.prefix.glob("lib/python*/site-packages")
        self.python = str(self.prefix / "bin" / "python")


def write_plan(path: Path, **parts: object) -> Path:
    """Write a plan document."""
    path.write_text(json.dumps(parts))
    return path
