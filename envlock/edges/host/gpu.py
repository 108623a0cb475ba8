"""NVIDIA's driver, GPUs and CUDA toolkit."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from envlock.edges.host.tools import Ask, ask, find_tool, is_tool, tool_folders
from envlock.edges.visible import is_there, matching
from envlock.model.frozen import dataclass
from envlock.model.project.target import Offer

_RELEASE = r"release (\d+\.\d+), V(\d[\d.]*)"
_TOP = r"(?m)^#\$ TOP=(.+)$"
_RUNTIME_PLACES = ("lib64", "lib", "targets/*/lib", "lib/*-linux-gnu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU: its product name and its compute capability (``8.0``)."""

    name: str
    compute_capability: str


def find_driver() -> tuple[Offer, ...]:
    """Return the driver and its GPUs, as NVML reports them; nothing if there is no driver."""
    if not has_nvml():
        return ()
    import pynvml  # noqa: PLC0415 - large, and most machines that solve have no GPU

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    try:
        driver = str(pynvml.nvmlSystemGetDriverVersion())
        return driver_offers(driver, *_gpus(pynvml))
    except pynvml.NVMLError:
        return ()
    finally:
        pynvml.nvmlShutdown()


def has_nvml() -> bool:
    """Whether NVIDIA's management library, which comes with the driver, can be loaded."""
    try:
        ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return False
    return True


def driver_offers(driver: str, gpus: Sequence[Gpu], troubles: Sequence[str] = ()) -> tuple[Offer, ...]:
    """Return the driver, noting GPUs that do not answer, and the GPUs by compute capability, lowest first."""
    offers = [Offer(component="driver", version=driver, note="; ".join(["NVML", *troubles]))]
    capabilities = {gpu.compute_capability for gpu in gpus}
    for capability in sorted(capabilities, key=lambda text: [int(part) for part in text.split(".")]):
        names = Counter(gpu.name for gpu in gpus if gpu.compute_capability == capability)
        note = ", ".join(f"{count} x {name}" for name, count in sorted(names.items()))
        offers.append(Offer(component="gpu_cc", version=capability, note=note))
    return tuple(offers)


def find_toolkits(environ: Mapping[str, str], ask: Ask = ask) -> tuple[Offer, ...]:
    """Return the CUDA toolkits from ``CUDA_HOME``, ``PATH`` and ``/usr/local``, each once."""
    homes = [environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if environ.get(name)]
    folders = tool_folders(environ, ("/usr/local/cuda/bin", "/usr/local/cuda-*/bin"))
    first = find_tool("nvcc", folders)
    compilers = [Path(home) / "bin/nvcc" for home in homes]
    compilers += [first] if first else []
    compilers += [folder / "nvcc" for folder in folders if folder.parent.name.startswith("cuda")]
    offers = {offer.prefix: offer for path in compilers if is_tool(path) and (offer := _toolkit(path, ask))}
    return tuple(offers.values())


def parse_nvcc(text: str) -> tuple[str, str] | None:
    """Return release (``13.0``) and full version (``13.0.88``) from ``nvcc --version``."""
    match = re.search(_RELEASE, text)
    return (match[1], match[2]) if match else None


def parse_dryrun(text: str) -> Path | None:
    """Return a toolkit's prefix from ``nvcc --dryrun``: ``nvcc`` on ``PATH`` may be a wrapper elsewhere."""
    match = re.search(_TOP, text)
    return Path(match[1]).resolve() if match else None


def _toolkit(compiler: Path, ask: Ask) -> Offer | None:
    said = parse_nvcc(ask([str(compiler), "--version"]))
    if said is None:
        return None
    prefix = parse_dryrun(ask([str(compiler), "--dryrun", "-x", "cu", "/dev/null"]))
    prefix = prefix or compiler.resolve().parent.parent
    runtimes = (path for place in _RUNTIME_PLACES for path in matching(prefix, f"{place}/libcudart.so"))
    runtime = any(map(is_there, runtimes))
    note = f"nvcc --version: {said[1]}"
    note += ", with the runtime library" if runtime else ", compiler only: no libcudart"
    return Offer(component="cuda", version=said[0], prefix=str(prefix), note=note)


def _gpus(pynvml: Any) -> tuple[list[Gpu], list[str]]:
    """Return the GPUs, and what is wrong with those that do not answer: one lost GPU hides no others."""
    gpus, troubles = [], []
    for index in range(pynvml.nvmlDeviceGetCount()):
        try:
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(handle)
            name = str(pynvml.nvmlDeviceGetName(handle))
        except pynvml.NVMLError as error:
            troubles.append(f"GPU {index}: {error}")
            continue
        gpus.append(Gpu(name=name, compute_capability=f"{major}.{minor}"))
    return gpus, troubles
