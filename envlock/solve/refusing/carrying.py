"""What the distributions of a refusal carry that its facts speak of, such as the CUDA of a wheel.

The wish is for PyTorch, the fact is about CUDA, and what joins them is in neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envlock.judging.implied import implied_components
from envlock.model.knowing.fact import Fact
from envlock.model.locked.pins import Carried
from envlock.solve.asks import Ask, Candidate, Mood, split_extra
from envlock.solve.searching.solver import Solver


def carrying(told: Sequence[Ask], facts: Iterable[Fact], solver: Solver) -> Iterator[Carried]:
    """Yield what the best release of each distribution that is asked for carries of what facts are about.

    Args:
        told: the asks that the refusal names.
        facts: its facts; where one speaks of the distribution and the component, nothing is missing.
        solver: knows the candidates.
    """
    spoken = [{one.component for one in (*fact.when, *fact.then)} for fact in facts]
    wanted = dict.fromkeys(split_extra(ask.identifier)[0] for ask in told if ask.mood is Mood.MUST)
    for name in wanted:
        best = _best(name, told, solver)
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


def _best(name: str, told: Sequence[Ask], solver: Solver) -> Candidate | None:
    asks = [ask for ask in told if ask.identifier == name and not ask.fact]
    return next(solver.candidates.admitted(name, asks, best_first=True), None)
