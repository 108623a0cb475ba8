"""An answer that is sound as a whole: nothing in its files or its code speaks against it.

A solve goes by metadata and facts. What only files and code tell is read from its answer, learned as one
more fact or one more need, and solved around.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from functools import partial

from envlock.app.solving.collisions import find_collisions
from envlock.app.solving.dearer import dearer
from envlock.app.solving.learned_conflicts import (
    Learned,
    free_wishes,
    is_of_warning,
    learn_conflicts,
    objections,
    preferences,
    unmet_needs,
)
from envlock.app.solving.refused import Refused
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.collisions import NATIVE_COLLISION
from envlock.judging.lacking_names import LACKING_NAMES
from envlock.judging.learned_conflicts import as_all_before
from envlock.judging.removed_names import REMOVED_NAMES
from envlock.judging.stand_ins import instead_of_colliding
from envlock.judging.unstated_imports import fact_of, with_facts
from envlock.model.errors import RefusedError
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import WARNED_OF, Fact, Severity
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.need import Need
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.group import Group
from envlock.solve.effort import Effort
from envlock.solve.offers.shared import Shared
from envlock.solve.request import Request
from envlock.solve.resolve import resolve

_MAX_TRIES = 32
"""Solves for one request, including those that find out whether a need can be met.

Releases from before a name that others read are gone past one by one, where an answer takes the oldest of
what came after its time: peft 0.2.0 goes with accelerate 0.12, after eleven that do not. Each takes a second.
"""
_PREFERRING_TRIES = 8
"""Solves that look for a better answer where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sound:
    """An answer in which nothing conflicts, and how far the search for it had come.

    Attributes:
        solved: the answer.
        request: the request, with the stand-ins that it took.
        knowledge: the knowledge base, with the learned conflicts and the needs that shaped it.
        learned: the identifiers of the learned facts -> their reasons.
        prices: those of them that are set aside for their price -> what an answer with them costs.
    """

    solved: Solved
    request: Request
    knowledge: Knowledge
    learned: Mapping[str, str]
    prices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conflicting:
    """What spoke against the last answer when no tries were left, and what had been learned by then."""

    facts: Sequence[Fact]
    request: Request
    knowledge: Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """What all solves for one request share.

    Attributes:
        group: whose request it is.
        catalogue: what the indexes offer.
        today: the day that findings are dated with.
        shared: what other solves have worked out.
        objections: what files and code say against an answer that a remedy leads to.
        tries: one item for each solve that may still be made.
    """

    group: Group
    catalogue: IndexCatalogue
    today: dt.date
    shared: Shared
    objections: Callable[[Solved], Sequence[Fact]]
    tries: Iterator[int]

    def without_conflicts(
        self, request: Request, knowledge: Knowledge, effort: Effort
    ) -> _Sound | Refused | _Conflicting:
        """Solve until nothing in the answer conflicts; each conflict is learned, or ended by a stand-in.

        Before a request is refused, those of the learned facts that are dispensable give way, for which the
        refusal is explained.
        """
        learned: dict[str, str] = {}
        dispensable: frozenset[str] = frozenset()
        new = Learned(facts=())
        solve = partial(resolve, catalogue=self.catalogue, shared=self.shared, objections=self.objections)
        for _ in self.tries:
            answer = solve(request, knowledge, effort=Effort.EXPLAIN if dispensable else effort)
            if isinstance(answer, Unsolvable) and (blamed := dispensable.intersection(answer.facts)):
                dispensable -= blamed
                request = replace(request, waived=request.waived | blamed)
                continue
            if isinstance(answer, Unsolvable) and dispensable and effort is Effort.REMEDY:
                answer = solve(request, knowledge, effort=effort)
            if isinstance(answer, Unsolvable):
                return self._refused(answer, knowledge)
            found = find_collisions(answer.distributions, self.catalogue, knowledge, self.today)
            met = (collision.components for collision in found)
            instead = instead_of_colliding(met, request.applying, request.stand_ins, knowledge)
            if instead:
                request = replace(request, stand_ins={**request.stand_ins, **instead})
                continue
            new = learn_conflicts(answer, found, request, knowledge, self.catalogue, self.today)
            if not new.facts:
                waived = NATIVE_COLLISION in request.waived
                clashing = [
                    collision for collision in found if collision.severity is Severity.WARN and not waived
                ]
                answer = replace(answer, warned=(*answer.warned, *clashing))
                return _Sound(solved=answer, request=request, knowledge=knowledge, learned=learned)
            learned |= {fact.id: fact.reason for fact in new.facts}
            dispensable |= new.dispensable
            knowledge = replace(knowledge, facts=knowledge.facts.plus(new.facts))
        return _Conflicting(facts=new.facts, request=request, knowledge=knowledge)

    def explained(self, left: _Conflicting) -> Refused | None:
        """Explain why no try led to an answer, as though releases before those tried were like them."""
        facts = left.knowledge.facts
        knowledge = replace(left.knowledge, facts=facts.plus(as_all_before(facts.added)))
        found = resolve(left.request, knowledge, self.catalogue, self.shared, objections=self.objections)
        return self._refused(found, knowledge) if isinstance(found, Unsolvable) else None

    def _refused(self, refusal: Unsolvable, knowledge: Knowledge) -> Refused:
        inherited = {one.component: one.group for one in self.group.wishes if one.group != self.group.name}
        return Refused(refusal=refusal, knowledge=knowledge, inherited=inherited)

    def remembering(self, found: _Sound, remembered: Sequence[Fact]) -> _Sound:
        """Return an answer shaped by what the lock has learned, too, where that costs nothing.

        That led to the pins of the lock, and does not show in an answer that keeps them.
        """
        again = tuple(
            fact
            for fact in remembered
            if fact.id not in found.knowledge.facts and not _is_waived(fact.id, found.request.waived)
        )
        if not again:
            return found
        knowledge = replace(found.knowledge, facts=found.knowledge.facts.plus(again))
        own = replace(self, tries=iter(range(_PREFERRING_TRIES)))
        better = own.without_conflicts(found.request, knowledge, Effort.TRY)
        if not isinstance(better, _Sound) or dearer(better.solved, found.solved, frozenset()):
            return found
        reasons = {fact.id: fact.reason for fact in again}
        return replace(better, learned={**found.learned, **reasons, **better.learned})

    def preferring(self, found: _Sound) -> _Sound:
        """Return the answer in which old wishes find more of what they use, and facts warn of less.

        That costs nothing else: it has no more to build, and the same releases of what the group asks for,
        but for those of which a fact warns and any version would do.
        It has a budget of tries of its own, because what code needs counts more. What was preferred is looked
        through as well: NumPy 2 has ``bool`` again, and 1.24, to which another name may lead, has not.
        """
        own = replace(self, tries=iter(range(_PREFERRING_TRIES)))
        while (better := own.preferred_to(found)).solved is not found.solved:
            found = better
        return better

    def preferred_to(self, found: _Sound) -> _Sound:
        """Return an answer that is better than the one found, or that one where none is."""
        wanted = preferences(found.solved, found.request, found.knowledge, self.catalogue)
        learned = {**found.learned, **{fact.id: fact.reason for fact in wanted}}
        left = {fact.id for fact in wanted}
        prices = dict(found.prices)
        for facts in (wanted, *((fact,) for fact in wanted)) if len(wanted) > 1 else (wanted,):
            if facts and left.issuperset(fact.id for fact in facts):
                knowledge = replace(found.knowledge, facts=found.knowledge.facts.plus(facts))
                better = self.without_conflicts(found.request, knowledge, Effort.TRY)
                if not isinstance(better, _Sound):
                    continue
                if price := dearer(better.solved, found.solved, free_wishes(facts, found.request)):
                    prices |= {fact.id: price for fact in facts}
                    continue
                learned |= better.learned
                left -= {fact.id for fact in facts}
                found = better
        request = replace(found.request, waived=found.request.waived | left)
        learned = {name: why for name, why in learned.items() if name not in left or not is_of_warning(name)}
        return replace(found, request=request, learned=learned, prices=prices)

    def with_needs_met(self, found: _Sound) -> Solved:
        """Return the answer with what its code imports and does not ask for, as far as that can be had.

        Later releases had to fix such code, but those who ask for a past time get what was there before.
        Needs are tried one at a time: that one cannot be met is no reason to leave another unmet.
        """
        met: tuple[Need, ...] = ()
        tried: list[Need] = []
        prices = found.prices
        lacking = self._lacking(found)
        learned = {**found.learned, **_reasons(lacking)}
        while more := next((need for need in lacking if need not in tried), None):
            tried.append(more)
            needing = replace(found.knowledge, needs=(*found.knowledge.needs, more))
            richer = self.without_conflicts(found.request, needing, Effort.ANSWER)
            if isinstance(richer, _Conflicting):
                break
            if isinstance(richer, _Sound):
                found, met, lacking = richer, (*met, more), self._lacking(richer)
                learned |= {**richer.learned, **_reasons(lacking)}
        pins = with_facts(found.solved.distributions, met)
        spared = {name: prices.get(name, "") for name in sorted(found.request.waived & learned.keys())}
        conflicts = {
            fact.id: fact.when
            for fact in found.knowledge.facts.added
            if fact.id in learned and not fact.file  # what the base has is there the next time, too
        }
        return replace(found.solved, distributions=pins, learned=learned, conflicts=conflicts, spared=spared)

    def _lacking(self, found: _Sound) -> tuple[Need, ...]:
        return unmet_needs(found.solved, found.request, found.knowledge, self.catalogue, self.today)


