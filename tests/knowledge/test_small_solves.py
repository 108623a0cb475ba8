"""Small solves over the knowledge base as shipped: what is refused ahead, and what comes along unasked."""

import datetime as dt

import pytest
from packaging.requirements import Requirement

from envlock.judging.stand_ins import asked_for_instead
from envlock.model.component import Range
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.group import Wish
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, interpreter, machine
from tests.shipped import KNOWLEDGE

RUNTIME = "nvidia-cuda-runtime-cu12"
INDEX = {
    "flash-attn": {"2.3.6": {"files": ["flash_attn-2.3.6.tar.gz"], "requires": ["torch"]}},
    "mamba-ssm": {"1.1.1": {"files": ["mamba_ssm-1.1.1.tar.gz"], "requires": ["torch"]}},
    "causal-conv1d": {"1.1.1": {"files": ["causal_conv1d-1.1.1.tar.gz"], "requires": ["torch"]}},
    "torch": {
        "1.2.0": {"requires": ["numpy"]},
        "1.3.1": {"requires": ["numpy"]},
        "2.1.2": {"requires": [f"{RUNTIME}==12.1.105", "numpy", "typing-extensions"]},
    },
    "neurite": {"0.2": {}, "0.3": {}},
    "voxelmorph": {"0.2": {"requires": ["neurite>=0.2"]}},
    "simpletransformers": {"0.48.14": {}},
    "keras": {"2.3.1": {}, "2.4.3": {}},
    "theano": {"1.0.5": {}},
    "deepctr": {"0.3.1": {}, "0.9.0": {}},
    "emukit": {"0.4.7": {}, "0.4.8": {}},
    "pydoe": {"0.3.8": {}},
    "fvcore": {"0.1.5.post20211023": {}},
    "pytorchvideo": {"0.1.3": {}},
    "dm-launchpad": {"0.5.0": {}},
    "dm-reverb": {"0.3.1": {}},
    "tensorflow": {"1.15.2": {}, "2.5.0": {}, "2.8.4": {}, "2.9.0": {}},
    "tensorflow-gpu": {"1.15.2": {}},
    "requests": {"2.25.1": {}},
    "future": {"0.18.2": {}},
    RUNTIME: {"12.1.105": {}},
    "pytorch": {"1.0.2": {"files": ["pytorch-1.0.2.tar.gz"]}},
    "complexcnn": {"0.1": {"requires": ["pytorch"]}},
    "apex": {"0.9.10.dev0": {}},
    "pennylane": {"0.22.2": {}, "0.23.0": {}},
    "pip": {"24.0": {}},
    "hdbscan": {
        "0.8.29": {
            "files": ["hdbscan-0.8.29.tar.gz"],
            "uploaded": dt.date(2022, 11, 1),
            "build-requires": ["cython"],
        },
        "0.8.34": {
            "files": ["hdbscan-0.8.34.tar.gz"],
            "uploaded": dt.date(2024, 6, 1),
            "build-requires": ["cython"],
        },
    },
    "gevent": {
        "22.10.2": {
            "files": ["gevent-22.10.2.tar.gz"],
            "uploaded": dt.date(2022, 10, 31),
            "build-requires": ["Cython>=3.0.0a11"],
        }
    },
    "tensorrt": {
        "10.13.0": {"requires": ["tensorrt-cu12==10.13.0"]},
        "11.4.0": {"requires": ["tensorrt-cu13==11.4.0"]},
    },
    "tensorrt-cu12": {"10.13.0": {}},
    "tensorrt-cu13": {"11.4.0": {}},
    "torch-scatter": {"2.0.5": {"files": ["torch_scatter-2.0.5.tar.gz"]}},
    "tensorboard": {"2.1.0": {}},
    "tensorflow-datasets": {"3.2.1": {}},
    "tfds-nightly": {"3.2.1.dev20200901": {}},
    "rdkit": {"2022.9.5": {}},
    "rdkit-pypi": {"2022.9.5": {}},
    "pytdc": {"0.4.1": {"requires": ["rdkit-pypi"]}},
    "mordred": {"1.2.0": {}},
    "test-tube": {"0.7.0": {"requires": ["tb-nightly==1.15.0a20190708"]}},
    "mesh-tensorflow": {"0.1.16": {"requires": ["tensorflow-datasets"]}},
    "pyyaml": {
        version: {"files": [f"PyYAML-{version}.tar.gz"], "build-requires": ["setuptools", "wheel", "Cython"]}
        for version in ("5.4.1", "6.0.1")
    },
    "cython": {"0.29.37": {}, "3.0.8": {}},
    "numpy": {"1.19.5": {}, "1.26.4": {}},
    "typing-extensions": {"4.9.0": {}},
    "setuptools": {"69.0.0": {}},
    "wheel": {"0.42.0": {}},
}


