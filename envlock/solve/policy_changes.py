"""Changes of a group's policy that might end a refusal: to drop a constraint, an override, an exclusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envlock.model.pins import CONSTRAINT, EXCLUSION, Amended, Amendment, Solved, Unsolvable
from envlock.model.policy import Policy
from envlock.solve.changes import Change, chosen_version
from envlock.solve.request import Request


def policy_changes(refusal: Unsolvable, request: Request) -> Iterator[Change]:
    """For each part of the policy that took part in a refusal, the request without it."""
    policy = request.policy
    constrained = {one.component for one in refusal.reasons if one.asked_by == CONSTRAINT}
    excluded = {one.component for one in refusal.reasons if one.asked_by == EXCLUSION}
    overridden = {one.component for one in refusal.reasons if one.override}
    for constraint in policy.constraints:
        if constraint.component in constrained:
            rest = tuple(one for one in policy.constraints if one is not constraint)
            text = constraint.range.text
            yield _without(constraint.component, Amended.CONSTRAINT, text, replace(policy, constraints=rest))
    for exclusion in policy.exclusions:
        if exclusion.component in excluded:
            gone = tuple(one for one in policy.exclusions if one is not exclusion)
            yield _without(exclusion.component, Amended.EXCLUSION, "", replace(policy, exclusions=gone))
    for override in policy.overrides:
        if override.component in overridden:
            left = tuple(one for one in policy.overrides if one is not override)
            text = str(override.requirement.specifier)
            yield _without(override.component, Amended.OVERRIDE, text, replace(policy, overrides=left))


def _without(component: str, of: Amended, before: str, policy: Policy) -> Change:
    """The request with a policy that lacks one part; what is then chosen is told."""

    def told(solved: Solved) -> Amendment:
        after = chosen_version(solved, component)
        return Amendment(component=component, layer=None, before=before, after=after, of=of)

    return Change(apply=lambda request: replace(request, policy=policy), told=told)
