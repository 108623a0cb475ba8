"""What is told of what an answer builds: code for GPUs that nothing compiles, wheels from elsewhere."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envlock.app.solving.build_remarks import remarks_on_gpu_code, remarks_on_linked_wheels
from envlock.edges.building.gpu_sources import has_gpu_sources
from envlock.model.errors import SurroundingsError

TOLD = (
    "torch-scatter 2.1.2 is built for the processor alone: its code for GPUs needs a CUDA toolkit (nvcc), "
    "which the target does not offer; offer it, or take a wheel for these GPUs"
)


def sdist(folder: Path, *names: str) -> Path:
    path = folder / "torch_scatter-2.1.2.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(f"torch_scatter-2.1.2/{name}"), io.BytesIO())
    return path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("csrc/cuda/scatter.cu", True),
        ("csrc/scatter.cpp", False),
        ("third_party/gloo/cuda.cu", False),
        ("vendored-meson/meson/run.cu", False),
        ("meson/test cases/cuda/1 simple/prog.cu", False),
        ("csrc/latest/scatter.cu", True),
    ],
)
def test_sources_for_gpus(tmp_path: Path, name: str, expected: bool) -> None:
    assert has_gpu_sources(sdist(tmp_path, "setup.py", name)) is expected
    zipped = tmp_path / "torch_scatter-2.1.2.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr(f"torch_scatter-2.1.2/{name}", "")
    assert has_gpu_sources(zipped) is expected


@pytest.mark.parametrize(
    ("offers", "requires", "told"),
    [
        (("gpu_cc",), (), [TOLD]),
        (("gpu_cc", "cuda"), (), []),
        (("gpu_cc",), ("nvidia-cuda-nvcc-cu12",), []),
        ((), (), []),
        (("gpu_gfx",), (), [TOLD.replace("a CUDA toolkit (nvcc)", "ROCm (hipcc)")]),
    ],
)
def test_what_is_told(
    tmp_path: Path, offers: tuple[str, ...], requires: tuple[str, ...], told: list[str]
) -> None:
    path = sdist(tmp_path, "csrc/cuda/scatter.cu")
    build = SimpleNamespace(requires=tuple(SimpleNamespace(name=name) for name in requires))
    file = SimpleNamespace(editable=False)
    pins = [
        SimpleNamespace(component="torch-scatter", version="2.1.2", build=build, file=file),
        SimpleNamespace(component="torch", version="2.4.0", build=None, file=file),
    ]
    answer: Any = SimpleNamespace(distributions=pins, warned=())
    target: Any = SimpleNamespace(offered=lambda name: (name,) if name in offers else ())
    assert list(remarks_on_gpu_code(answer, target, lambda _file: path)) == told

    warned = (SimpleNamespace(components={"torch-scatter": "2.1.2", "gpu_cc": "8.0"}),)
    both: Any = SimpleNamespace(distributions=pins, warned=warned)
    assert list(remarks_on_gpu_code(both, target, lambda _file: path)) == []

    def gone(_file: Any) -> Path:
        raise SurroundingsError("network", "it is gone")

    assert list(remarks_on_gpu_code(answer, target, gone)) == []


def test_a_wheel_that_a_build_fetches_is_told(tmp_path: Path) -> None:
    pyproject = (
        b'[build-system]\nrequires = ["wheel-stub"]\nbuild-backend = "wheel_stub.buildapi"\n'
        b'[tool.wheel_stub]\nindex_url = "https://example.org/wheels/"\n'
    )
    path = tmp_path / "tensorrt_libs-11.4.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("tensorrt_libs-11.4/pyproject.toml")
        member.size = len(pyproject)
        archive.addfile(member, io.BytesIO(pyproject))
    pins = [
        SimpleNamespace(
            component=name,
            version="11.4",
            file=None,
            build=SimpleNamespace(requires=(SimpleNamespace(component=tool),)),
        )
        for name, tool in (("tensorrt-libs", "wheel-stub"), ("other", "setuptools"))
    ]
    answer: Any = SimpleNamespace(distributions=pins)
    (told,) = remarks_on_linked_wheels(answer, lambda _file: path)
    assert told == (
        "tensorrt-libs 11.4 has no sources, and its build fetches a wheel from https://example.org/wheels/: "
        "with that index under [[indexes]] the lock has the wheel, and its hash"
    )
