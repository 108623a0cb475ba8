"""What the distributions of a refusal carry that its facts speak of, such as the CUDA of a wheel.

The wish is for PyTorch, the fact is about CUDA, and what joins them is in neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envlock.judging.implied import implied_components
from envlock.model.knowing.fact import Fact
from envlock.model.locked.pins import Carried
from envlock.solve.requirements import Candidate, Level, Requirement
from envlock.solve.searching.solver import Solver


def carried_components(
    named: Sequence[Requirement], facts: Iterable[Fact], solver: Solver
) -> Iterator[Carried]:
    """Yield what the best release of each required distribution carries of what facts are about.

    Args:
        named: the requirements that the refusal names.
        facts: its facts; where one speaks of the distribution and the component, nothing is missing. Of what
            was learned from a wheel (``cuda-gpu-8.0#0``) the fact behind it counts, which names no wheel.
        solver: knows the candidates.
    """
    meant = [solver.knowledge.facts.named(fact.id.partition("#")[0]) or fact for fact in facts]
    spoken = [{condition.component for condition in (*fact.when, *fact.then)} for fact in meant]
    wanted = dict.fromkeys(requirement.component for requirement in named if requirement.level is Level.MUST)
    for name in wanted:
        best = best_release(name, named, solver)
        if best is None or best.file is None:
            continue
        knowledge, machine = solver.knowledge, solver.request.target.machine
        joined = set().union(*(about for about in spoken if about & knowledge.names_in_facts(name)))
        bundle = knowledge.bundle(name, best.version, machine)
        for component, version in implied_components(
            name, best.version, best.via, knowledge, machine
        ).items():
            if component not in joined and any(component in about for about in spoken):
                sources = bundle.sources if bundle is not None and component in bundle.components else ()
                yield Carried(distribution=str(best), component=component, version=version, sources=sources)


def best_release(name: str, named: Sequence[Requirement], solver: Solver) -> Candidate | None:
    """Return the best candidate of a distribution that a refusal's requirements, but not its facts, admit."""
    requirements = [
        requirement for requirement in named if requirement.identifier == name and not requirement.fact
    ]
    return next(solver.candidates.admitted(name, requirements, best_first=True), None)
