"""What comes along though nobody names it."""

import pytest
from packaging.specifiers import SpecifierSet

from envlock.judging.judge import judge
from envlock.judging.unnamed_requirements import (
    DependencyPin,
    naming_pinners,
    only_version,
    pinned_dependencies,
)
from envlock.model.knowing.finding import Chosen
from tests.shipped import KNOWLEDGE
from tests.unit.judging.test_declared import Declaration, declared


def brought(*declarations: Declaration, **named: str) -> dict[str, DependencyPin]:
    pins = {one.distribution: one.version for one in declarations} | named
    assignment = {name.replace("_", "-"): (Chosen(version=version),) for name, version in pins.items()}
    return dict(pinned_dependencies(assignment, {one.distribution: one for one in declarations}, KNOWLEDGE))


@pytest.mark.parametrize(
    ("specifier", "version"),
    [
        ("==1.2", "1.2"),
        (">=1.2,<=1.2", "1.2"),
        ("==1.2,<2", "1.2"),
        ("==1.2.*", ""),
        ("==1.2,==1.3", ""),
        (">=1.2", ""),
        ("<=1.2", ""),
        ("", ""),
    ],
)
def test_one_version_is_left_or_none(specifier: str, version: str) -> None:
    assert only_version(SpecifierSet(specifier)) == version


def test_a_pinned_release_comes_along() -> None:
    assert brought(declared("thing", "1.0", "torch==2.5.1", "numpy>=1")) == {
        "torch": DependencyPin("2.5.1", "thing 1.0")
    }


def test_what_is_there_is_not_brought_again() -> None:
    assert not brought(declared("thing", "1.0", "torch==2.5.1"), torch="2.6.0")
    assert not brought(declared("thing", "1.0", "tensorflow==2.4.0"), tensorflow_cpu="2.4.0")
    assert not brought(declared("thing", "1.0", "nvidia-cudnn-cu12==9.1.0.70"))


def test_a_library_comes_along_beside_the_same_of_another_distribution() -> None:
    one = declared("thing", "1.0", "nvidia-nccl-cu12==2.27.3", "nvidia-cudnn-cu12==9.10.2.21")
    assert brought(one, nvidia_nccl_cu11="2.14.3") == {
        "nvidia-nccl-cu12": DependencyPin("2.27.3", "thing 1.0")
    }
    assert not brought(one, nvidia_nccl_cu12="2.27.3")


def test_only_what_every_interpreter_in_question_gets_comes_along() -> None:
    one = declared(
        "thing", "1.0", 'torch==2.5.1; python_version < "3.12"', 'torch==2.6; python_version >= "3.12"'
    )
    assert not brought(one)
    assert brought(one, python="3.11")["torch"].version == "2.5.1"
    assert brought(one, python="3.12")["torch"].version == "2.6"


def test_what_two_pin_apart_does_not_come_along() -> None:
    assert not brought(declared("thing", "1.0", "torch==2.5.1"), declared("more", "1.0", "torch==2.6.0"))


def test_a_finding_tells_who_brought_it() -> None:
    pinned = {"torch": DependencyPin("2.5.1", "thing 1.0")}
    assignment = {"torch": (pinned["torch"].chosen,), "gpu_cc": (Chosen(version="12.0"),)}
    found = naming_pinners(judge(assignment, KNOWLEDGE).findings, pinned, KNOWLEDGE, "x86_64")
    assert found
    assert all(one.message.endswith("(thing 1.0 pins torch 2.5.1)") for one in found)
    assert {"cuda", "torch"} <= {name for one in found for name in one.components}
