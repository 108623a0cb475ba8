"""Of the demands that led to a dead end, those that tell why there is none further on.

A search has decided on much by the time it comes to an end of which little is the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envlock.model.locked.pins import YOU
from envlock.solve.asks import FACT_PREFIX, UNUSABLE_PREFIX, Ask, Mood
from envlock.solve.blame import Demand
from envlock.solve.minimal import minimal
from envlock.solve.solver import Solver


def telling(led: Sequence[Demand], dead_end: Sequence[str], solver: Solver) -> Iterator[Ask]:
    """The asks of a dead end that have a part in it, and before them those for which their askers are there.

    That a member takes the place of ``mpi`` is how it is meant, and what the node has is in nobody's way.

    Args:
        led: all demands that led there, those that are nearest to the request first.
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
    """The demands that matter, in their order."""
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
    """Why a component is there in the version that it has: who wants it, and who leaves it less choice."""
    wanting = next((demand for demand in demands if demand.ask.mood is Mood.MUST), None)
    return [one for one in demands if one == wanting or not one.ask.range.everything]


def _needed(meant: list[Demand], dead_end: Sequence[str], solver: Solver) -> list[Demand]:
    """Of what is asked of a dead end that which leaves nothing of it already, as far as asks alone do.

    That SciPy be 1.7 or later has no part in a refusal of 1.13.
    """
    if any(demand.ask.identifier.startswith((FACT_PREFIX, UNUSABLE_PREFIX)) for demand in meant):
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
