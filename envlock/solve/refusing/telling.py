"""Those demands leading to a dead end that explain why there is no way on.

By the time a search reaches an end it has decided on much, and little of that is the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envlock.model.locked.pins import YOU
from envlock.solve.asks import OF_NO_COMPONENT, Ask, Mood
from envlock.solve.refusing.minimal import minimal
from envlock.solve.searching.blame import Demand
from envlock.solve.searching.solver import Solver


def telling(led: Sequence[Demand], dead_end: Sequence[str], solver: Solver) -> Iterator[Ask]:
    """Yield the asks that have a part in a dead end, preceded by those for which their askers are there.

    That a member takes the place of ``mpi`` is as intended, and what the node has is in nobody's way.

    Args:
        led: all demands that led there, those nearest to the request first.
        dead_end: what has no answer.
        solver: knows the candidates.
    """
    systems = solver.knowledge.systems
    for ask in dict.fromkeys(demand.ask for demand in _on_the_way(led, dead_end, solver)):
        virtual = systems[ask.identifier].members if ask.identifier in systems else ()
        asking = ask.asked_by.partition(" ")[0]
        if asking in virtual or (asking in systems and ask.identifier in systems[asking].members):
            continue
        if not _met_by_node(ask, solver):
            yield ask


def _on_the_way(led: Sequence[Demand], dead_end: Sequence[str], solver: Solver) -> list[Demand]:
    """Return the demands that matter, in their order."""
    level = _needed([demand for demand in led if demand.ask.identifier in dead_end], dead_end, solver)
    kept = dict.fromkeys(level)
    while level:
        askers = {demand.by for demand in level}
        asked = [demand for demand in led if demand.ask.identifier in askers and demand not in kept]
        level = [one for name in askers for one in _narrowing(_of(name, asked))]
        kept |= dict.fromkeys(level)
    return [demand for demand in led if demand in kept]


def _of(identifier: str, demands: Iterable[Demand]) -> list[Demand]:
    return [demand for demand in demands if demand.ask.identifier == identifier]


def _narrowing(demands: Sequence[Demand]) -> list[Demand]:
    """Return why a component is there in its version: who wants it, and who narrows its choice."""
    wanting = next((demand for demand in demands if demand.ask.mood is Mood.MUST), None)
    return [one for one in demands if one == wanting or not one.ask.range.everything]


def _needed(meant: list[Demand], dead_end: Sequence[str], solver: Solver) -> list[Demand]:
    """Return those demands on a dead end that already leave it nothing, as far as asks alone do.

    That SciPy be 1.7 or later has no part in a refusal of 1.13.
    """
    if any(demand.ask.identifier.startswith(OF_NO_COMPONENT) for demand in meant):
        return meant

    candidates = solver.candidates
    there = any(map(candidates.fixed, dead_end))

    def nothing(some: tuple[Demand, ...]) -> bool:
        asks = [demand.ask for demand in some]
        wanted = there or any(ask.mood is Mood.MUST for ask in asks)
        return wanted and not any(True for name in dead_end for _ in candidates.answering(name, asks))

    if not meant or not nothing(tuple(meant)):
        return meant
    own_first = sorted(meant, key=lambda demand: demand.ask.asked_by == YOU)
    needed = set(minimal(own_first, nothing))
    return [demand for demand in meant if demand in needed]


def _met_by_node(ask: Ask, solver: Solver) -> bool:
    """Whether an ask is for what the node has, so that it is not in the way."""
    candidates = solver.candidates
    return candidates.fixed(ask.identifier) and all(map(ask.satisfied_by, candidates.of(ask.identifier)))
