"""A version that cannot be built here: as a fact for the search, and in the refusal that it leads to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from envlock.judging.learned_conflicts import learned_conflict
from envlock.model.component import Range, Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition, Fact
from envlock.model.locked.pins import ERA, YOU, DistributionPin, Reason, Unsolvable
from envlock.model.published.tree_words import TREE_WORDS

_PREFIX = "unbuildable:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbuildable:
    """A pin whose build environment cannot be had, and why."""

    pin: DistributionPin
    refusal: Unsolvable

    @property
    def meaning(self) -> str:
        """What is wrong, in a sentence."""
        return f"{self.pin.name} {self.pin.version} has no usable wheel and cannot be built here"

    def fact(self, number: int) -> Fact:
        """Return it as a fact: another version may have a wheel, or a build that works."""
        version = Range.versions(f"=={self.pin.version}")
        condition = Condition(component=self.pin.component, range=version, via=Via.BUILD)
        return learned_conflict(
            f"{_PREFIX}{self.pin.component}#{number}",
            (condition,),
            reason=self.meaning,
            cause="; ".join(self.refusal.excluded),
        )


def with_builds(refusal: Unsolvable, met: Iterable[Unbuildable]) -> Unsolvable:
    """Add to a refusal why a version could not be built: the first one, which was wanted most."""
    first = next(iter(met), None)
    if first is None:
        return refusal
    by = f"the build of {first.pin.name} {first.pin.version}"
    reasons = (reason for reason in first.refusal.reasons if not _goes_without_saying(reason, first.pin))
    wanted = (_by_build(reason, by) for reason in reasons)
    facts = (name for name in refusal.facts if not name.startswith(_PREFIX))
    return replace(
        refusal,
        component=first.refusal.component,
        reasons=tuple(dict.fromkeys((*refusal.reasons, *wanted))),
        facts=tuple(dict.fromkeys((*facts, *first.refusal.facts))),
        excluded=(first.meaning, *first.refusal.excluded),
    )


def _goes_without_saying(reason: Reason, pin: DistributionPin) -> bool:
    """Whether a wish says nothing to people: of what the sources are like, or of what is to be built."""
    return reason.component in TREE_WORDS or (reason.asked_by == YOU and reason.component == pin.component)


def _by_build(reason: Reason, by: str) -> Reason:
    """Put down a wish of the build's environment to the build, which is the only one to have it."""
    return replace(reason, asked_by=by) if reason.asked_by in {YOU, ERA} else reason
