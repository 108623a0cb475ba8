"""What people should know of what an answer builds although nothing refuses it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from envlock.analysis.sdists.linked_wheels import BACKEND
from envlock.edges.archive_damage import DamagedError
from envlock.edges.building.gpu_sources import has_gpu_sources
from envlock.edges.index.local_path import local_path
from envlock.model.errors import EnvlockError
from envlock.model.gpu import AMD, NVIDIA
from envlock.model.locked.pins import DistributionPin, Solved
from envlock.model.project.target import Target
from envlock.model.published.catalogue import DistFile


class _Toolkit(NamedTuple):
    component: str
    name: str


_TOOLKITS = {NVIDIA: _Toolkit("cuda", "a CUDA toolkit (nvcc)"), AMD: _Toolkit("rocm", "ROCm (hipcc)")}
"""Component of a maker's GPUs -> what compiles for them."""


def remarks_on_target(target: Target, answer: Solved) -> Iterator[str]:
    """Report that a target has no C library, which no wheel with compiled modules can do without."""
    if not target.glibc and any(pin.build is not None for pin in answer.distributions):
        yield (
            f"the target {target.name!r} has no glibc, so that what needs one is built: "
            'write it, components = { glibc = "2.28" }, if the nodes have it (ldd --version)'
        )


def remarks_on_links(answer: Solved) -> Iterator[str]:
    """Report links in source folders that lead out of them, of which there is nothing in what is built."""
    for pin in answer.distributions:
        if not pin.file.is_folder or pin.file.editable:
            continue
        from envlock.edges.index.source_folders import links_left_out  # noqa: PLC0415 - few requests name any

        if links := links_left_out(local_path(pin.file.url) or Path(pin.file.url)):
            yield f"{pin.component}: left out of its sources, which they lead out of: {', '.join(links)}"


def remarks_on_gpu_code(
    answer: Solved, target: Target, local_file: Callable[[DistFile], Path]
) -> Iterator[str]:
    """Report what will be built without its code for the target's GPUs, as no toolkit is there to compile it.

    Many extensions of PyTorch (torch-scatter) then build for the processor alone, and say so nowhere. What a
    fact warns of is left to that (Horovod without operations on GPUs).

    Args:
        answer: what was chosen.
        target: what it was solved for.
        local_file: fetches a file, which the build needs anyway.
    """
    makers = [toolkit for gpu, toolkit in _TOOLKITS.items() if target.offered(gpu)]
    if not makers or any(target.offered(maker.component) for maker in makers):
        return
    gpus = _TOOLKITS.keys()
    known = {
        name for finding in answer.warned if finding.components.keys() & gpus for name in finding.components
    }
    for pin in answer.distributions:
        if pin.build is None or pin.file.editable or pin.component in known:
            continue
        if any(map(_is_compiler, pin.build.requires)):
            continue
        try:
            found = has_gpu_sources(local_file(pin.file))
        except (DamagedError, EnvlockError, OSError):
            continue  # whoever builds it tells what is wrong with it
        if found:
            yield (
                f"{pin.component} {pin.version} is built for the processor alone: its code for GPUs needs "
                f"{makers[0].name}, which the target does not offer; offer it, or take a wheel for these GPUs"
            )


def _is_compiler(pin: DistributionPin) -> bool:
    return pin.name.startswith("nvidia-cuda-nvcc")


def remarks_on_linked_wheels(answer: Solved, local_file: Callable[[DistFile], Path]) -> Iterator[str]:
    """Report sdists that only stand for a wheel on another index, which the lock therefore does not have.

    Args:
        answer: what was chosen.
        local_file: fetches a file, which the build needs anyway.
    """
    for pin in answer.distributions:
        if pin.build is None or BACKEND not in {tool.component for tool in pin.build.requires}:
            continue
        from envlock.edges.index.stated_sources import archive_linked_wheel  # noqa: PLC0415 - few builds

        try:
            linked = archive_linked_wheel(local_file(pin.file))
        except (EnvlockError, OSError):
            continue  # whoever builds it tells what is wrong with it
        if linked is not None:
            index = linked.index or "another index"
            yield (
                f"{pin.component} {pin.version} has no sources, and its build fetches a wheel from {index}: "
                "with that index under [[indexes]] the lock has the wheel, and its hash"
            )
