from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envlock.edges.host.mpi import (
    find_mpis,
    include_folders,
    intel_variables,
    parse_configure_options,
    parse_launcher,
    parse_mpichversion,
    parse_ompi_info,
)
from envlock.model.project.target import Offer

MACHINES = Path(__file__).parents[3] / "fixtures" / "machines"


@pytest.mark.parametrize("path", sorted((MACHINES / "launchers").iterdir()), ids=lambda path: path.stem)
def test_launchers_are_recognised(path: Path) -> None:
    component, _, version = path.stem.partition("-")
    assert parse_launcher(path.read_text()) == (component, version)


def test_an_unknown_launcher_is_not_guessed() -> None:
    assert parse_launcher("prun (PRRTE) 3.0.1") is None


def test_mvapich2_is_told_from_mpich() -> None:
    assert parse_mpichversion((MACHINES / "mpichversion/mvapich2-2.3.7.txt").read_text()) == (
        "mvapich2",
        "2.3.7",
    )
    assert parse_mpichversion("MVAPICH Version:      \t3.0\nMVAPICH Release date:\t02/26/2024\n") == (
        "mvapich2",
        "3.0",
    )
    assert parse_mpichversion((MACHINES / "mpichversion/none.txt").read_text()) is None


def test_include_folders_of_the_compiler_wrapper() -> None:
    text = "gcc -I/opt/mpi/include -I /opt/mpi/include/openmpi -L/opt/mpi/lib -lmpi"
    assert include_folders(text) == (Path("/opt/mpi/include"), Path("/opt/mpi/include/openmpi"))


def test_an_installation_is_found_once_with_its_headers(tmp_path: Path) -> None:
    prefix = _install(tmp_path / "mpi", "openmpi-3.1.3")
    (prefix / "bin/mpiexec").symlink_to("mpirun")
    (prefix / "include").mkdir()
    (prefix / "include/mpi.h").touch()
    _script(prefix / "bin/mpicc", "echo gcc -lmpi")
    assert _found(prefix) == [
        Offer(component="openmpi", version="3.1.3", prefix=str(prefix), note="mpirun --version")
    ]


def test_missing_headers_are_noted(tmp_path: Path) -> None:
    prefix = _install(tmp_path / "mpi", "mpich-3.4.2")
    [offer] = _found(prefix)
    assert (offer.component, offer.version) == ("mpich", "3.4.2")
    assert "without header files" in offer.note
    assert offer.properties["mpi-headers"] == "no"


@pytest.mark.parametrize(
    ("threads", "cuda", "expected"),
    [
        ("yes", "false", {"mpi-threads": "multiple", "mpi-cuda": "no"}),
        ("no", "true", {"mpi-threads": "serialized", "mpi-cuda": "yes"}),
    ],
)
def test_ompi_info_tells_threads_and_gpu_buffers(threads: str, cuda: str, expected: dict[str, str]) -> None:
    text = f'option:threads:"posix (MPI_THREAD_MULTIPLE: {threads}, OPAL support: yes)"\n'
    text += f"mca:opal:base:param:opal_built_with_cuda_support:value:{cuda}\n"
    assert parse_ompi_info(text) == expected
    assert parse_ompi_info("") == {}


@pytest.mark.parametrize(
    ("options", "threads", "cuda"),
    [
        ("--prefix=/opt", "multiple", "no"),
        ("--enable-threads=runtime --with-cuda=/usr/local/cuda", "multiple", "yes"),
        ("--enable-threads=single --with-cuda=no", "single", "no"),
        ("--enable-cuda", "multiple", "yes"),
    ],
)
def test_mpichversion_tells_how_it_was_configured(options: str, threads: str, cuda: str) -> None:
    found = parse_configure_options(f"MPICH Version: 4.2\nMPICH configure: {options}\n")
    assert found == {"mpi-threads": threads, "mpi-cuda": cuda}
    assert parse_configure_options("MPICH Version: 4.2\n") == {}


def test_mvapich2_speaks_through_mpichversion(tmp_path: Path) -> None:
    prefix = _install(tmp_path / "mpi", "mpich-3.4.2")
    _script(prefix / "bin/mpichversion", f"cat '{MACHINES}/mpichversion/mvapich2-2.3.7.txt'")
    assert [(offer.component, offer.version) for offer in _found(prefix)] == [("mvapich2", "2.3.7")]


def test_intel_mpi_finds_its_hydra_beside_it_and_brings_its_variables(tmp_path: Path) -> None:
    prefix = tmp_path / "impi"
    (prefix / "lib/release").mkdir(parents=True)
    _script(prefix / "bin/mpirun", "mpiexec.hydra")
    _script(prefix / "bin/mpiexec.hydra", f"cat '{MACHINES}/launchers/intelmpi-2021.10.txt'")
    [offer] = _found(prefix)
    assert (offer.component, offer.version) == ("intelmpi", "2021.10")
    assert offer.variables == {"I_MPI_ROOT": str(prefix), "LD_LIBRARY_PATH": f"{prefix}/lib/release"}


def test_intel_mpi_of_2019_has_its_root_above(tmp_path: Path) -> None:
    assert intel_variables(tmp_path / "intel64") == {"I_MPI_ROOT": str(tmp_path)}


def test_an_mpi_in_a_virtual_environment_is_not_the_nodes(tmp_path: Path) -> None:
    prefix = _install(tmp_path / "venv", "openmpi-4.1.4")
    (prefix / "pyvenv.cfg").touch()
    assert _found(prefix) == []


def test_a_broken_launcher_offers_nothing(tmp_path: Path) -> None:
    _script(tmp_path / "mpi/bin/mpirun", "echo 'mpirun (Open MPI) 4.1.4'; exit 127")
    assert _found(tmp_path / "mpi") == []


def _found(prefix: Path) -> list[Offer]:
    """The offers below one prefix; the machine that runs the tests may have others."""
    environ = {"PATH": f"{prefix}/bin:/usr/bin:/bin"}
    with ThreadPoolExecutor(2) as pool:
        return [offer for offer in find_mpis(environ, pool.map) if offer.prefix.startswith(str(prefix))]


def _install(prefix: Path, recorded: str) -> Path:
    _script(prefix / "bin/mpirun", f"cat '{MACHINES}/launchers/{recorded}.txt'")
    return prefix


def _script(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
