"""Modules: what is on offer, and loading them; with a small tree of real modules where Lmod is installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from envlock.edges.host.modules import find_cray_mpich, find_modules, parse_avail
from envlock.edges.modules import load_for_all, with_modules
from envlock.model.errors import SurroundingsError
from envlock.model.project.target import Offer
from tests.shipped import KNOWLEDGE

MODULES = KNOWLEDGE.detection.module_names

LMOD = Path("/usr/share/lmod/lmod/libexec/lmod")
needs_lmod = pytest.mark.skipif(not LMOD.is_file(), reason="Lmod is not installed (Debian: lmod)")

AVAIL = """\
/sw/modules:
GCC/
GCC/12.2.0
OpenMPI/4.1.5-GCC-12.2.0
impi/2021.9.0
intel-oneapi-mpi/2021.11.0-gcc-12.3.0-fdd4k2x
libfabric/1.15.2.0(L)
rocm/6.0.3
mpi/openmpi/5.0.3
cudatoolkit/11.0.2_3.38(default)
cray-mpich/7.7.10
settarg
cuDNN/8.9.2.26-CUDA-12.1.1
Python/3.11.3-GCCcore-12.3.0
"""


def test_what_modules_offer() -> None:
    found = {offer.modules[0]: (offer.component, offer.version) for offer in parse_avail(AVAIL, MODULES)}
    assert found == {
        "GCC/12.2.0": ("gcc", "12.2.0"),
        "OpenMPI/4.1.5-GCC-12.2.0": ("openmpi", "4.1.5"),
        "impi/2021.9.0": ("intelmpi", "2021.9.0"),
        "intel-oneapi-mpi/2021.11.0-gcc-12.3.0-fdd4k2x": ("intelmpi", "2021.11.0"),
        "libfabric/1.15.2.0": ("libfabric", "1.15.2.0"),
        "rocm/6.0.3": ("rocm", "6.0.3"),
        "mpi/openmpi/5.0.3": ("openmpi", "5.0.3"),
        "cudatoolkit/11.0.2_3.38": ("cuda", "11.0.2"),
        "cray-mpich/7.7.10": ("cray-mpich", "7.7.10"),
        "cuDNN/8.9.2.26-CUDA-12.1.1": ("cudnn", "8.9.2.26"),
    }


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("openmpi/4.1.5(default:stable)", "openmpi/4.1.5"),
        ("openmpi/4.1.5(stable)", "openmpi/4.1.5"),
        ("openmpi/4.1.5 <L>", "openmpi/4.1.5"),
        ("openmpi/4.1.5-gcc(default) <aL:s>", "openmpi/4.1.5-gcc"),
        ("openmpi/4.1.5(D,L)", "openmpi/4.1.5"),
        ("openmpi/4.1.5 <F>", ""),
        ("openmpi/4.1.5 <F:L>", ""),
    ],
)
def test_other_names_and_tags_are_no_part_of_a_modules_name(line: str, module: str) -> None:
    assert [offer.modules for offer in parse_avail(line, MODULES)] == ([(module,)] if module else [])


@pytest.mark.parametrize(
    ("module", "meant"),
    [
        # Princeton, NYU, HKU
        ("openmpi/gcc/4.1.6", "openmpi 4.1.6"),
        ("openmpi/intel/4.1.1", "openmpi 4.1.1"),
        ("openmpi/gcc/4.1.6-gcc12.3", "openmpi 4.1.6"),
        ("openmpi/cuda-11.1/gcc/4.1.1", "openmpi 4.1.1"),
        ("intel-mpi/gcc/2021.3.1", "intelmpi 2021.3.1"),
        ("fftw/gcc/3.3.9", ""),
        ("hdf5/gcc/1.10.6", ""),
        ("hdf5/gcc/openmpi-4.1.6/1.14.4", ""),
        # Bright Cluster Manager
        ("openmpi/gcc/64/4.1.2", "openmpi 4.1.2"),
        ("fftw3/openmpi/gcc/64/3.3.8", ""),
        ("cuda12.2/toolkit/12.2.2", "cuda 12.2.2"),
        ("cuda/toolkit/10.2.89", "cuda 10.2.89"),
        ("mpfr/gcc/4.0.2", ""),
        # OpenHPC
        ("openmpi4/4.1.4", "openmpi 4.1.4"),
        ("gnu12/12.2.0", "gcc 12.2.0"),
        # categories
        ("mpi/openmpi/4.1-gnu-9.2-cuda-11.4", "openmpi 4.1"),
        ("mpi/openmpi/2.0.1/gcc-6.2", "openmpi 2.0.1"),
        ("mpi/openmpi/gcc/1.8.2", "openmpi 1.8.2"),
        ("mpi/intel-18.0/openmpi/4.0.1", "openmpi 4.0.1"),
        ("libs/CUDA/10.2.89/binary", "cuda 10.2.89"),
        ("libs/scotch/6.0.4/gcc-6.2-openmpi-2.0.1", ""),
        ("dev/gcc/6.2", "gcc 6.2"),
        # in the order of loading, or with a hash
        ("gcc/12.2.0/openmpi/4.1.4", "openmpi 4.1.4"),
        ("gcc/12.2.0/hdf5/1.14", ""),
        ("gcc/12.2.0/openmpi/4.1.4/hdf5/1.14", ""),
        ("openmpi/1.8/gcc/4.9.2", "openmpi 1.8"),
        ("openmpi/4.1.3/wmcpq2w", "openmpi 4.1.3"),
        ("cuda-12.2/nccl/2.18", "nccl 2.18"),
        ("cuda/nccl/2.18", ""),  # either of the two may be meant
        ("namd/cuda/2.14", ""),
        # Intel MPI by years
        ("impi/19.0.5", "intelmpi 2019.5"),
        ("intelmpi/18.0", "intelmpi 2018.0"),
        ("intelmpi/2019u4", "intelmpi 2019.4"),
        ("impi/5.1.3", "intelmpi 5.1.3"),
    ],
)
def test_what_a_site_has_put_into_a_modules_name(module: str, meant: str) -> None:
    found = [f"{offer.component} {offer.version}" for offer in parse_avail(module, MODULES)]
    assert found == ([meant] if meant else [])


def test_crays_mpich_with_what_must_be_loaded_for_it() -> None:
    environ = {
        "CRAY_MPICH_VERSION": "8.1.28",
        "CRAY_MPICH_DIR": "/opt/cray/pe/mpich/8.1.28/ofi/gnu/12.3",
        "LOADEDMODULES": "craype/2.7.30:PrgEnv-gnu/8.5.0:cray-mpich/8.1.28:perftools",
    }
    [offer] = find_cray_mpich(environ)
    assert (offer.component, offer.version, offer.prefix) == (
        "cray-mpich",
        "8.1.28",
        environ["CRAY_MPICH_DIR"],
    )
    assert offer.modules == ("PrgEnv-gnu/8.5.0", "cray-mpich/8.1.28")
    assert find_cray_mpich({}) == ()


def test_what_is_loaded_is_not_loaded_again() -> None:
    environ = {"LOADEDMODULES": "GCC/12.2.0", "A": "1"}
    assert with_modules(environ, ("GCC/12.2.0",)) == environ
    assert with_modules(environ, ()) == environ


def test_without_a_module_command_the_next_step_is_told() -> None:
    with pytest.raises(SurroundingsError) as caught:
        with_modules({"PATH": "/usr/bin"}, ("GCC/12.2.0", "OpenMPI/4.1.5"))
    assert caught.value.code == "no-modules"
    assert "module load GCC/12.2.0 OpenMPI/4.1.5" in caught.value.hint


def test_what_a_module_prints_where_it_is_loaded_is_no_variable(tmp_path: Path) -> None:
    command = tmp_path / "modulecmd"
    command.write_text("#!/bin/sh\necho 'echo Mind the new compilers; export LOADEDMODULES=GCC/12.2.0'\n")
    command.chmod(0o755)
    found = with_modules({"PATH": "/usr/bin:/bin", "MODULES_CMD": str(command)}, ("GCC/12.2.0",))
    assert found["LOADEDMODULES"] == "GCC/12.2.0"
    assert not [name for name in found if "Mind" in name]


def test_variables_are_kept_to_the_byte_though_they_are_no_text(tmp_path: Path) -> None:
    command = tmp_path / "modulecmd"
    command.write_text("#!/bin/sh\necho 'export LOADEDMODULES=GCC/12.2.0'\n")
    command.chmod(0o755)
    strange = {"LATIN": "caf\udce9", "LINES_OF_DOS": "one\r\ntwo\rthree"}
    environ = {"PATH": "/usr/bin:/bin", "MODULES_CMD": str(command), **strange}
    found = with_modules(environ, ("GCC/12.2.0",))
    assert {name: found[name] for name in strange} == strange


@pytest.fixture
def site(tmp_path: Path) -> dict[str, str]:
    """A small site: two modules of which one needs the other."""
    for name, text in {
        "GCC/12.2.0": 'setenv("EBROOTGCC", "/sw/gcc")',
        "OpenMPI/4.1.5-GCC-12.2.0": 'depends_on("GCC/12.2.0")\nprepend_path("PATH", "/sw/ompi/bin")',
    }.items():
        file = tmp_path / f"{name}.lua"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text + "\n")
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "MODULEPATH": str(tmp_path),
        "LMOD_CMD": str(LMOD),
        "LMOD_SYSTEM_DEFAULT_MODULES": "",
    }


@needs_lmod
def test_lmods_modules_are_offered(site: dict[str, str]) -> None:
    note = "module avail"
    assert find_modules(MODULES, site) == (
        Offer(component="gcc", version="12.2.0", modules=("GCC/12.2.0",), note=note),
        Offer(component="openmpi", version="4.1.5", modules=("OpenMPI/4.1.5-GCC-12.2.0",), note=note),
    )


@needs_lmod
def test_loading_a_module_brings_what_it_depends_on(site: dict[str, str]) -> None:
    found = with_modules(site, ("OpenMPI/4.1.5-GCC-12.2.0",))
    assert found["PATH"].split(":")[0] == "/sw/ompi/bin"
    assert found["EBROOTGCC"] == "/sw/gcc"
    assert with_modules(found, ("OpenMPI/4.1.5-GCC-12.2.0", "GCC/12.2.0")) == found


@needs_lmod
def test_a_module_that_is_gone_is_told(site: dict[str, str]) -> None:
    with pytest.raises(SurroundingsError) as caught:
        with_modules(site, ("OpenMPI/9",))
    assert caught.value.code == "module-not-loaded"
    assert "OpenMPI/9" in str(caught.value.message)


def test_what_a_module_unsets_is_unset_for_all_that_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when one compiler takes the place of another."""
    command = tmp_path / "modulecmd"
    command.write_text("#!/bin/sh\necho 'unset INTEL_ROOT; export LOADEDMODULES=GCC/12.2.0'\n")
    command.chmod(0o755)
    monkeypatch.setattr(
        os, "environ", {**os.environ, "MODULES_CMD": str(command), "INTEL_ROOT": "/opt/intel"}
    )
    load_for_all(("GCC/12.2.0",))
    assert (os.environ["LOADEDMODULES"], os.environ.get("INTEL_ROOT")) == ("GCC/12.2.0", None)
