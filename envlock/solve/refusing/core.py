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
from envlock.solve.era import era_of_interpreter, newest_pin
from envlock.solve.offers.releases import PUBLISHED_AFTER
from envlock.solve.refusing.carried_components import carried_components
from envlock.solve.refusing.left_out import kept_elsewhere, left_out, passed_over
from envlock.solve.refusing.minimal import minimal
from envlock.solve.refusing.relevant_demands import relevant_requirements
from envlock.solve.refusing.surrounding import of_toolchains, requiring, surrounding
from envlock.solve.request import exact_version
from envlock.solve.requirements import UNUSABLE_PREFIX, Candidate, Level, Requirement, split_extra
from envlock.solve.searching.blame import Demand
from envlock.solve.searching.outcomes import Refuted
from envlock.solve.searching.solver import Solver

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """The smallest part of a request that cannot be answered.

    Attributes:
        requirements: the request's own in it.
        facts: the facts in it.
        led: the demands that led to the last dead end, the request's own first.
        dead_end: that dead end, if it is known.
        unmet: requirements that nothing meets, each on its own, in any dead end.
    """

    requirements: tuple[Requirement, ...]
    facts: tuple[Fact, ...]
    led: tuple[Demand, ...]
    dead_end: tuple[str, ...]
    unmet: frozenset[Requirement] = frozenset()

    @property
    def chain(self) -> tuple[Requirement, ...]:
        """The requirements of these demands."""
        return tuple(demand.requirement for demand in self.led)


def core_of(solver: Solver, refuted: Refuted, learned: Sequence[Fact]) -> Core:
    """Reduce a refusal to a minimal core by re-solving.

    What the refusal was blamed on suffices for it; wishes and facts are deleted from that as long as the
    rest still cannot be answered.
    """
    requirements, facts = _blamed(solver, refuted, learned)
    facts = minimal(facts, lambda some: solver.refutes(requirements, Facts.listed(some)))
    requirements = minimal(requirements, lambda some: solver.refutes(some, Facts.listed(facts)))
    last = solver.refutation(requirements, Facts.listed(facts))
    if not isinstance(last, Refuted):
        return Core(requirements=requirements, facts=facts, led=(), dead_end=())
    last, implied = _within_pins(solver, last, requirements, facts)
    return Core(
        requirements=requirements,
        facts=facts,
        led=tuple(demand for demand in last.led if demand.requirement not in implied),
        dead_end=(last.identifier,),
        unmet=last.unmet - implied,
    )


def _blamed(
    solver: Solver, refuted: Refuted, learned: Sequence[Fact]
) -> tuple[tuple[Requirement, ...], tuple[Fact, ...]]:
    """Return the request's own requirements and the facts that already have no answer together."""
    requirements = (asked for asked in solver.requirements() if asked in refuted.requirements)
    known = (solver.facts.named(name) for name in sorted(refuted.facts))
    met = (fact for fact in learned if fact.id in refuted.facts)
    return tuple(requirements), (*filter(None, known), *met)


def _within_pins(
    solver: Solver, last: Refuted, requirements: Sequence[Requirement], facts: Sequence[Fact]
) -> tuple[Refuted, frozenset[Requirement]]:
    """Return a refutation in which pins hold for their extras as well, and what that adds to the request.

    That an extra of another release than the pinned one needs that release explains nothing. Where no search
    for a better explanation reaches an end, the last one stands.
    """
    implied: frozenset[Requirement] = frozenset()
    while new := frozenset(_of_extras(last.led, requirements)) - implied:
        implied |= new
        added = sorted(implied, key=lambda requirement: requirement.identifier)
        try:
            within = solver.refutation((*requirements, *added), Facts.listed(facts))
        except RefusedError:
            break
        if not isinstance(within, Refuted):
            break
        last = within
    return last, implied


def _of_extras(led: Iterable[Demand], requirements: Iterable[Requirement]) -> Iterator[Requirement]:
    """Yield what the request's bounds on distributions mean for those of their extras that came up."""
    bounds = [
        requirement
        for requirement in requirements
        if requirement.level is Level.MUST and not requirement.range.everything
    ]
    for identifier in dict.fromkeys(demand.requirement.identifier for demand in led):
        name, extra = split_extra(identifier)
        if extra:
            yield from (
                replace(bound, identifier=identifier, level=Level.MAY)
                for bound in bounds
                if bound.identifier == name
            )