def answer(*texts, python="3.11.7", **components):
    wishes = tuple(
        Wish(
            component=KNOWLEDGE.distribution((requirement := Requirement(text)).name),
            range=Range.versions(str(requirement.specifier)),
            requirement=requirement,
            text=text,
            group="g",
        )
        for text in texts
    )
    request = Request(
        wishes=wishes,
        target=machine(**components),
        interpreter=interpreter(python),
        stand_ins=asked_for_instead(wishes, KNOWLEDGE),
    )
    return resolve(request, KNOWLEDGE, MemoryCatalogue(INDEX))


@pytest.mark.parametrize(
    ("driver", "version"), [("535.104.05", "10.13.0"), ("580.65.06", "11.4.0"), ("", "11.4.0")]
)
def test_what_is_named_for_a_cuda_release_is_for_drivers_that_run_it(driver: str, version: str) -> None:
    nodes = {"driver": driver, "gpu_cc": "8.0"} if driver else {}
    solved = answer("tensorrt", **nodes)
    assert isinstance(solved, Solved)
    assert {pin.component: pin.version for pin in solved.distributions}["tensorrt"] == version


@pytest.mark.parametrize("name", ["flash-attn", "mamba-ssm", "causal-conv1d"])
def test_kernels_want_a_toolkit_of_pytorchs_major_release(name: str) -> None:
    lacking = answer(name, "torch==2.1.2")
    assert isinstance(lacking, Unsolvable)
    assert any("cuda" in reason.wants for reason in lacking.reasons)
    other = answer(name, "torch==2.1.2", cuda="13.0", gcc="12.2.0")
    assert isinstance(other, Unsolvable)
    assert f"{name}-cuda-12-toolkit" in other.facts
    fitting = answer(name, "torch==2.1.2", cuda="12.1", gcc="12.2.0")
    assert isinstance(fitting, Solved)
    (pin,) = [pin for pin in fitting.distributions if pin.component == name]
    assert pin.build is not None
    assert pin.build.systems["cuda"] == "12.1"


def test_names_that_are_something_else_on_the_index_are_refused() -> None:
    placeholder = answer("pytorch")
    assert isinstance(placeholder, Unsolvable)
    assert placeholder.facts == ("pytorch-placeholder",)
    of_pyramid = answer("apex", "torch==2.1.2")
    assert isinstance(of_pyramid, Unsolvable)
    assert "apex-of-pyramid" in of_pyramid.facts


def test_torch_answers_for_the_placeholder_where_metadata_asks_for_it() -> None:
    solved = answer("complexcnn", "torch==2.1.2")
    assert isinstance(solved, Solved)
    assert "pytorch" not in {pin.component for pin in solved.distributions}


@pytest.mark.parametrize(
    ("wish", "imported", "comes"),
    [
        ("pennylane==0.22.2", "pip", True),
        ("pennylane==0.23.0", "pip", False),
        ("neurite==0.2", "tensorflow", True),
        ("neurite==0.3", "tensorflow", False),
        ("voxelmorph==0.2", "tensorflow", True),
        ("simpletransformers==0.48.14", "torch", True),
        ("keras==2.3.1", "tensorflow", True),
        ("keras==2.4.3", "tensorflow", False),
        ("deepctr==0.3.1", "tensorflow", False),
        ("deepctr==0.9.0", "tensorflow", True),
        ("emukit==0.4.7", "pydoe", True),
        ("emukit==0.4.8", "pydoe", False),
        ("fvcore==0.1.5.post20211023", "torch", True),
        ("pytorchvideo==0.1.3", "torch", True),
        ("dm-launchpad==0.5.0", "tensorflow", True),
        ("dm-reverb==0.3.1", "tensorflow", True),
        ("torch==1.2.0", "future", True),
        ("torch==1.3.1", "future", False),
    ],
)
def test_what_is_imported_and_not_asked_for_comes(wish: str, imported: str, *, comes: bool) -> None:
    solved = answer(wish, python="3.7.16")
    assert isinstance(solved, Solved)
    assert (imported in {pin.component for pin in solved.distributions}) is comes


