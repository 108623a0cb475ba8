"""Why a request cannot be answered: the smallest set of wishes and facts that already cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from envlock.judging.judge import judge
from envlock.model.component import Range, Via
from envlock.model.errors import RefusedError
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Fact, Severity
from envlock.model.knowing.facts import Facts
from envlock.model.knowing.finding import Chosen
from envlock.model.locked.pins import (
    CONSTRAINT,
    ERA,
    EXCLUSION,
    NO_BINARY,
    NODE,
    ONLY_BINARY,
    YOU,
    Reason,
    Unsolvable,
)
from envlock.solve.asks import UNUSABLE_PREFIX, Ask, Candidate, Mood, split_extra
from envlock.solve.era import era_of_interpreter, newest_pin
from envlock.solve.offers.releases import PUBLISHED_AFTER
from envlock.solve.refusing.carrying import carrying
from envlock.solve.refusing.left_out import kept_elsewhere, left_out, passed_over
from envlock.solve.refusing.minimal import minimal
from envlock.solve.refusing.telling import telling
from envlock.solve.request import exact_version
from envlock.solve.searching.blame import Demand
from envlock.solve.searching.outcomes import Refuted
from envlock.solve.searching.solver import Solver

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """The smallest part of a request that cannot be answered.

    Attributes:
        asks: the request's own asks in it.
        facts: the facts in it.
        led: the demands that led to the last dead end, the request's own first.
        dead_end: that dead end, if it is known.
        unmet: asks that nothing answers, each on its own, in any dead end.
    """

    asks: tuple[Ask, ...]
    facts: tuple[Fact, ...]
    led: tuple[Demand, ...]
    dead_end: tuple[str, ...]
    unmet: frozenset[Ask] = frozenset()

    @property
    def chain(self) -> tuple[Ask, ...]:
        """What is asked there."""
        return tuple(demand.ask for demand in self.led)


def core_of(solver: Solver, refuted: Refuted, learned: Sequence[Fact]) -> Core:
    """Reduce a refusal to a minimal core by re-solving.

    What the refusal was blamed on suffices for it; wishes and facts are deleted from that as long as the
    rest still cannot be answered.
    """
    asks = tuple(ask for ask in solver.asks() if ask in refuted.asks)
    known = (solver.facts.named(name) for name in sorted(refuted.facts))
    met = [fact for fact in learned if fact.id in refuted.facts]
    facts = (*filter(None, known), *met)
    facts = minimal(facts, lambda some: _fails(solver, asks, some))
    asks = minimal(asks, lambda some: _fails(solver, some, facts))
    last = solver.refutation(asks, Facts.listed(facts))
    if not isinstance(last, Refuted):
        return Core(asks=asks, facts=facts, led=(), dead_end=())
    dead_end = (last.identifier,)
    return Core(asks=asks, facts=facts, led=last.led, dead_end=dead_end, unmet=last.unmet)


def explain_refusal(solver: Solver, core: Core) -> Unsolvable:
    """Explain a refusal by what conflicts in its core."""
    asks, facts, chain, dead_end = core.asks, core.facts, core.chain, core.dead_end
    named = next(iter((*(() if facts else dead_end), *(ask.identifier for ask in asks))), "")
    component = split_extra(named.removeprefix(UNUSABLE_PREFIX).partition(" ")[0])[0]
    told = dict.fromkeys((*asks, *telling(core.led, dead_end, solver)))
    reasons = dict.fromkeys(_reason(ask) for ask in told if ask.asked_by != NODE)
    by_node = [ask.identifier for ask in (*asks, *chain) if ask.asked_by == NODE]
    for name in (*filter(solver.candidates.fixed, (*by_node, *dead_end)), *_members_offered(chain, solver)):
        reasons |= dict.fromkeys(_there(one) for one in solver.candidates.of(name) if one.provider is None)
    reasons |= dict.fromkeys(_forms(solver, core))
    wanted = _wanted(component, (*asks, *chain))
    kept_at = solver.knowledge.kept_at
    others = {name: ranges for name, ranges in _ranges(facts, chain).items() if name != component}
    # Of what a wheel bundles, another release's wheel may bundle less: people ask why none of those.
    besides = {
        name: ranges
        for name, ranges in _ranges((), told).items()
        if name != component and name in solver.knowledge.bundles
    }
    ruled_out = any(ask.asked_by == EXCLUSION and ask.identifier == component for ask in told)
    excluded = (  # what else keeps a release out has no part where the group wants none
        *(() if ruled_out else left_out(component, solver.candidates, wanted, solver.knowledge)),
        *passed_over(besides, solver.candidates),
        *kept_elsewhere(others, solver.candidates, kept_at),
    )
    if any(PUBLISHED_AFTER in text for text in excluded):
        reasons |= dict.fromkeys(_dating(solver))
    return Unsolvable(
        component=component,
        reasons=tuple(reasons),
        facts=tuple(dict.fromkeys(fact.id.partition("#")[0] for fact in facts)),
        excluded=excluded,
        carried=tuple(carrying(tuple(told), facts, solver)),
    )


def _members_offered(chain: Sequence[Ask], solver: Solver) -> Iterator[str]:
    """Yield what the target offers in place of a virtual component of the chain, such as the MPI."""
    systems = solver.knowledge.systems
    for ask in chain:
        asking = ask.asked_by.partition(" ")[0]
        members = systems[ask.identifier].members if ask.identifier in systems else ()
        if asking in members and solver.request.target.offered(asking):
            yield asking


def _fails(solver: Solver, asks: Iterable[Ask], facts: Iterable[Fact]) -> bool:
    try:
        return isinstance(solver.attempt(asks, Facts.listed(facts)), Refuted)
    except RefusedError:
        return False  # undecided within the bounds: such a subset explains nothing


def refused_as_pinned(solver: Solver) -> Unsolvable | None:
    """Return the refusal if the user's own exact pins already violate a fact, whatever is on offer."""
    texts = {}
    pins = {}
    for wish in solver.request.applying:
        pinned = exact_version(wish.requirement.specifier) if wish.requirement else wish.range.pinned
        if pinned:
            pins[wish.component] = (Chosen(version=pinned),)
            texts[wish.component] = f"{wish.component} {wish.range.text}"
    for finding in judge(pins, solver.knowledge, waived=solver.request.waived).findings:
        fact = solver.facts.named(finding.fact)
        any_way = fact is None or not any(one.via for one in (*fact.when, *fact.then))
        certain = any_way and all(name in pins for name in finding.components)
        if finding.severity is Severity.REFUSE and certain:
            reasons = tuple(
                Reason(asked_by=YOU, wants=texts[name], component=name) for name in finding.components
            )
            return Unsolvable(
                component=reasons[-1].component, reasons=reasons, facts=(finding.fact,), excluded=()
            )
    return None


