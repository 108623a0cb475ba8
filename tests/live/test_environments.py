"""Real old packages from the real index, on Python 3.7 and against the machine's own MPI."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envlock.edges.building.builds import build_key, build_wheel
from envlock.edges.environments.activation import activation
from envlock.edges.environments.virtual_environments import create_environment, installed
from envlock.edges.host.detect import detect_target
from envlock.edges.store.store import Store
from envlock.edges.subprocesses import run
from envlock.model.locked.pins import BuildPlan, DistributionPin, Origin, SystemPin
from envlock.model.project.target import Interpreter, Target
from envlock.model.published.catalogue import DistFile
from tests.shipped import KNOWLEDGE

pytestmark = pytest.mark.live

# One rank writes for all: what two ranks write at once comes out in any order, and within one line too.
RANKS = """
from mpi4py import MPI
import numpy
world = MPI.COMM_WORLD
seen = world.gather((world.size, world.allreduce(world.rank + 1)))
if world.rank == 0:
    print(seen)
"""


@pytest.fixture(scope="module")
def target() -> Target:
    return detect_target(KNOWLEDGE.detection)


@pytest.fixture(scope="module")
def python37(target: Target) -> Interpreter:
    found = [one for one in target.interpreters if one.release == (3, 7)]
    if not found:
        pytest.skip("this machine has no Python 3.7 (pyenv install 3.7)")
    return found[0]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, python37: Interpreter) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("downloads")
    # pip runs an sdist's code to download it, so it must be the old interpreter's own.
    pip = [python37.path, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    for arguments in (
        ["--only-binary", ":all:", "numpy==1.18.1", "six==1.16.0", "setuptools==67.8.0", "wheel==0.42.0"],
        ["--no-binary", ":all:", "gast==0.2.2", "mpi4py==3.0.3"],
    ):
        finished = run([*pip, *arguments], timeout_s=300)
        assert finished.status == 0, finished.stderr
    return {path.name.split("-")[0]: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("store"))


def test_an_environment_of_2020_with_a_build_from_source(
    store: Store, python37: Interpreter, files: dict[str, Path]
) -> None:
    gast = _build(store, "gast", "0.2.2", python37, files, ())
    wheels = [files["numpy"], files["six"], gast]
    prefix = _created(store, "gast", python37, wheels)
    assert installed(prefix) == {"numpy": "1.18.1", "six": "1.16.0", "gast": "0.2.2"}
    program = "import gast, numpy, sys; print(numpy.__version__, sys.version_info[:2])"
    assert run([str(prefix / "bin/python"), "-c", program], timeout_s=60).stdout == "1.18.1 (3, 7)\n"


def test_mpi4py_of_2020_runs_on_two_ranks_of_the_machines_mpi(
    store: Store, target: Target, python37: Interpreter, files: dict[str, Path]
) -> None:
    offers = [offer for offer in target.offered("openmpi") if "without" not in offer.note]
    if not offers:
        pytest.skip("this machine has no Open MPI with headers (Debian: openmpi-bin, libopenmpi-dev)")
    mpi = _pin(offers[0].version, offers[0].prefix)
    mpi4py = _build(store, "mpi4py", "3.0.3", python37, files, (mpi,))
    prefix = _created(store, "mpi4py", python37, [files["numpy"], mpi4py])
    variables = activation(os.environ, prefix=prefix, systems=[mpi])
    launch = [
        "mpirun",
        "--oversubscribe",
        *(["--allow-run-as-root"] if os.geteuid() == 0 else []),
        "-np",
        "2",
    ]
    finished = run([*launch, "python", "-c", RANKS], env=variables, timeout_s=120)
    assert finished.stdout == "[(2, 3), (2, 3)]\n", finished.stderr


def _created(store: Store, key: str, python: Interpreter, wheels: Sequence[Path]) -> Path:
    def fill(prefix: Path) -> None:
        create_environment(prefix, interpreter=python, wheels=wheels, log=store.log(key))

    return store.create(key, fill)


def test_two_creators_at_once_and_one_killed(
    tmp_path: Path, python37: Interpreter, files: dict[str, Path]
) -> None:
    program = f"""
from pathlib import Path
from envlock.edges.environments.virtual_environments import create_environment
from envlock.edges.host.interpreters import ask_interpreter
from envlock.edges.store.store import Store
from tests.shipped import KNOWLEDGE
store, python = Store(Path({str(tmp_path)!r})), ask_interpreter(Path({python37.path!r}))
def fill(place):
    with open({str(tmp_path / "filled")!r}, "a") as record:
        record.write("x")
    wheels = [Path({str(files["numpy"])!r}), Path({str(files["six"])!r})]
    create_environment(place, interpreter=python, wheels=wheels, log=store.log("k"))
print(store.create("k", fill))
"""
    creator = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL)
    metadata = tmp_path / "environments/k/pyvenv.cfg"
    while not metadata.exists():
        time.sleep(0.005)
    creator.send_signal(signal.SIGKILL)
    creator.wait()
    assert Store(tmp_path).environment("k") is None
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: run([sys.executable, "-c", program], timeout_s=120), range(2)))
    assert [one.status for one in both] == [0, 0], both
    prefix = Store(tmp_path).environment("k")
    assert prefix is not None
    assert installed(prefix) == {"numpy": "1.18.1", "six": "1.16.0"}
    assert (tmp_path / "filled").read_text() == "xx"  # the killed one's, and one of the two others'


def _build(
    store: Store,
    name: str,
    version: str,
    python: Interpreter,
    files: dict[str, Path],
    systems: tuple[SystemPin, ...],
) -> Path:
    sdist, needed = files[name], [files["setuptools"], files["wheel"]]
    pin = DistributionPin(
        component=name,
        name=name,
        version=version,
        file=DistFile(filename=sdist.name, url="", sha256=_sha256(sdist)),
        requires_python="",
        extras=(),
        dependencies=(),
        asked_by=("you",),
        facts=(),
        build=BuildPlan(requires=(), against={}, systems={}, variables={}),
    )
    inputs = {wheel.name: _sha256(wheel) for wheel in needed}
    compiler = shutil.which("gcc") or ""
    key = build_key(pin=pin, interpreter=python, inputs=inputs, systems=systems, compiler=compiler, glibc="")
    return store.wheels.make(
        key,
        lambda work: build_wheel(
            pin=pin,
            sdist=sdist,
            interpreter=python,
            build_wheels=needed,
            against_wheels=[],
            systems=systems,
            work=work,
            log=store.log(key),
        ),
    )


def _pin(version: str, prefix: str) -> SystemPin:
    return SystemPin(
        component="openmpi",
        version=version,
        origin=Origin.NODE,
        prefix=prefix,
        distribution="",
        modules=(),
        variables={},
        asked_by=("you",),
        facts=(),
    )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
