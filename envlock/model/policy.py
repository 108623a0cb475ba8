"""A group's policy: what narrows, replaces or forbids what others ask for, without asking for anything."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.requirements import Requirement

from envlock.model.component import Range
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """Versions that would do, should the component be there at all.

    Attributes:
        component: its identifier.
        range: the versions.
        requirement: for a distribution, the constraint with its marker.
        text: as the user wrote it.
        group: the group that wrote it.
    """

    component: str
    range: Range
    requirement: Requirement | None
    text: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What takes the place of all that metadata asks of a distribution.

    Attributes:
        component: its identifier.
        requirement: what counts instead; nothing at all where its marker does not hold.
        reason: why metadata is wrong.
        group: the group that wrote it.
    """

    component: str
    requirement: Requirement
    reason: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A distribution that must never be in."""

    component: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a group says of components beyond its wishes, with everything inherited already merged in.

    Attributes:
        constraints: what narrows without asking that anything be there.
        overrides: what counts instead of metadata.
        exclusions: what must not be there.
        prereleases: distributions whose pre-releases are as good as any other version.
        prefer_same_as: the group with which this one agrees where it can; empty for none.
    """

    constraints: tuple[Constraint, ...] = ()
    overrides: tuple[Override, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    prereleases: frozenset[str] = frozenset()
    prefer_same_as: str = ""

    def over(self, inherited: Policy) -> Policy:
        """This policy where it speaks, else the inherited one; what is forbidden stays so."""
        constrained = {one.component for one in self.constraints}
        overridden = {one.component for one in self.overrides}
        excluded = {one.component for one in self.exclusions}
        return Policy(
            constraints=(
                *(one for one in inherited.constraints if one.component not in constrained),
                *self.constraints,
            ),
            overrides=(
                *(one for one in inherited.overrides if one.component not in overridden),
                *self.overrides,
            ),
            exclusions=(
                *(one for one in inherited.exclusions if one.component not in excluded),
                *self.exclusions,
            ),
            prereleases=self.prereleases | inherited.prereleases,
            prefer_same_as=self.prefer_same_as or inherited.prefer_same_as,
        )

    def document(self) -> dict[str, object]:
        """What of it decides an answer, in a fixed order; empty for a policy that says nothing."""
        parts: dict[str, Sequence[object]] = {
            "constraints": sorted(one.text for one in self.constraints),
            "overrides": sorted([str(one.requirement), one.reason] for one in self.overrides),
            "exclude": sorted(one.component for one in self.exclusions),
            "prereleases": sorted(self.prereleases),
        }
        return {key: part for key, part in parts.items() if part}


NO_POLICY = Policy()
"""A group that says nothing beyond its wishes."""
