"""Groups: who wants what in one environment, and for how long it must stay unchanged."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from packaging.requirements import Requirement

from envlock.model.component import Layer, Range
from envlock.model.frozen import dataclass
from envlock.model.project.package_sources import Direct
from envlock.model.project.policy import NO_POLICY, Policy

AsOf = dt.date | Literal["auto", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A group's requirement on one component.

    Attributes:
        component: the component's identifier.
        range: the versions that are acceptable.
        requirement: for a distribution, the whole requirement with extras and marker.
        text: as the user wrote it.
        group: the group that wrote it.
        direct: the file that it names in place of an index.
    """

    component: str
    range: Range
    requirement: Requirement | None
    text: str
    group: str
    direct: Direct | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze:
    """A promise that a group's environment does not change.

    Attributes:
        until: its last day.
        reason: who relies on it.
        archives: target -> where the archive of its lock is, as an absolute path or relative to the project;
            the entry with the empty name is for any target.
    """

    until: dt.date
    reason: str
    archives: Mapping[str, str] = field(default_factory=dict)

    def archive(self, target: str) -> str:
        """Where the archive of the lock on a target is; empty for none."""
        return self.archives.get(target, self.archives.get("", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A set of users with one environment, with everything it extends already merged in.

    Attributes:
        name: its name.
        python: the interpreters that are acceptable.
        wishes: what it asks for, its own and inherited.
        extends: the group that it extends; empty for none.
        as_of: the cut-off date of releases.
        frozen: the promise that it does not change; never inherited.
        layer: the layer for which it acts; it may not change components of layers further in than this one.
        policy: what it states about components beyond its wishes, its own and inherited.
    """

    name: str
    python: Range
    wishes: tuple[Wish, ...]
    extends: str
    as_of: AsOf
    frozen: Freeze | None
    layer: Layer = Layer.DISCIPLINE
    policy: Policy = NO_POLICY