def _reason(ask: Ask) -> Reason:
    wants = str(ask)
    if ask.asked_by in {CONSTRAINT, EXCLUSION}:
        wants = f"{ask.identifier} {ask.range.text}".rstrip()
    own = ask.identifier.startswith(UNUSABLE_PREFIX)
    component = split_extra(ask.asked_by.partition(" ")[0] if own else ask.identifier)[0]
    return Reason(
        asked_by=ask.asked_by,
        wants=wants,
        component=component,
        override=ask.override,
        own=own,
        because=ask.because,
    )


def _dating(solver: Solver) -> Iterator[Reason]:
    """Yield the pin that sets the cut-off, where pins do, with the interpreter if that is younger."""
    request = solver.request
    pin = None
    if request.era_of_pins:
        pin = newest_pin(request.telling, request.interpreter, solver.knowledge, solver.catalogue)
    if pin is not None:
        younger = request.as_of == era_of_interpreter(request.interpreter, solver.knowledge)
        beside = " with Python {}.{}".format(*request.interpreter.release[:2]) if younger else ""
        wants = (
            f"{f'{pin.component} {pin.range.text}'.rstrip()}{beside}, and so releases up to {request.as_of}"
        )
        yield Reason(asked_by=ERA, wants=wants, component=pin.component)


def _forms(solver: Solver, core: Core) -> Iterator[Reason]:
    """Yield the distributions whose demanded form, wheel or build, keeps the core from an answer."""
    request, forms = solver.request, solver.request.policy.forms
    named = dict.fromkeys(split_extra(ask.identifier)[0] for ask in (*core.asks, *core.chain))
    concerned = [name for name in named if forms.of(name, direct=name in request.direct)]

    def fails(some: Sequence[str]) -> bool:
        policy = replace(request.policy, forms=forms.of_these(some))
        return _fails(solver.of(replace(request, policy=policy)), core.asks, core.facts)

    for name in minimal(concerned, fails):
        asked_by = NO_BINARY if forms.of(name) is Via.BUILD else ONLY_BINARY
        yield Reason(asked_by=asked_by, wants=name, component=name)


def _there(candidate: Candidate) -> Reason:
    """Return what the node has, where it leaves no choice."""
    wants = f"{candidate.identifier} {', '.join(candidate.versions)}"
    return Reason(asked_by=NODE, wants=wants, component=candidate.identifier)


def _ranges(facts: Iterable[Fact], chain: Iterable[Ask]) -> dict[str, list[Range]]:
    """Map each component to the ranges that facts, and asks on the way to a dead end, want of it."""
    found: dict[str, list[Range]] = {}
    for condition in (one for fact in facts for one in fact.then):
        found.setdefault(condition.component, []).append(condition.range)
    for ask in (one for one in chain if one.mood is not Mood.NOT):
        found.setdefault(split_extra(ask.identifier)[0], []).append(ask.range)
    return found


def _wanted(component: str, asks: Iterable[Ask]) -> list[Range]:
    """Return the ranges that a component was asked to be in, as they were written; every version if none."""
    found = (
        ask.range for ask in asks if split_extra(ask.identifier)[0] == component and ask.mood is not Mood.NOT
    )
    return list(dict.fromkeys(found)) or [Range.versions("")]
