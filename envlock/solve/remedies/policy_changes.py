"""Changes of a group's policy that might end a refusal: dropping a constraint, override or exclusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envlock.model.locked.pins import CONSTRAINT, EXCLUSION, Amended, Amendment, Solved, Unsolvable
from envlock.model.project.policy import Constraint, Exclusion, Override, Policy
from envlock.solve.remedies.changes import Change, chosen_version
from envlock.solve.request import Request


def policy_changes(refusal: Unsolvable, request: Request) -> Iterator[Change]:
    """Yield, for each part of the policy that took part in a refusal, the change that drops it."""
    policy = request.policy
    constrained = {reason.component for reason in refusal.reasons if reason.asked_by == CONSTRAINT}
    excluded = {reason.component for reason in refusal.reasons if reason.asked_by == EXCLUSION}
    overridden = {reason.component for reason in refusal.reasons if reason.override}
    for constraint in policy.constraints:
        if constraint.component in constrained:
            yield _without(constraint, Amended.CONSTRAINT, constraint.range.text)
    for exclusion in policy.exclusions:
        if exclusion.component in excluded:
            yield _without(exclusion, Amended.EXCLUSION, "")
    for override in policy.overrides:
        if override.component in overridden:
            yield _without(override, Amended.OVERRIDE, str(override.requirement.specifier))


def _without(part: Constraint | Exclusion | Override, of: Amended, before: str) -> Change:
    """Return the change that drops one part of the policy; it reports what is then chosen."""

    def describe(solved: Solved) -> Amendment:
        after = chosen_version(solved, part.component)
        return Amendment(component=part.component, layer=None, before=before, after=after, of=of)

    return Change(
        apply=lambda request: replace(request, policy=_lacking(request.policy, part)),
        describe=describe,
    )


def _lacking(policy: Policy, part: Constraint | Exclusion | Override) -> Policy:
    return replace(
        policy,
        constraints=tuple(constraint for constraint in policy.constraints if constraint != part),
        exclusions=tuple(exclusion for exclusion in policy.exclusions if exclusion != part),
        overrides=tuple(override for override in policy.overrides if override != part),
    )
