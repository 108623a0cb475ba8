"""AMD's GPUs, planted as the kernel, HIP's library and ROCm's compilers tell of them."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envlock.probe import amd, gpu, gpu_amd
from envlock.probe.back_ends import gpus
from envlock.probe.gpu_amd import covered, hip_code
from envlock.probe.plan import Plan

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
RECORDED = Path(__file__).parents[3] / "fixtures/machines/kfd/gfx942.txt"

HIP = """
int visible = %d;
int hipInit(unsigned flags) { return %d; }
int hipGetDeviceCount(int *count) { *count = visible; return 0; }
int hipDeviceCanAccessPeer(int *able, int one, int other) { *able = one + other != 1; return 0; }
const char *hipGetErrorName(int error) { return error == 100 ? "hipErrorNoDevice" : "hipErrorOther"; }
"""


class Node:
    """A topology with two processors, a GPU for a screen and two for computing, and their devices."""

    def __init__(self, folder: Path) -> None:
        self.topology, self.devices = folder / "nodes", folder / "dev"
        (self.devices / "dri").mkdir(parents=True)
        (self.devices / "kfd").write_text("")
        screen = "simd_count 4\ngfx_target_version 100306\ndrm_render_minor 130\n"
        texts = {
            2: RECORDED.read_text(),
            10: RECORDED.read_text().replace("minor 128", "minor 129"),
            3: screen,
        }
        for number, text in {0: "simd_count 0\n", 1: "simd_count 0\n", **texts}.items():
            (self.topology / str(number)).mkdir(parents=True)
            (self.topology / str(number) / "properties").write_text(text)
        for minor in (128, 129, 130):
            (self.devices / f"dri/renderD{minor}").write_text("")

    def gpus(self, *targets: str) -> list[str]:
        return [Path(one.file).name for one in amd.gpus(targets, str(self.topology), str(self.devices))]


def test_those_of_the_locks_kind_whose_devices_can_be_opened(tmp_path: Path) -> None:
    node = Node(tmp_path)
    assert node.gpus("gfx942") == ["renderD128", "renderD129"]
    assert node.gpus() == node.gpus("gfx90a") == []
    (node.devices / "dri/renderD128").unlink()
    assert node.gpus("gfx942") == ["renderD129"]
    (node.devices / "kfd").unlink()
    assert node.gpus("gfx942") == []


@pytest.mark.parametrize(
    ("environ", "left"),
    [
        ({}, 1),
        ({"ROCR_VISIBLE_DEVICES": "1"}, 1),
        ({"ROCR_VISIBLE_DEVICES": "NoDevFiles"}, 0),
        ({"HIP_VISIBLE_DEVICES": "-1"}, 0),
        ({"ROCR_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": "-1"}, 0),
        ({"ROCR_VISIBLE_DEVICES": "0", "CUDA_VISIBLE_DEVICES": ""}, 1),
    ],
)
def test_what_a_variable_hides(environ: dict[str, str], left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    one = amd.Gpu("gfx90a", "/dev/dri/renderD128", "1")
    monkeypatch.setattr(amd, "gpus", lambda _targets: [one])
    assert len(amd.reachable(environ, ["gfx90a"])) == left


def bundle(*names: str, code: bytes = b"") -> bytes:
    """What Clang's offload bundler writes, with the last entry's code behind."""
    begin = 32 + sum(24 + len(name) for name in names)
    places = [(begin, len(code) if name == names[-1] else 0, len(name)) for name in names]
    entries = b"".join(
        struct.pack("<QQQ", *place) + name.encode() for place, name in zip(places, names, strict=True)
    )
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(names)) + entries + code


HOST, ON_90A = "host-x86_64-unknown-linux--", "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"


def compressed(data: bytes, method: int, version: int = 2) -> bytes:
    packed = zlib.compress(data)
    sizes = "Q" if version > 2 else "I"
    header = struct.pack(f"<4sHH2{sizes}Q", b"CCOB", version, method, 99, len(data), 0)
    told = struct.pack(f"<{sizes}", len(header) + len(packed))
    return header[:8] + told + header[8 + len(told) :] + packed


@needs_gcc
def test_code_is_read_from_bundles(tmp_path: Path) -> None:
    parts = [
        bundle(HOST, ON_90A, "hip-amdgcn-amd-amdhsa--gfx908", code=bundle("inner--gfx000")),
        compressed(bundle(ON_90A), 0),
        compressed(bundle(ON_90A), 0, version=3),
        compressed(bundle(ON_90A), 1),
    ]
    (tmp_path / "code").write_bytes(b"".join(part.ljust(4096, b"\0") for part in parts))
    (tmp_path / "one.S").write_text(f'.section .hip_fatbin, "a"\n.incbin "{tmp_path}/code"\n')
    library = tmp_path / "one.so"
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", library, tmp_path / "one.S"], check=True)
    both, alone = frozenset({"gfx90a", "gfx908"}), frozenset({"gfx90a"})
    assert hip_code(str(library)) == [both, alone, alone, None]
    known = [both, alone]
    assert (covered(known, "gfx90a"), covered(known, "gfx908"), covered(known, "gfx942")) == (1.0, 0.5, 0.0)
    assert covered([frozenset({"gfx9-generic"}), frozenset({"amdgcnspirv"})], "gfx90a") == 1.0


def checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, visible: int = 3, status: int = 0
) -> dict[str, dict[str, Any]]:
    """What the check of GPUs says on a node with three, of a library of HIP's."""
    source, library = tmp_path / "hip.c", tmp_path / "libamdhip64.so.6"
    source.write_text(HIP % (visible, status))
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    three = [amd.Gpu("gfx90a", f"/dev/dri/renderD{128 + number}", str(number)) for number in range(3)]
    monkeypatch.setattr(amd, "gpus", lambda _targets: three)
    monkeypatch.setattr(gpu_amd, "shared_objects", lambda _installed, _names: [("torch", "libtorch_hip.so")])
    monkeypatch.setattr(gpu_amd, "hip_code", lambda _path: [frozenset({"gfx942"})])
    for name in amd.SHOWN_BY:
        monkeypatch.delenv(name, raising=False)
    told: list[dict[str, Any]] = []
    given = {"libraries": {str(library): "1 2"}}
    plan = Plan({"expect": {"gfx": ["gfx90a"]}})
    gpu.check_gpus(plan, given, lambda **line: told.append(line))  # type: ignore[arg-type]
    return {line["check"]["id"]: line["check"] for line in told if "check" in line}


