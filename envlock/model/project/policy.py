"""A group's policy: what narrows, replaces or forbids what others ask for, without asking for anything."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from packaging.requirements import Requirement

from envlock.model.component import Range, Via
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


ALL = ":all:"
"""In place of a name, as pip has it: every distribution that is not named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """In which form distributions have to come, as far as the group decides that.

    A name counts before ``:all:``, as for pip.

    Attributes:
        no_binary: those that are built from their sources, whatever wheels there are.
        only_binary: those of which nothing is ever built.
    """

    no_binary: frozenset[str] = frozenset()
    only_binary: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.no_binary or self.only_binary)

    def of(self, component: str, *, direct: bool = False) -> Via | None:
        """The one form of a distribution; a file or folder that is named itself is no matter of ``:all:``."""
        for name in (component,) if direct else (component, ALL):
            if name in self.no_binary:
                return Via.BUILD
            if name in self.only_binary:
                return Via.WHEEL
        return None

    def of_these(self, components: Collection[str]) -> Forms:
        """What they say of some distributions, and nothing of all others."""
        return Forms(
            no_binary=frozenset(one for one in components if self.of(one) is Via.BUILD),
            only_binary=frozenset(one for one in components if self.of(one) is Via.WHEEL),
        )

    def without(self, name: str) -> Forms:
        """The same without a name, or without ``:all:``."""
        return Forms(no_binary=self.no_binary - {name}, only_binary=self.only_binary - {name})

    def with_exception(self, component: str) -> Forms:
        """The same but for a distribution, which has to come in the other form than all others."""
        wheel, build = {Via.WHEEL: ((), (component,)), Via.BUILD: ((component,), ())}.get(
            self.of(component) or Via.SITE, ((), ())
        )
        return Forms(no_binary=self.no_binary | {*build}, only_binary=self.only_binary | {*wheel})

    def over(self, inherited: Forms) -> Forms:
        """These before inherited ones: what is named on one side is no longer on the other."""
        return Forms(
            no_binary=self.no_binary | (inherited.no_binary - self.only_binary),
            only_binary=self.only_binary | (inherited.only_binary - self.no_binary),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a group says of components beyond its wishes, with everything inherited already merged in.

    Attributes:
        constraints: what narrows without asking that anything be there.
        overrides: what counts instead of metadata.
        exclusions: what must not be there.
        prereleases: distributions whose pre-releases are as good as any other version.
        prefer_same_as: the group with which this one agrees where it can; empty for none.
        forms: which distributions have to come as wheels, and which have to be built.
    """

    constraints: tuple[Constraint, ...] = ()
    overrides: tuple[Override, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    prereleases: frozenset[str] = frozenset()
    prefer_same_as: str = ""
    forms: Forms = Forms()

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
            forms=self.forms.over(inherited.forms),
        )

    def document(self) -> dict[str, object]:
        """What of it decides an answer, in a fixed order; empty for a policy that says nothing."""
        parts: dict[str, Sequence[object]] = {
            "constraints": sorted(one.text for one in self.constraints),
            "overrides": sorted([str(one.requirement), one.reason] for one in self.overrides),
            "exclude": sorted(one.component for one in self.exclusions),
            "prereleases": sorted(self.prereleases),
            "no-binary": sorted(self.forms.no_binary),
            "only-binary": sorted(self.forms.only_binary),
        }
        return {key: part for key, part in parts.items() if part}


NO_POLICY = Policy()
"""A group that says nothing beyond its wishes."""
