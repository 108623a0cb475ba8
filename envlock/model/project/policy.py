"""A group's policy: it narrows, replaces or forbids what others require, without requiring anything."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from packaging.requirements import Requirement

from envlock.model.component import Range, Via
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """The acceptable versions of a component, if it is present at all.

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
    """A requirement that replaces all that metadata requires of a distribution.

    Attributes:
        component: its identifier.
        requirement: what counts instead; nothing at all where its marker does not hold.
        reason: why the metadata is wrong.
        group: the group that wrote it.
    """

    component: str
    requirement: Requirement
    reason: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A distribution that must never be present."""

    component: str
    group: str


ALL = ":all:"
"""In place of a name, as in pip: every distribution that is not named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """The forms in which distributions must come, as far as the group decides that.

    A name takes precedence over ``:all:``, as in pip.

    Attributes:
        no_binary: distributions to build from source, whatever wheels there are.
        only_binary: distributions never to build.
    """

    no_binary: frozenset[str] = frozenset()
    only_binary: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.no_binary or self.only_binary)

    def of(self, component: str, *, direct: bool = False) -> Via | None:
        """The required form of a distribution; ``:all:`` does not cover a file or folder named directly."""
        for name in (component,) if direct else (component, ALL):
            if name in self.no_binary:
                return Via.BUILD
            if name in self.only_binary:
                return Via.WHEEL
        return None

    def of_these(self, components: Collection[str]) -> Forms:
        """Restrict these to some distributions, saying nothing about all others."""
        return Forms(
            no_binary=frozenset(component for component in components if self.of(component) is Via.BUILD),
            only_binary=frozenset(component for component in components if self.of(component) is Via.WHEEL),
        )

    def without(self, name: str) -> Forms:
        """Return these without a name, or without ``:all:``."""
        return Forms(no_binary=self.no_binary - {name}, only_binary=self.only_binary - {name})

    def with_exception(self, component: str) -> Forms:
        """Return these, except that one distribution must come in the other form."""
        wheel, build = {Via.WHEEL: ((), (component,)), Via.BUILD: ((component,), ())}.get(
            self.of(component) or Via.SITE, ((), ())
        )
        return Forms(no_binary=self.no_binary | {*build}, only_binary=self.only_binary | {*wheel})

    def over(self, inherited: Forms) -> Forms:
        """Put these before inherited ones: what is named on one side here no longer is on the other."""
        return Forms(
            no_binary=self.no_binary | (inherited.no_binary - self.only_binary),
            only_binary=self.only_binary | (inherited.only_binary - self.no_binary),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a group states about components beyond its wishes, with everything inherited merged in.

    Attributes:
        constraints: restrictions that do not require anything to be present.
        overrides: requirements that replace those of metadata.
        exclusions: what must not be present.
        prereleases: distributions whose pre-releases count like any other version.
        prefer_same_as: the group to agree with where possible; empty for none.
        forms: which distributions must come as wheels, and which must be built.
    """

    constraints: tuple[Constraint, ...] = ()
    overrides: tuple[Override, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    prereleases: frozenset[str] = frozenset()
    prefer_same_as: str = ""
    forms: Forms = Forms()

    def over(self, inherited: Policy) -> Policy:
        """Return this policy, with the inherited one where this is silent; what is forbidden stays so."""
        constrained = {constraint.component for constraint in self.constraints}
        overridden = {override.component for override in self.overrides}
        excluded = {exclusion.component for exclusion in self.exclusions}
        return Policy(
            constraints=(
                *(
                    constraint
                    for constraint in inherited.constraints
                    if constraint.component not in constrained
                ),
                *self.constraints,
            ),
            overrides=(
                *(override for override in inherited.overrides if override.component not in overridden),
                *self.overrides,
            ),
            exclusions=(
                *(exclusion for exclusion in inherited.exclusions if exclusion.component not in excluded),
                *self.exclusions,
            ),
            prereleases=self.prereleases | inherited.prereleases,
            prefer_same_as=self.prefer_same_as or inherited.prefer_same_as,
            forms=self.forms.over(inherited.forms),
        )

    def document(self) -> dict[str, object]:
        """The part of it that determines an answer, in a fixed order; empty for a policy that is silent."""
        parts: dict[str, Sequence[object]] = {
            "constraints": sorted(constraint.text for constraint in self.constraints),
            "overrides": sorted([str(override.requirement), override.reason] for override in self.overrides),
            "exclude": sorted(exclusion.component for exclusion in self.exclusions),
            "prereleases": sorted(self.prereleases),
            "no-binary": sorted(self.forms.no_binary),
            "only-binary": sorted(self.forms.only_binary),
        }
        return {key: part for key, part in parts.items() if part}


NO_POLICY = Policy()
"""The policy of a group that states nothing beyond its wishes."""
