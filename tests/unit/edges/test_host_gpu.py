from __future__ import annotations

import sys
from pathlib import Path

import pynvml
import pytest

from envlock.edges.host import gpu
from envlock.edges.host.gpu import Gpu, driver_offers, find_driver, find_toolkits, parse_dryrun, parse_nvcc

MACHINES = Path(__file__).parents[3] / "fixtures" / "machines"


@pytest.mark.parametrize("path", sorted((MACHINES / "nvcc").iterdir()), ids=lambda path: path.stem)
def test_toolkit_releases(path: Path) -> None:
    said = parse_nvcc(path.read_text())
    assert said is not None
    assert said[0] == path.stem
    assert said[1].startswith(f"{path.stem}.")


def test_the_toolkits_prefix_is_its_own_not_its_wrappers() -> None:
    text = "#$ _HERE_=/opt/cuda-13.0/bin\n#$ TOP=/opt/cuda-13.0/bin/..\n#$ CICC_PATH=x\n"
    assert parse_dryrun(text) == Path("/opt/cuda-13.0")
    assert parse_dryrun("nvcc fatal") is None


@pytest.mark.parametrize(
    ("library", "words"), [("lib64/libcudart.so", "with the runtime"), ("", "compiler only")]
)
def test_a_toolkit_is_found_behind_its_wrapper(tmp_path: Path, library: str, words: str) -> None:
    prefix = tmp_path / "opt/cuda-10.1"
    recorded = MACHINES / "nvcc/10.1.txt"
    dryrun = f'if [ "$1" = --dryrun ]; then echo "#\\$ TOP={prefix}/bin/.." >&2; exit; fi'
    for path in (prefix / "bin/nvcc", tmp_path / "bin/nvcc"):
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\n{dryrun}\ncat '{recorded}'\n")
        path.chmod(0o755)
    if library:
        (prefix / library).parent.mkdir()
        (prefix / library).touch()
    environ = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "CUDA_HOME": str(prefix)}
    [offer] = [one for one in find_toolkits(environ) if one.prefix.startswith(str(tmp_path))]
    assert (offer.component, offer.version, offer.prefix) == ("cuda", "10.1", str(prefix))
    assert "10.1.243" in offer.note
    assert words in offer.note


def test_each_generation_is_offered_once_lowest_first() -> None:
    gpus = [Gpu(name="H200", compute_capability="9.0"), Gpu(name="B200", compute_capability="10.0")]
    gpus += [Gpu(name="H200", compute_capability="9.0")]
    offers = driver_offers("580.82.07", gpus)
    assert [(one.component, one.version, one.note) for one in offers] == [
        ("driver", "580.82.07", "NVML"),
        ("gpu_cc", "9.0", "2 x H200"),
        ("gpu_cc", "10.0", "1 x B200"),
    ]


def test_gpus_are_read_by_nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "has_nvml", lambda: True)
    monkeypatch.setitem(sys.modules, "pynvml", _Nvml())
    assert [(one.component, one.version) for one in find_driver()] == [
        ("driver", "535.104.12"),
        ("gpu_cc", "8.0"),
    ]


def test_a_gpu_that_is_lost_leaves_the_others_and_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = _Nvml()
    nvml.lost = 1
    monkeypatch.setattr(gpu, "has_nvml", lambda: True)
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    assert [(one.component, one.version, one.note) for one in find_driver()] == [
        ("driver", "535.104.12", "NVML; GPU 1: GPU is lost"),
        ("gpu_cc", "8.0", "1 x NVIDIA A100-SXM4-40GB"),
    ]


def test_without_a_driver_nothing_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = _Nvml()
    nvml.missing = True
    monkeypatch.setattr(gpu, "has_nvml", lambda: True)
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    assert find_driver() == ()


class _Nvml:
    """NVIDIA's library with one A100, or none at all."""

    NVMLError = pynvml.NVMLError
    missing = False
    lost = 0

    def nvmlInit(self) -> None:  # noqa: N802 - NVML's name
        if self.missing:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)

    def nvmlShutdown(self) -> None:  # noqa: N802 - NVML's name
        pass

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802 - NVML's name
        return "535.104.12"

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802 - NVML's name
        return 1 + self.lost

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802 - NVML's name
        if index and self.lost:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)
        return index

    def nvmlDeviceGetName(self, _: int) -> str:  # noqa: N802 - NVML's name
        return "NVIDIA A100-SXM4-40GB"

    def nvmlDeviceGetCudaComputeCapability(self, _: int) -> tuple[int, int]:  # noqa: N802 - NVML's name
        return (8, 0)
