"""System components that come with a published distribution: CUDA, cuDNN, NCCL."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.component import PROCESSOR, USUAL_MACHINE, InvalidVersion, Via, parse_version
from envlock.model.knowing.carried import Carrier
from envlock.model.knowing.finding import Assignment
from envlock.model.knowing.knowledge import Knowledge


def machine_of(assignment: Assignment) -> str:
    """The architecture of the nodes for which a combination is meant, as ``uname -m`` prints it."""
    return next((chosen.version for chosen in assignment.get(PROCESSOR, ())), USUAL_MACHINE)


def implied_components(
    name: str, version: str, via: Via | None, knowledge: Knowledge, machine: str
) -> Mapping[str, str]:
    """Return the system components that come with one version of a distribution, with their versions.

    There are two kinds: what, according to the table of builds, its wheel bundles or was compiled for, and
    what the distribution is itself, such as ``nvidia-cudnn-cu12``. The second needs no table of releases, so
    that a framework's next release is judged by the CUDA that its own metadata pins.

    Args:
        name: the distribution, as an identifier.
        version: its version; a local label identifies the build.
        via: how it comes; what was built here or by the site has nothing of the published wheel.
        knowledge: the builds and carriers.
        machine: the architecture of the nodes.
    """
    if via in {Via.BUILD, Via.SITE} or name in knowledge.systems:
        return {}
    bundle = knowledge.bundle(name, version, machine)
    carried = bundle.components if bundle is not None else {}
    return {**carried_components(name, version, knowledge), **carried}


def carried_components(name: str, version: str, knowledge: Knowledge) -> Mapping[str, str]:
    """Return the system components that one version of a distribution is itself, with their versions."""
    return {
        carrier.component: carried
        for carrier in knowledge.carriers_of(name)
        if carrier.range.contains(version) and (carried := _component_version(carrier, version))
    }


def _component_version(carrier: Carrier, version: str) -> str:
    """Derive the component's version from the distribution's; empty where that does not give it."""
    try:
        release = parse_version(version).release
    except InvalidVersion:
        return ""
    return ".".join(str(number) for number in release[: carrier.digits or None])
