"""Those demands leading to a dead end that explain why there is no way on.

By the time a search reaches an end it has decided on much, and little of that is the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envlock.model.locked.pins import YOU
from envlock.solve.refusing.minimal import minimal
from envlock.solve.requirements import OF_NO_COMPONENT, Level, Requirement
from envlock.solve.searching.blame import Demand
from envlock.solve.searching.solver import Solver


def relevant_requirements(
    led: Sequence[Demand], dead_end: Sequence[str], solver: Solver
) -> Iterator[Requirement]:
    """Yield the requirements that have a part in a dead end, preceded by those that brought their dependents.

    That a member takes the place of ``mpi`` is as intended, and what the node has is in nobody's way.

    Args:
        led: all demands that led there, those nearest to the request first.
        dead_end: what has no answer.
        solver: knows the candidates.
    """
    systems = solver.knowledge.systems
    for requirement in dict.fromkeys(demand.requirement for demand in _on_the_way(led, dead_end, solver)):
        virtual = systems[requirement.identifier].members if requirement.identifier in systems else ()
        asking = requirement.dependent
        if asking in virtual or (asking in systems and requirement.identifier in systems[asking].members):
            continue
        if not _met_by_node(requirement, solver):
            yield requirement


def _on_the_way(led: Sequence[Demand], dead_end: Sequence[str], solver: Solver) -> list[Demand]:
    """Return the demands that matter, in their order."""
    level = _needed([demand for demand in led if demand.requirement.identifier in dead_end], dead_end, solver)
    kept = dict.fromkeys(level)
    while level:
        dependents = {demand.parent for demand in level}
        leading = [
            demand for demand in led if demand.requirement.identifier in dependents and demand not in kept
        ]
        level = [requirement for name in dependents for requirement in _narrowing(_of(name, leading))]
        kept |= dict.fromkeys(level)
    return [demand for demand in led if demand in kept]


def _of(identifier: str, demands: Iterable[Demand]) -> list[Demand]:
    return [demand for demand in demands if demand.requirement.identifier == identifier]


def _narrowing(demands: Sequence[Demand]) -> list[Demand]:
    """Return why a component is there in its version: who wants it, and who narrows its choice."""
    wanting = next((demand for demand in demands if demand.requirement.level is Level.MUST), None)
    return [demand for demand in demands if demand == wanting or not demand.requirement.range.everything]


def _needed(meant: list[Demand], dead_end: Sequence[str], solver: Solver) -> list[Demand]:
    """Return those demands on a dead end that already leave it nothing, as far as requirements alone do.

    That SciPy be 1.7 or later has no part in a refusal of 1.13.
    """
    if any(demand.requirement.identifier.startswith(OF_NO_COMPONENT) for demand in meant):
        return meant

    candidates = solver.candidates
    there = any(map(candidates.fixed, dead_end))

    def nothing(some: tuple[Demand, ...]) -> bool:
        requirements = [demand.requirement for demand in some]
        wanted = there or any(requirement.level is Level.MUST for requirement in requirements)
        return wanted and not any(True for name in dead_end for _ in candidates.answering(name, requirements))

    if not meant or not nothing(tuple(meant)):
        return meant
    own_first = sorted(meant, key=lambda demand: demand.requirement.asked_by == YOU)
    needed = set(minimal(own_first, nothing))
    return [demand for demand in meant if demand in needed]


def _met_by_node(requirement: Requirement, solver: Solver) -> bool:
    """Whether a requirement is for what the node has, so that it is not in the way."""
    candidates = solver.candidates
    return candidates.fixed(requirement.identifier) and all(
        map(requirement.satisfied_by, candidates.of(requirement.identifier))
    )
