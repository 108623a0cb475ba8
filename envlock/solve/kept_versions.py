"""What a solve holds on to of a lock: every version that is still on offer."""

from __future__ import annotations

from envlock.model.errors import SurroundingsError
from envlock.model.knowing.knowledge import index_name
from envlock.solve.requirements import LOCK, Requirement, held_requirements
from envlock.solve.searching.solver import Solver


def versions_to_keep(solver: Solver) -> tuple[Requirement, ...]:
    """Return requirements that hold everything at the version to keep, if it is there at all.

    Holding a version that is no longer a candidate (later than a new cut-off, yanked, not for this node)
    would rule out whatever needs its component, so that some ancient release without that need is taken.
    """
    request = solver.request
    held = tuple(held_requirements(request.preferred, LOCK))
    if request.building:  # what to keep are pins just made, of which few are needed
        return held
    solver.catalogue.prefetch(
        index_name(name) for name in request.preferred if name not in solver.knowledge.systems
    )
    return tuple(requirement for requirement in held if _on_offer(requirement, solver))


def _on_offer(held: Requirement, solver: Solver) -> bool:
    """Whether the version is a candidate; assumed where its index fails: only who wants it need know."""
    try:
        return any(True for _ in solver.candidates.answering(held.identifier, (held,)))
    except SurroundingsError:
        return True