def _is_waived(conflict: str, waived: AbstractSet[str]) -> bool:
    """Whether a learned conflict, all of its kind, or the fact that it comes from is waived."""
    return not waived.isdisjoint((conflict, conflict.partition(":")[0], conflict.removeprefix(WARNED_OF)))


def _reasons(needs: Iterable[Need]) -> dict[str, str]:
    return {fact_of(need): need.reason for need in needs}


def sound_answer(
    request: Request,
    group: Group,
    knowledge: Knowledge,
    catalogue: IndexCatalogue,
    today: dt.date,
    shared: Shared,
    *,
    remembered: Sequence[Fact] = (),
    effort: Effort = Effort.REMEDY,
) -> Solved | Refused:
    """Find an answer whose wheels neither collide nor read names that others of it took away.

    Args:
        request: what is asked.
        group: whose request it is.
        knowledge: the knowledge base.
        catalogue: what the indexes offer.
        today: the day that findings are dated with.
        shared: what other solves over the same catalogue and knowledge base have worked out.
        remembered: what an earlier solve has learned, and does not show where its pins are kept.
        effort: how far to go before it is refused, and in refusing it.

    Raises:
        RefusedError: the answers still conflict when no tries are left.
        SurroundingsError: an index, or a file, could not be read.
    """
    against = partial(objections, request=request, knowledge=knowledge, catalogue=catalogue, today=today)
    tries = iter(range(_MAX_TRIES))
    search = _Search(
        group=group, catalogue=catalogue, today=today, shared=shared, objections=against, tries=tries
    )
    found = search.without_conflicts(request, knowledge, effort)
    if isinstance(found, Refused):
        return found
    if isinstance(found, _Sound):
        return search.with_needs_met(search.preferring(search.remembering(found, remembered)))
    if effort is Effort.REMEDY and (explained := search.explained(found)):
        return explained
    raise RefusedError(
        REMOVED_NAMES
        if found.facts and all(fact.id.startswith((REMOVED_NAMES, LACKING_NAMES)) for fact in found.facts)
        else NATIVE_COLLISION,
        f"{_MAX_TRIES} answers were tried, and in each something does not go together",
        where=f"group {group.name!r}",
        why="; ".join(fact.reason for fact in found.facts),
        hint="pin the distributions that should give way",
    )
