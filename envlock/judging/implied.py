"""What a published distribution brings along that is no distribution: CUDA, cuDNN, NCCL."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.component import PROCESSOR, USUAL_MACHINE, InvalidVersion, Via, parse_version
from envlock.model.knowing.carried import Carrier
from envlock.model.knowing.finding import Assignment
from envlock.model.knowing.knowledge import Knowledge


def machine_of(assignment: Assignment) -> str:
    """The architecture of the nodes that a combination is for, as ``uname -m`` prints it."""
    return next((chosen.version for chosen in assignment.get(PROCESSOR, ())), USUAL_MACHINE)


def implied_components(
    name: str, version: str, via: Via | None, knowledge: Knowledge, machine: str
) -> Mapping[str, str]:
    """The system components that come with one version of a distribution, with their versions.

    Two kinds: what the table of builds says that its wheel carries inside or was compiled for, and what the
    distribution is itself, such as ``nvidia-cudnn-cu12``. The second needs no table of releases, so that a
    framework's release of tomorrow is judged by the CUDA that its own metadata pins.

    Args:
        name: the distribution, as an identifier.
        version: its version; a local label says which build.
        via: how it comes; what was built here or by the site brings nothing of the published wheel's.
        knowledge: the builds and carriers.
        machine: the architecture of the nodes.
    """
    if via in {Via.BUILD, Via.SITE} or name in knowledge.systems:
        return {}
    bundle = knowledge.bundle(name, version, machine)
    carried = bundle.components if bundle is not None else {}
    return {**carried_components(name, version, knowledge), **carried}


def carried_components(name: str, version: str, knowledge: Knowledge) -> Mapping[str, str]:
    """The system components that one version of a distribution is itself, with their versions."""
    return {
        carrier.component: told
        for carrier in knowledge.carriers_of(name)
        if carrier.range.contains(version) and (told := _told(carrier, version))
    }


def _told(carrier: Carrier, version: str) -> str:
    """The component's version as the distribution's tells it; empty where it does not."""
    try:
        release = parse_version(version).release
    except InvalidVersion:
        return ""
    return ".".join(str(number) for number in release[: carrier.digits or None])
