"""What AMD's GPUs, their driver and ROCm are taken from: files of the kernel and of ROCm."""

from __future__ import annotations

from pathlib import Path

import pytest

from envlock.edges.host import detect
from envlock.edges.host.amd import find_amd, gfx_target, gpu_offers
from envlock.model.project.target import Offer
from tests.shipped import KNOWLEDGE

INSTINCT = KNOWLEDGE.detection.without_screens

MACHINES = Path(__file__).parents[3] / "fixtures" / "machines"


def gpu(number: int) -> str:
    return f"simd_count 440\ngfx_target_version {number}\nvendor_id 4098\n"


@pytest.mark.parametrize("path", sorted((MACHINES / "kfd").iterdir()), ids=lambda path: path.stem)
def test_recorded_nodes_of_the_topology(path: Path) -> None:
    assert gfx_target(path.read_text()) == ("" if path.stem == "none" else path.stem)


@pytest.mark.parametrize(
    ("number", "target"),
    [(90000, "gfx900"), (90010, "gfx90a"), (90402, "gfx942"), (100300, "gfx1030"), (110501, "gfx1151")],
)
def test_the_kernels_number_is_the_target_with_hexadecimal_steps(number: int, target: str) -> None:
    assert gfx_target(gpu(number)) == target


def test_a_kernel_that_tells_no_target_is_no_gpu() -> None:
    assert gfx_target("simd_count 240\nvendor_id 4098\n") == ""


def test_each_target_is_offered_once_and_those_of_screens_where_rocm_is() -> None:
    texts = ["gfx_target_version 0\n", *[gpu(90010)] * 8, gpu(90008), gpu(100306), gpu(110000)]
    every = gpu_offers(texts, computing=None)
    assert [one.version for one in every] == ["gfx1036", "gfx1100", "gfx908", "gfx90a"]
    assert [(one.component, one.version, one.note) for one in gpu_offers(texts, computing=INSTINCT)] == [
        ("gpu_gfx", "gfx908", "1 in the kernel's topology"),
        ("gpu_gfx", "gfx90a", "8 in the kernel's topology"),
    ]


def test_a_node_offers_its_gpus_driver_and_each_rocm_once(tmp_path: Path) -> None:
    files = {
        "sys/class/kfd/kfd/topology/nodes/0/properties": "gfx_target_version 0\n",
        "sys/class/kfd/kfd/topology/nodes/1/properties": gpu(90010),
        "sys/module/amdgpu/version": "6.3.6\n",
        "opt/rocm-6.0.3/.info/version": "6.0.3-101\n",
        "opt/rocm-extras/readme": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "opt/rocm").symlink_to("rocm-6.0.3")
    offers = find_amd(INSTINCT, {"ROCM_PATH": str(tmp_path / "opt/rocm")}, tmp_path)
    home = str((tmp_path / "opt/rocm-6.0.3").resolve())
    assert [(one.component, one.version, one.prefix) for one in offers] == [
        ("gpu_gfx", "gfx90a", ""),
        ("amdgpu-module", "6.3.6", ""),
        ("rocm", "6.0.3", home),
    ]
    assert find_amd(INSTINCT, {}, tmp_path / "empty") == ()


def test_beside_nvidias_gpus_one_of_amds_is_for_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Offer(component="gpu_gfx", version="gfx1030")
    monkeypatch.setattr(detect, "find_amd", lambda targets, environ: (screen,))
    monkeypatch.setattr(detect, "find_driver", tuple)
    assert detect.detect_target(KNOWLEDGE.detection, environ={}).gpus == (("gpu_gfx", "gfx1030"),)
    monkeypatch.setattr(detect, "find_driver", lambda: (Offer(component="gpu_cc", version="8.9"),))
    assert detect.detect_target(KNOWLEDGE.detection, environ={}).gpus == (("gpu_cc", "8.9"),)
