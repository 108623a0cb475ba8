"""An attempt by resolvelib, whose answers are confirmed, for it gives wrong ones now and then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from resolvelib.resolvers import Resolution, ResolutionImpossible, ResolutionTooDeep
from resolvelib.resolvers.criterion import Criterion

from envlock.model.errors import RefusedError
from envlock.model.knowing.facts import Facts
from envlock.solve.requirements import Candidate, Requirement
from envlock.solve.searching.blame import NOBODY, Demand
from envlock.solve.searching.confirmed import confirmed
from envlock.solve.searching.outcomes import Found, Refuted
from envlock.solve.searching.provider import Provider, Rejections

TOO_DEEP = "too-deep"
"""The error code of a search that reached no end."""

_LOOKS_A_ROUND = 30
"""How often resolvelib may look for candidates in a round, on the average. Where it finds an answer that is
ten times; it was 600 times where it went back and back within rounds, which no bound on rounds counts."""


class _Resolution(Resolution[Requirement, Candidate, str]):
    """resolvelib's resolution, which checks in every round whether each component's pin still fits.

    That depends only on the pin and on its requirements, which resolvelib replaces and never changes, and
    most of which are the same as in the round before: so answers are remembered.
    """

    def __init__(self, provider: Provider, reporter: Rejections) -> None:
        super().__init__(provider, reporter)
        self._fits: dict[str, tuple[Criterion[Requirement, Candidate], Candidate | None, bool]] = {}

    def _is_current_pin_satisfying(self, name: str, criterion: Criterion[Requirement, Candidate]) -> bool:
        before, pin = self._fits.get(name), self.state.mapping.get(name)
        if before is not None and before[0] is criterion and before[1] is pin:
            return before[2]
        fits = super()._is_current_pin_satisfying(name, criterion)
        self._fits[name] = (criterion, pin, fits)
        return fits


def by_resolvelib(
    provider: Provider,
    wanting: Sequence[Requirement],
    wanted: Sequence[Requirement],
    facts: Facts,
    rounds: int,
) -> Found | Refuted | RefusedError | None:
    """Return what resolvelib says; ``None`` where its answer is wrong."""
    provider.conflicts.clear()
    resolution = _Resolution(provider, Rejections(provider, most_looks=_LOOKS_A_ROUND * rounds))
    try:
        return confirmed(resolution.resolve(wanting, max_rounds=rounds).mapping, wanted, provider)
    except ResolutionImpossible as refusal:
        return _refuted(refusal, wanted, facts)
    except ResolutionTooDeep as error:
        return too_deep(error.round_count, provider)


def _refuted(
    refusal: ResolutionImpossible[Requirement, Candidate], requirements: Iterable[Requirement], facts: Facts
) -> Refuted:
    led = tuple(
        Demand(cause.requirement, cause.parent.identifier if cause.parent else NOBODY)
        for cause in refusal.causes
    )
    return Refuted(
        requirements=frozenset(requirements),
        facts=frozenset(fact.id for fact in facts),
        identifier=led[0].requirement.identifier if led else "",
        led=led,
    )


def too_deep(rounds: int, provider: Provider) -> RefusedError:
    """Return the error of an attempt that reached no end, with what it kept meeting."""
    busiest = ", ".join(name for name, _ in provider.conflicts.most_common(3))
    return RefusedError(
        TOO_DEEP,
        f"no answer after {rounds} rounds",
        why=f"most conflicts were about {busiest}",
        hint="narrow the versions of these components",
    )
