"""Conda's environments in a package index's names."""

from __future__ import annotations

import pytest

from envlock.lifecycle.from_conda import translate
from tests.shipped import KNOWLEDGE


def test_names_and_versions_become_the_indexs() -> None:
    found = translate(
        [
            *("python=3.8", "pip", "pytorch::pytorch=1.7.1=py3.8_cuda11.0.221_cudnn8.0.5_0", "scipy>=1.4,<2"),
            *("msgpack-python", "ruamel.yaml=0.17", "Pillow"),
        ],
        KNOWLEDGE,
    )
    assert found.python == "3.8"
    assert found.requires == ("torch==1.7.1", "scipy>=1.4,<2", "msgpack", "ruamel-yaml==0.17.*", "pillow")
    assert [text.partition(":")[0] for text in found.left_out] == ["pytorch"]  # its build


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("cudatoolkit=11.0", 'system = ["cuda==11.0.*"]'),
        ("openmpi=4.0.3=hdf1f1ad_1", 'system = ["openmpi==4.0.3"]'),
        ("mpich", 'system = ["mpich"]'),
        ("mpi=1.0=openmpi", 'system = ["openmpi"]'),
        ("mpi=1.0", 'system = ["mpi"]'),
        ("libgcc-ng=9.1.0=hdf63c60_0", "no package of the index"),
        ("openssl", "no package of the index"),
        ("libwhatever=1.0=h123_0", "no package of the index"),
        ("numpy=1.18|1.19", "only conda"),
        ("boost-cpp=1.74.0", "no package of the index"),
        ("bioconda::samtools=1.15", "no package of the index"),
        ("r-ggplot2", "no package of the index"),
        ("_ipyw_jlab_nb_ext_conf=0.1.0=py39_0", "no package of the index"),
    ],
)
def test_what_is_left_out_is_told_with_the_reason(spec: str, told: str) -> None:
    found = translate([spec], KNOWLEDGE)
    assert found.requires == ()
    assert len(found.left_out) == 1
    assert found.left_out[0].startswith(f"{spec}: ")
    assert told in found.left_out[0]


def test_parts_of_one_distribution_are_asked_for_once() -> None:
    found = translate(["numpy=1.23.1=py39h6c91a56_0", "numpy-base=1.23.1=py39ha15fc14_0"], KNOWLEDGE)
    assert found.requires == ("numpy==1.23.1",)


def test_builds_for_gpus_are_packages_with_modules() -> None:
    """conda-forge's builds begin with what they are for: ``cuda120py312...``, ``cpu_mkl_py39...``."""
    found = translate(["jaxlib=0.4.31=cuda120py312h4008524_0", "horovod=0.28.1=cpu_py39h1_0"], KNOWLEDGE)
    assert found.requires == ("jaxlib==0.4.31", "horovod==0.28.1")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("pytorch=1.12.1=py3.9_cuda11.3_cudnn8.3.2_0", 'system = ["cuda==11.3.*"]'),
        ("torchvision=0.13.1=*cu113*", 'system = ["cuda==11.3.*"]'),
        ("tensorflow=2.9.1=cuda112py39*", 'system = ["cuda==11.2.*"]'),
        ("jaxlib=0.3.15=*cuda*", "suit the nodes"),
        ("tensorflow=2.4=gpu_py39h_0", "suit the nodes"),
        ("pytorch=1.7=cpu_py39h2b_0", "suit the nodes"),
        ("h5py=3.7=mpi_openmpi_py39h1", "built for their MPI"),
        ("h5py=3.7=nompi_py39h1", "built for their MPI"),
        ("h5py[version='>=3', build=mpi*]", "built for their MPI"),
    ],
)
def test_a_build_that_was_chosen_is_told(spec: str, told: str) -> None:
    found = translate([spec], KNOWLEDGE)
    assert len(found.requires) == len(found.left_out) == 1
    assert found.left_out[0].startswith(f"{spec}: its build is one of conda's; ")
    assert told in found.left_out[0]


@pytest.mark.parametrize(
    "spec", ["numpy=1.20=py37h4f3_0", "requests=2=pyhd8ed1ab_0", "tqdm=4=py_0", "numpy=1.2=py39*", "idna=3=*"]
)
def test_builds_that_only_tell_the_interpreter_are_not(spec: str) -> None:
    assert translate([spec], KNOWLEDGE).left_out == ()


def test_a_series_with_a_bound_within_it_stays_a_range() -> None:
    assert translate(["python=3.8,<3.8.5"], KNOWLEDGE).python == "==3.8.*,<3.8.5"


def test_the_patch_of_an_interpreter_is_told_and_left_to_the_machine() -> None:
    """``conda env export`` always names one, which no other machine has; packages are for a series."""
    found = translate(["python=3.8.5=h7579374_1"], KNOWLEDGE)
    assert found.python == "3.8"
    assert found.left_out[0].startswith("python=3.8.5=h7579374_1: its patch")


def test_libraries_and_programs_are_told_in_one_line() -> None:
    found = translate(["boost=1.74.0", "six", "hmmer=3.3.2", "xorg-libxau=1.0.9"], KNOWLEDGE)
    assert found.requires == ("six",)
    (told,) = found.left_out
    assert told.startswith("boost=1.74.0, hmmer=3.3.2, xorg-libxau=1.0.9: no package of the index")


def test_names_that_conda_makes_of_the_indexs() -> None:
    found = translate(["python-tzdata", "geopandas-base", "h3-py", "pytorch-scatter=2.0.9", "pyg"], KNOWLEDGE)
    assert found.requires == ("tzdata", "geopandas", "h3", "torch-scatter==2.0.9.*", "torch-geometric")


@pytest.mark.parametrize(
    ("spec", "wish"),
    [
        ("scikit-learn=1.4.1.post1", "scikit-learn==1.4.1.post1"),
        ("scikit-learn=1.4.1.post1=py310h1fdf081_0", "scikit-learn==1.4.1.post1"),
        ("xarray=2022.6.0rc0", "xarray==2022.6.0rc0"),
    ],
)
def test_versions_of_which_there_is_no_series(spec: str, wish: str) -> None:
    assert translate([spec], KNOWLEDGE).requires == (wish,)


def test_what_has_a_name_of_its_own_is_no_library() -> None:
    """Of these, conda's own list has something without a distribution under the first name."""
    found = translate(["tensorflow-gpu", "ninja", "rdkit", "typing-extensions", "openbabel=3.1.1"], KNOWLEDGE)
    assert found.requires == (
        *("tensorflow-gpu", "ninja", "rdkit", "typing-extensions", "openbabel-wheel==3.1.1.*"),
    )