def explain_refusal(solver: Solver, core: Core) -> Unsolvable:
    """Explain a refusal by what conflicts in its core."""
    requirements, facts, chain, dead_end = core.requirements, core.facts, core.chain, core.dead_end
    named = next(
        iter((*(() if facts else dead_end), *(requirement.identifier for requirement in requirements))), ""
    )
    component = split_extra(named.removeprefix(UNUSABLE_PREFIX).partition(" ")[0])[0]
    leading = dict.fromkeys((*requirements, *relevant_requirements(core.led, dead_end, solver)))
    reasons = dict.fromkeys(_reason(requirement) for requirement in leading if requirement.asked_by != NODE)
    by_node = [
        requirement.identifier for requirement in (*requirements, *chain) if requirement.asked_by == NODE
    ]
    for name in (*filter(solver.candidates.fixed, (*by_node, *dead_end)), *_members_offered(chain, solver)):
        reasons |= dict.fromkeys(
            _there(candidate) for candidate in solver.candidates.of(name) if candidate.provider is None
        )
    for candidate in surrounding(facts, solver):
        reasons |= dict.fromkeys(map(_reason, requiring(candidate.identifier, tuple(leading), solver)))
        reasons[_there(candidate)] = None
    reasons |= dict.fromkeys(of_toolchains(requirements, solver))
    reasons |= dict.fromkeys(_forms(solver, core))
    wanted = _wanted(component, (*requirements, *chain))
    others = {name: ranges for name, ranges in _ranges(facts, chain).items() if name != component}
    # Of what a wheel bundles, another release's wheel may bundle less: people ask why none of those.
    besides = {
        name: ranges
        for name, ranges in _ranges((), leading).items()
        if name != component and name in solver.knowledge.bundles
    }
    ruled_out = any(
        requirement.asked_by == EXCLUSION and requirement.identifier == component for requirement in leading
    )
    excluded = (  # what else keeps a release out has no part where the group wants none
        *(() if ruled_out else left_out(component, wanted, solver)),
        *passed_over(besides, solver),
        *kept_elsewhere(others, solver),
    )
    if any(PUBLISHED_AFTER in text for text in excluded):
        reasons |= dict.fromkeys(_dating(solver))
    return Unsolvable(
        component=component,
        reasons=tuple(reasons),
        facts=tuple(dict.fromkeys(fact.id.partition("#")[0] for fact in facts)),
        excluded=excluded,
        carried=tuple(carried_components(tuple(leading), facts, solver)),
    )


def _members_offered(chain: Sequence[Requirement], solver: Solver) -> Iterator[str]:
    """Yield what the target offers in place of a virtual component of the chain, such as the MPI."""
    systems = solver.knowledge.systems
    for requirement in chain:
        asking = requirement.dependent
        members = systems[requirement.identifier].members if requirement.identifier in systems else ()
        if asking in members and solver.request.target.offered(asking):
            yield asking


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
        any_way = fact is None or not any(condition.via for condition in (*fact.when, *fact.then))
        certain = any_way and all(name in pins for name in finding.components)
        if finding.severity is Severity.REFUSE and certain:
            reasons = tuple(
                Reason(asked_by=YOU, wants=texts[name], component=name) for name in finding.components
            )
            return Unsolvable(
                component=reasons[-1].component, reasons=reasons, facts=(finding.fact,), excluded=()
            )
    return None


def _reason(requirement: Requirement) -> Reason:
    wants = str(requirement)
    if requirement.asked_by in {CONSTRAINT, EXCLUSION}:
        wants = f"{requirement.identifier} {requirement.range.text}".rstrip()
    own = requirement.identifier.startswith(UNUSABLE_PREFIX)
    component = split_extra(requirement.dependent)[0] if own else requirement.component
    return Reason(
        asked_by=requirement.asked_by,
        wants=wants,
        component=component,
        override=requirement.override,
        own=own,
        because=requirement.because,
    )


def _dating(solver: Solver) -> Iterator[Reason]:
    """Yield the pin that sets the cut-off, where pins do, with the interpreter if that is younger."""
    request = solver.request
    pin = None
    if request.era_of_pins:
        pin = newest_pin(request.dating, request.interpreter, solver.knowledge, solver.catalogue)
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
    named = dict.fromkeys(requirement.component for requirement in (*core.requirements, *core.chain))
    concerned = [name for name in named if forms.of(name, direct=name in request.direct)]

    def fails(some: Sequence[str]) -> bool:
        policy = replace(request.policy, forms=forms.of_these(some))
        other = solver.of(replace(request, policy=policy))
        return other.refutes(core.requirements, Facts.listed(core.facts))

    for name in minimal(concerned, fails):
        asked_by = NO_BINARY if forms.of(name) is Via.BUILD else ONLY_BINARY
        yield Reason(asked_by=asked_by, wants=name, component=name)


def _there(candidate: Candidate) -> Reason:
    """Return what the node has, where it leaves no choice."""
    wants = f"{candidate.identifier} {', '.join(candidate.versions)}"
    return Reason(asked_by=NODE, wants=wants, component=candidate.identifier)


def _ranges(facts: Iterable[Fact], chain: Iterable[Requirement]) -> dict[str, list[Range]]:
    """Map each component to the ranges that facts, and requirements on the way to a dead end, want of it."""
    found: dict[str, list[Range]] = {}
    for condition in (condition for fact in facts for condition in fact.then):
        found.setdefault(condition.component, []).append(condition.range)
    for requirement in (requirement for requirement in chain if requirement.level is not Level.MUST_NOT):
        found.setdefault(requirement.component, []).append(requirement.range)
    return found


def _wanted(component: str, requirements: Iterable[Requirement]) -> list[Range]:
    """Return the ranges in which a component was required, as written; every version if none."""
    found = (
        requirement.range
        for requirement in requirements
        if requirement.component == component and requirement.level is not Level.MUST_NOT
    )
    return list(dict.fromkeys(found)) or [Range.versions("")]
