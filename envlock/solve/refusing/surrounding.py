"""What the nodes offer that conflicts with a refusal's facts, and which of its distributions need it.

A fact asks for a CUDA toolkit before 13. Why that is a conflict shows only beside two more lines: something
is compiled with a toolkit, and the nodes have none but 13.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envlock.model.component import PYTHON
from envlock.model.knowing.fact import Condition, Fact
from envlock.model.locked.pins import Reason
from envlock.model.project.toolchains import TOOLCHAIN
from envlock.solve.refusing.carried_components import best_release
from envlock.solve.requirements import Candidate, Level, Requirement
from envlock.solve.searching.solver import Solver


def surrounding(facts: Iterable[Fact], solver: Solver) -> Iterator[Candidate]:
    """Yield what the nodes offer of each system component for which they offer nothing that a fact allows."""
    for fact in facts:
        taken = [(condition, True) for condition in fact.then]
        refused = [(condition, False) for condition in fact.when if not fact.then]
        for condition, takes in (*taken, *refused):
            offered = _offered(condition.component, solver)
            if not any(_within(condition, candidate) is takes for candidate in offered):
                yield from offered


def requiring(component: str, named: Sequence[Requirement], solver: Solver) -> Iterator[Requirement]:
    """Yield what the best candidates of a refusal's distributions require of a component.

    Args:
        component: a system component.
        named: the requirements that the refusal names.
        solver: knows the candidates.
    """
    dependencies = solver.provider(solver.facts).get_dependencies
    for name in dict.fromkeys(asked.component for asked in named if asked.level is Level.MUST):
        best = best_release(name, named, solver)
        if best is not None and best.file is not None:
            for requirement in dependencies(best):
                if requirement.identifier == component and requirement.level is Level.MUST:
                    yield requirement


def of_toolchains(requirements: Iterable[Requirement], solver: Solver) -> Iterator[Reason]:
    """Yield the toolchains of an interpreter to blame, and of what is required and belongs to others."""
    interpreter = solver.request.interpreter
    required = {asked.identifier for asked in requirements}
    if PYTHON not in required or not interpreter.toolchain:
        return
    there = {f"python {interpreter.version}": interpreter.toolchain}
    for offer in solver.request.target.offers:
        if offer.component in required:
            there[f"{offer.component} {offer.version}"] = offer.properties.get(TOOLCHAIN, "")
    if set(there.values()) - {interpreter.toolchain, ""}:
        for name, toolchain in there.items():
            if toolchain:
                yield Reason(asked_by=name, wants=f"{TOOLCHAIN} {toolchain}", component=TOOLCHAIN)


def _offered(component: str, solver: Solver) -> list[Candidate]:
    if component == PYTHON or component not in solver.knowledge.systems:
        return []
    return [candidate for candidate in solver.candidates.of(component) if candidate.offer is not None]


def _within(condition: Condition, offered: Candidate) -> bool:
    return all(condition.holds(version, offered.via) for version in offered.versions)
