"""What a lock has and a solve holds on to: every version that still is on offer."""

from __future__ import annotations

from envlock.model.errors import SurroundingsError
from envlock.model.knowing.knowledge import index_name
from envlock.solve.asks import LOCK, Ask, held_asks
from envlock.solve.solver import Solver


def versions_to_keep(solver: Solver) -> tuple[Ask, ...]:
    """Asks that hold everything at the version to keep, if it is there at all.

    A version that is no candidate any more (later than a new cut-off, yanked, not for this node) would rule
    out whoever needs its component, and an ancient release that does not need it would do.
    """
    request = solver.request
    held = tuple(held_asks(request.preferred, LOCK))
    if request.building:  # what to keep are pins of just now, of which few are needed
        return held
    solver.catalogue.prefetch(
        index_name(name) for name in request.preferred if name not in solver.knowledge.systems
    )
    return tuple(ask for ask in held if _on_offer(ask, solver))


def _on_offer(held: Ask, solver: Solver) -> bool:
    """Whether the version is a candidate; yes where its index cannot tell: only who wants it need know."""
    try:
        return any(True for _ in solver.candidates.answering(held.identifier, (held,)))
    except SurroundingsError:
        return True
