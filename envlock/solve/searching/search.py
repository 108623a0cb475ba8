"""An exact search: where it finds no answer there is none, and it names wishes and facts that rule it out.

Depth first over the identifiers with the fewest answers left, with conflict-directed backjumping: every dead
end is blamed on decisions, wishes and facts without which it would be none, and the search goes back to the
latest decision among them (P. Prosser, "Hybrid Algorithms for the Constraint Satisfaction Problem",
Computational Intelligence 9(3), 1993). Unlike resolvelib's, these jumps never skip an answer, as long as
one more requirement never leaves more candidates. With pre-releases it may, so "no" is proved with all of
them. What fails by wishes and facts alone, or by them and a few decisions, is kept as a nogood and not tried
again; nor is a decision blamed that excludes nothing more: that no jaxlib answers any JAX is no reason to try
each release of what wants JAX. What keeps falling to one decision is decided before that (``promotions.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

from envlock.solve.requirements import Candidate, Level, Requirement
from envlock.solve.searching.blame import NOBODY, Blame, Demand, Frame
from envlock.solve.searching.dead_ends import DeadEnds
from envlock.solve.searching.nogoods import Nogood, Nogoods
from envlock.solve.searching.outcomes import Found, Refuted, Undecided
from envlock.solve.searching.promotions import Promotions
from envlock.solve.searching.provider import Provider

_MANY = 10
"""Answers beyond which it does not matter how many more a component has."""
_LOOKS = 30
"""Candidates in one dead end that are examined untried, each of which may mean a file to read."""


class Search:
    """One search; ``decisions`` counts what it tried.

    Args:
        provider: answers for components under the facts that count.
        nogoods: what earlier searches for the same request have proved; what this one proves is added
            if all pre-releases count: else it may rest on no requirement having named one so far.
    """

    def __init__(self, provider: Provider, nogoods: Nogoods | None = None) -> None:
        self._provider = provider
        self._nogoods = Nogoods() if nogoods is None else nogoods
        self._roots: frozenset[Requirement] = frozenset()
        self._demands: dict[str, list[Demand]] = {}
        self._matches: dict[str, Iterable[Candidate]] = {}
        self._forced: dict[str, Blame | None] = {}
        self._pins: dict[str, Candidate] = {}
        self._stack: list[Frame] = []
        self._looked_at: set[Candidate] = set()
        self._dead_ends = DeadEnds(provider, self._demands)
        self._promotions = Promotions()
        self.decisions = 0

    def run(self, requirements: Iterable[Requirement], *, bound: int) -> Found | Refuted | Undecided:
        """Search for an answer, with at most ``bound`` decisions."""
        self._roots = frozenset(requirements)
        for requirement in requirements:
            self._add(Demand(requirement, NOBODY))
        while True:
            identifier = self._next()
            if identifier is None:
                return self._found()
            matches = self._answers(identifier)
            if next(iter(matches), None) is None:
                self._dead_ends.remember(identifier)
                self._dead_ends.note_unmet(demand.requirement for demand in self._demands[identifier])
            self._stack.append(Frame(identifier, iter(matches)))
            while not self._advance():
                blame = self._retreat()
                if not self._stack:
                    return self._dead_ends.refuted(blame)
                if self._fell(self._stack[-1], blame):
                    break
            if self.decisions > bound:
                return Undecided()

    def _advance(self) -> bool:
        """Decide on the next candidate of the latest frame that goes with all decisions before it.

        Return whether the search may go on from where it now is.
        """
        frame = self._stack[-1]
        for candidate in frame.rest:
            if (known := self._nogood(candidate)) is not None:
                frame.blame = frame.blame.joined(Blame.known(known))
                continue
            self.decisions += 1
            frame.tried = candidate
            self._pins[frame.identifier] = candidate
            clash = None
            for requirement in self._provider.get_dependencies(candidate):
                demand = Demand(requirement, frame.identifier)
                self._add(demand)
                frame.required.append(requirement.identifier)
                pinned = self._pins.get(requirement.identifier)
                if pinned is not None and not self._provider.is_satisfied_by(requirement, pinned):
                    clash = demand
                    break
            if clash is None:
                return True
            self._dead_ends.remember(clash.requirement.identifier)
            self._look_at(candidate)
            fallen = clash.blame.joined(Blame(frozenset({clash.requirement.identifier})))
            self._undo(frame)
            if self._fell(frame, fallen):
                return True
        return False

    def _fell(self, frame: Frame, blame: Blame) -> bool:
        """Blame a frame for what its last candidate failed on, and keep that as a nogood.

        Return whether the search went back beyond a decision that the frame's component keeps falling to.
        """
        fallen = blame.without(frame.identifier)
        frame.blame = frame.blame.joined(fallen)
        always, free = fallen._replace(pins=frozenset()), []
        for pin in fallen.pins:
            forced = self._why_forced(pin)
            if forced is None:
                free.append(pin)
            else:
                always = always.joined(forced)
        if frame.tried is not None and self._provider.all_pre_releases:
            beside = frozenset(self._pins[pin] for pin in free)
            self._nogoods.add(frame.tried, Nogood(always.requirements, always.facts, beside))
        beyond = self._promotions.beyond(frame.identifier, free)
        if beyond is None:
            return False
        self._leave(beyond)
        return True

    def _leave(self, identifier: str) -> None:
        """Take back a component's decision and all after it."""
        left = ""
        while left != identifier:
            frame = self._stack.pop()
            self._undo(frame)
            left = frame.identifier

    def _why_forced(self, identifier: str) -> Blame | None:
        """Return what narrows a component to one candidate; ``None`` if it rests on decisions too."""
        if identifier not in self._forced:
            some = tuple(islice(self._answers(identifier), 2))
            blame = self._narrowing(identifier) if len(some) == 1 else None
            self._forced[identifier] = None if blame is None or blame.pins else blame
        return self._forced[identifier]

    def _nogood(self, candidate: Candidate) -> Nogood | None:
        return self._nogoods.of(candidate, self._roots, self._provider.facts, self._pins)

    def _falls(self, candidate: Candidate) -> Nogood | None:
        """Return what rules out a candidate in every answer, as far as one look at it tells."""
        return self._nogood(candidate) or self._look_at(candidate)

    def _look_at(self, candidate: Candidate) -> Nogood | None:
        """Check whether what a candidate requires of one component leaves it no candidate, and keep that."""
        if not self._provider.all_pre_releases or candidate in self._looked_at:
            return None
        self._looked_at.add(candidate)
        required: dict[str, set[Requirement]] = {}
        for requirement in self._provider.get_dependencies(candidate):
            required.setdefault(requirement.identifier, set()).add(requirement)
        for identifier, requirements in required.items():
            wished = {requirement for requirement in self._roots if requirement.identifier == identifier}
            demands = [Demand(requirement, NOBODY) for requirement in requirements | wished]
            answers = self._provider.answers(identifier, frozenset(requirements | wished))
            if self._decided(identifier, demands) and next(iter(answers), None) is None:
                nogood = Nogood(
                    frozenset(wished),
                    frozenset(requirement.fact for requirement in requirements if requirement.fact),
                )
                self._nogoods.add(candidate, nogood)
                self._dead_ends.note_unmet(requirements)
                return nogood
        return None

    def _retreat(self) -> Blame:
        """Leave the exhausted frame, and go back to the latest decision that it blames, or to none."""
        frame = self._stack.pop()
        blame = frame.blame.joined(self._narrowing(frame.identifier))
        while self._stack:
            frame = self._stack[-1]
            self._undo(frame)
            if frame.identifier in blame.pins:
                break
            self._stack.pop()
        return blame

    def _narrowing(self, identifier: str) -> Blame:
        """Return what is to blame that a component has no more candidates than those that were tried.

        Demands that exclude nothing which the others admit have no part in it; to blame them would send the
        search back to decisions that change nothing.
        """
        demands = list(self._demands.get(identifier, ()))
        matches = frozenset(self._answers(identifier))
        blame = Blame()
        for demand in sorted(demands, key=lambda demand: demand.parent == NOBODY):
            others = [other for other in demands if other is not demand]
            if self._decided(identifier, others):
                fallen = self._beyond(identifier, others, matches)
                if fallen is not None:
                    demands, blame = others, blame.joined(fallen)
        for demand in demands:
            blame = blame.joined(demand.blame)
        return blame

    def _beyond(
        self, identifier: str, demands: Iterable[Demand], matches: Collection[Candidate]
    ) -> Blame | None:
        """Return what rules out candidates that demands admit beside the matches; ``None`` if one may do."""
        blame = Blame()
        requirements = {demand.requirement for demand in demands}
        looks = len(self._looked_at) + _LOOKS
        for candidate in self._provider.answers(identifier, frozenset(requirements)):
            if candidate in matches:
                continue
            may_look = len(self._looked_at) < looks
            nogood = self._falls(candidate) if may_look else self._nogood(candidate)
            if nogood is None:
                return None
            blame = blame.joined(Blame.known(nogood))
        return blame

    def _undo(self, frame: Frame) -> None:
        for identifier in reversed(frame.required):
            self._demands[identifier].pop()
            self._matches.pop(identifier, None)
            self._forced.pop(identifier, None)
        frame.required.clear()
        self._pins.pop(frame.identifier, None)

    def _add(self, demand: Demand) -> None:
        self._demands.setdefault(demand.requirement.identifier, []).append(demand)
        self._matches.pop(demand.requirement.identifier, None)
        self._forced.pop(demand.requirement.identifier, None)

    def _next(self) -> str | None:
        """Return the open identifier with the fewest answers, a promoted one first.

        One that has none shows a dead end early, so that comes before all.
        """
        first: tuple[bool, int, str] | None = None
        for identifier, demands in self._demands.items():
            if identifier in self._pins or not self._decided(identifier, demands):
                continue  # what nobody wants is absent
            later = identifier not in self._promotions
            most = _MANY if first is None or later < first[0] else first[1] if later == first[0] else 0
            left = self._count(identifier, most)
            place = (later and left > 0, left, identifier)
            if first is None or place < first:
                first = place
        return first[2] if first else None

    def _count(self, identifier: str, most: int) -> int:
        """Count the candidates left that no nogood rules out, up to one beyond ``most``."""
        left = (answer for answer in self._answers(identifier) if self._nogood(answer) is None)
        return sum(1 for _ in islice(left, most + 1))

    def _decided(self, identifier: str, demands: Collection[Demand]) -> bool:
        """Whether a component must be decided: somebody wants it, or mentions it and the node has it."""
        wanted = any(demand.requirement.level is Level.MUST for demand in demands)
        return wanted or (bool(demands) and self._provider.fixed(identifier))

    def _answers(self, identifier: str) -> Iterable[Candidate]:
        if identifier not in self._matches:
            requirements = frozenset(demand.requirement for demand in self._demands.get(identifier, ()))
            self._matches[identifier] = self._provider.answers(identifier, requirements)
        return self._matches[identifier]

    def _found(self) -> Found:
        requirements = {
            name: tuple(demand.requirement for demand in self._demands.get(name, ())) for name in self._pins
        }
        return Found(mapping=dict(self._pins), requirements=requirements)
