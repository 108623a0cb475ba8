"""A group that asks for another version of one component, as ``why-not`` and ``impact`` try it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from packaging.requirements import Requirement

from envlock.model.component import PYTHON, Range
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.project.group import Group, Wish

_SERIES = 2
"""How many numbers name an interpreter's series: as in a manifest, 3.11 is any 3.11.x."""


def requesting_version(
    group: Group, component: str, version: str, knowledge: Knowledge, extras: Collection[str] = ()
) -> Group:
    """Return the group with this one version in place of its own wishes on the component.

    Args:
        group: the group.
        component: what it is to ask for.
        version: the version; for an interpreter also a series.
        knowledge: which components are the system's.
        extras: extras of a distribution, besides those that the group asks for.
    """
    if component == PYTHON:
        whole = len(version.split(".")) > _SERIES
        return replace(group, python=Range.versions(f"=={version}" if whole else f"=={version}.*"))
    own = [wish for wish in group.wishes if wish.component == component]
    others = [wish for wish in group.wishes if wish.component != component]
    requirement = None
    if component not in knowledge.systems:
        requirement = Requirement(f"{index_name(component)}=={version}")
        asked = (wish.requirement.extras for wish in own if wish.requirement is not None)
        requirement.extras = {*extras}.union(*asked)
    wish = Wish(
        component=component,
        range=Range.only(version),
        requirement=requirement,
        text=f"{component}=={version}" if requirement is None else str(requirement),
        group=group.name,
    )
    return replace(group, wishes=(*others, wish))