@needs_gcc
def test_code_driver_and_peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = checks(tmp_path, monkeypatch)
    assert found["S4"]["message"] == "torch has code for gfx942, and 0 % of it runs on gfx90a"
    assert (found["S4"]["outcome"], found["S6"]["outcome"]) == ("failed", "passed")
    assert found["L9"]["outcome"] == "warned"
    assert found["L9"]["message"].startswith("no direct access from GPU 0 to 1, 1 to 0; transfers go")


@needs_gcc
@pytest.mark.parametrize(("visible", "status", "name"), [(0, 0, "hipErrorNoDevice"), (3, 7, "hipErrorOther")])
def test_gpus_on_which_hip_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, visible: int, status: int, name: str
) -> None:
    found = checks(tmp_path, monkeypatch, visible=visible, status=status)
    assert found["S6"]["outcome"] == "failed"
    assert found["S6"]["message"] == f"3 GPUs are here, and HIP does not start on them: {name}"
    assert found["L9"]["outcome"] == "not-applicable"


def test_a_pytorch_for_amd_that_sees_no_gpu_is_no_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    core = SimpleNamespace(_cuda_getArchFlags=lambda: "gfx90a:xnack- gfx942")
    torch = SimpleNamespace(version=SimpleNamespace(cuda=None, hip="6.2"), _C=core, zeros=lambda *_, **__: 0)
    asked: list[Any] = []

    def reachable(_environ: Any, targets: Any) -> list[str]:
        asked.append(targets)
        return ["/dev/dri/renderD128"]

    monkeypatch.setattr(amd, "reachable", reachable)
    assert str(gpus.why_none(torch)) == "/dev/dri/renderD128 is here, and PyTorch does not see it"
    assert asked == [["gfx90a", "gfx942"]]
