"""What published distributions bring along."""

from __future__ import annotations

import pytest

from envlock.judging.implied import implied_components
from envlock.judging.judge import judge, with_bundles
from envlock.model.component import Via
from envlock.model.knowing.finding import Assignment, Chosen
from tests.shipped import KNOWLEDGE


@pytest.mark.parametrize(
    ("name", "version", "via", "implied"),
    [
        ("nvidia-cuda-runtime-cu12", "12.8.90", Via.WHEEL, {"cuda": "12.8"}),
        ("nvidia-cuda-runtime", "13.9.1", Via.WHEEL, {"cuda": "13.9"}),
        ("cuda-toolkit", "13.0.2", None, {"cuda": "13.0"}),
        ("nvidia-cudnn-cu13", "9.26.0.51", Via.WHEEL, {"cudnn": "9.26.0"}),
        ("nvidia-nccl-cu12", "2.27.3", Via.WHEEL, {"nccl": "2.27.3"}),
        ("torch", "1.4.0", Via.WHEEL, {"cuda": "10.1"}),
        ("torch", "1.4.0", Via.BUILD, {}),
        ("torch", "1.4.0", Via.SITE, {}),
        ("gensim", "3.8.1", Via.WHEEL, {}),
        ("cuda", "12.8", None, {}),
    ],
)
def test_bundles_and_carriers(name: str, version: str, via: Via | None, implied: dict[str, str]) -> None:
    assert dict(implied_components(name, version, via, KNOWLEDGE, "x86_64")) == implied


def test_a_wheel_for_another_architecture_is_another_build() -> None:
    def implied(version: str) -> dict[str, str]:
        return dict(implied_components("torch", version, Via.WHEEL, KNOWLEDGE, "aarch64"))

    assert not implied("2.6.0")
    assert implied("2.6.0+cu126") == {"cuda": "12.6"}
    assert implied("2.11.0")["cuda"] == "13.0"


def pinned(**pins: str) -> Assignment:
    return {name.replace("_", "-"): (Chosen(version=version),) for name, version in pins.items()}


def test_a_release_of_tomorrow_is_judged_by_the_cuda_that_it_pins() -> None:
    stack = {**pinned(torch="2.99.0", nvidia_cuda_runtime="13.2.1"), **pinned(driver="570.10")}
    assert "cuda-13.0-driver" in {finding.fact for finding in judge(stack, KNOWLEDGE).findings}
    stack["driver"] = (Chosen(version="580.65.06"),)
    assert not judge(stack, KNOWLEDGE).findings


def test_one_version_told_twice_is_there_once() -> None:
    stack = pinned(nvidia_cuda_runtime_cu12="12.8.90", torch="2.10.0", driver="470.10")
    assert [one.bundled_in for one in with_bundles(stack, KNOWLEDGE)["cuda"]] == ["torch"]
    assert len([f for f in judge(stack, KNOWLEDGE).findings if f.fact == "cuda-12.0-driver"]) == 1


def test_what_two_frameworks_carry_is_there_twice() -> None:
    stack = pinned(torch="2.0.1+cu118", tensorflow="2.12.0")
    assert {one.bundled_in for one in with_bundles(stack, KNOWLEDGE)["cuda"]} == {"torch", "tensorflow"}