@pytest.mark.parametrize("instead", ["theano==1.0.5", "tensorflow-gpu==1.15.2"])
def test_keras_takes_another_backend_that_the_group_asks_for(instead: str) -> None:
    solved = answer("keras==2.3.1", instead, python="3.7.16")
    assert isinstance(solved, Solved)
    assert "tensorflow" not in {pin.component for pin in solved.distributions}


@pytest.mark.parametrize(("version", "cython"), [("5.4.1", "0.29.37"), ("6.0.1", "3.0.8")])
def test_pyyaml_is_built_with_the_cython_that_its_setup_reads(version: str, cython: str) -> None:
    solved = answer(f"pyyaml=={version}")
    assert isinstance(solved, Solved)
    (pin,) = [pin for pin in solved.distributions if pin.component == "pyyaml"]
    assert pin.build is not None
    assert {one.component: one.version for one in pin.build.requires}["cython"] == cython


@pytest.mark.parametrize(
    ("wish", "cython"),
    [("hdbscan==0.8.29", "0.29.37"), ("hdbscan==0.8.34", "3.0.8"), ("gevent==22.10.2", "3.0.8")],
    ids=["old sources", "later ones", "old ones that ask for it"],
)
def test_old_sources_are_translated_by_an_old_cython(wish: str, cython: str) -> None:
    solved = answer(wish)
    assert isinstance(solved, Solved)
    assert solved.distributions[0].build is not None
    assert {one.component: one.version for one in solved.distributions[0].build.requires}["cython"] == cython


def test_releases_of_each_day_and_others_are_one_library() -> None:
    """Dependencies name the one, groups the other, and an index keeps those of each day for a while."""
    named = answer("test-tube==0.7.0", "tensorboard==2.1.0")
    assert isinstance(named, Solved)
    assert {pin.component for pin in named.distributions} >= {"test-tube", "tensorboard"}
    assert isinstance(answer("test-tube==0.7.0"), Unsolvable)
    nightly = answer("mesh-tensorflow==0.1.16", "tfds-nightly")
    assert isinstance(nightly, Solved)
    assert "tensorflow-datasets" not in {pin.component for pin in nightly.distributions}


def test_rdkit_is_one_library_under_two_names() -> None:
    """What asks for the old name, or for none, takes the one that the group asks for."""
    for other in ("pytdc==0.4.1", "mordred==1.2.0"):
        solved = answer("rdkit==2022.9.5", other)
        assert isinstance(solved, Solved)
        assert "rdkit-pypi" not in {pin.component for pin in solved.distributions}
    unasked = answer("mordred==1.2.0")
    assert isinstance(unasked, Solved)
    assert {pin.component for pin in unasked.distributions} & {"rdkit", "rdkit-pypi"}


@pytest.mark.parametrize(
    ("components", "changed"), [({}, True), ({"gpu_cc": "8.0", "driver": "535.104"}, False)]
)
def test_extensions_for_graphs_take_pytorch_without_a_gpu(components: dict[str, str], changed: bool) -> None:
    """They held the CUDA that PyTorch was compiled for against their own, which without a GPU is none."""
    solved = answer("torch-scatter==2.0.5", "torch==2.1.2", gcc="12.2.0", **components)
    assert isinstance(solved, Solved)
    (pin,) = [pin for pin in solved.distributions if pin.component == "torch-scatter"]
    assert pin.build is not None
    assert bool(pin.build.edits) is changed
