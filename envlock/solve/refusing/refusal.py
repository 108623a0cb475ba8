"""A refusal before it is explained, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Fact
from envlock.model.locked.pins import Unsolvable
from envlock.solve.building.unbuildable import Unbuildable, with_builds
from envlock.solve.refusing.core import Core, core_of, explain_refusal, refused_as_pinned
from envlock.solve.reopening import reopened
from envlock.solve.request import Request
from envlock.solve.searching.outcomes import Refuted
from envlock.solve.searching.solver import Solver


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A refusal, not yet explained; ``unbuildable`` has the facts' identifiers learned from failed plans."""

    solver: Solver
    refuted: Refuted
    learned: Sequence[Fact]
    unbuildable: Sequence[tuple[str, Unbuildable]]

    def core(self) -> Core:
        """Reduce what cannot hold together, by solving again."""
        return core_of(self.solver, self.refuted, self.learned)

    def reopened(self) -> Request | None:
        """Return the request with the releases of a later time that it missed; ``None`` if it missed none."""
        return None if self.solver.request.as_of is None else reopened(self.solver, self.core())

    def bare(self) -> Unsolvable | Request:
        """Return the refusal without reasons; or the request with the releases that it missed."""
        return self.reopened() or Unsolvable(component="", reasons=(), facts=(), excluded=())

    def explained(self) -> Unsolvable | Request:
        """Explain the refusal; or return the request with the releases that it missed, if it missed any."""
        if (refusal := refused_as_pinned(self.solver)) is not None:
            return refusal
        core = self.core()
        if (wider := reopened(self.solver, core)) is not None:
            return wider
        core_facts = {fact.id for fact in core.facts}
        met = (sdist for fact, sdist in self.unbuildable if fact in core_facts)
        return with_builds(explain_refusal(self.solver, core), met)
