"""The straight way to an answer: decide one component after the other, backtrack only where it is plain how.

Most requests are answered this way. The choices are those of resolvelib, by the same preferences, so the
answer is mostly the same; but resolvelib looks at every component and every requirement in every round.
Backtracking is a guess here: to the version that a later requirement wants, or to the latest decision that a
dead end rests on. That may miss an answer, so nothing is refused here: where this gives up, resolvelib starts
afresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from envlock.solve.requirements import Candidate, Requirement
from envlock.solve.searching.provider import Preference, Provider

_GOINGS_BACK = 64
"""Decisions that are taken back before this gives up: either a few suffice, or the matter is not plain."""


class _Step(NamedTuple):
    """A decision that may be taken back: the state before it, and what has been decided on in that state."""

    requirements: Mapping[str, tuple[Requirement, ...]]
    pins: Mapping[str, Candidate]
    undecided: Iterable[str]
    tried: AbstractSet[Candidate]


class Forward:
    """One attempt to go straight to an answer.

    Attributes:
        taken_back: how many decisions were taken back.
        guessed: the components whose decision was taken back because a dead end was thought to rest on it.
        moved: those whose decision was taken back for what a later requirement wants.
    """

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._requirements: dict[str, tuple[Requirement, ...]] = {}
        self._pins: dict[str, Candidate] = {}
        self._open: dict[str, Preference] = {}
        self._best: dict[str, tuple[tuple[Requirement, ...], Candidate]] = {}
        self._dependents: dict[Requirement, str] = {}
        self._steps: dict[str, _Step] = {}
        self.taken_back = 0
        self.guessed: set[str] = set()
        self.moved: set[str] = set()

    def run(self, roots: Sequence[Requirement]) -> Mapping[str, Candidate] | None:
        """Return candidates for all that is wanted, or ``None`` where it is not plain how to get there."""
        if self._clash(roots) is not None or self._admit(roots) is not None:
            return None
        while self._open:
            name = min(self._open, key=self._open.__getitem__)
            if self._open[name].absent:
                break  # nobody wants what is left
            if not self._decide(name):
                return None
        return self._pins

    def _decide(
        self, name: str, unmet: Requirement | None = None, tried: AbstractSet[Candidate] = frozenset()
    ) -> bool:
        """Take the first candidate compatible with all requirements; go back where there is none.

        Args:
            name: the component.
            unmet: what came up later, in the state that was left, and is to be met; it may not come up again.
            tried: the candidates that led nowhere from here.
        """
        blamed = self._dependents_of(self._requirements[name])
        for candidate in self._provider.best_first(name, self._requirements[name]):
            if candidate in tried or (unmet and not self._provider.is_satisfied_by(unmet, candidate)):
                continue
            requirements = tuple(self._provider.get_dependencies(candidate))
            clash = self._clash(requirements)
            if clash is None:
                seen = tried | {candidate}
                self._steps[name] = _Step(dict(self._requirements), dict(self._pins), tuple(self._open), seen)
                self._pins[name] = candidate
                del self._open[name]
                self._dependents.update(dict.fromkeys(requirements, name))
                unmet = self._admit(requirements)
                return unmet is None or self._go_back(unmet.identifier, unmet)
            blamed |= self._against(clash, requirements)
            self._provider.conflicts.update({name, clash})
            self._open.update({key: self._preference(key) for key in (name, clash) if key in self._open})
        latest = next((step for step in reversed(self._steps) if step in blamed), None)
        return latest is not None and self._go_back(latest)

    def _go_back(self, name: str, unmet: Requirement | None = None) -> bool:
        """Decide a component anew, on a candidate that satisfies what came up later."""
        if self.taken_back == _GOINGS_BACK:
            return False
        self.taken_back += 1
        (self.guessed if unmet is None else self.moved).add(name)
        step = self._steps[name]
        while next(reversed(self._steps)) != name:
            self._steps.popitem()
        del self._steps[name]
        self._requirements, self._pins = dict(step.requirements), dict(step.pins)
        self._open = {identifier: self._preference(identifier) for identifier in step.undecided}
        return self._decide(name, unmet, step.tried)

    def _clash(self, requirements: Iterable[Requirement]) -> str | None:
        """Return the first component that no candidate would be left for with these requirements, if any."""
        more: dict[str, tuple[Requirement, ...]] = {}
        best: dict[str, tuple[tuple[Requirement, ...], Candidate]] = {}
        for requirement in requirements:
            name = requirement.identifier
            earlier = more.get(name) or self._requirements.get(name, ())
            more[name] = (*earlier, requirement)
            pin = self._pins.get(name)
            if pin is not None and self._provider.is_satisfied_by(requirement, pin):
                continue
            met, first = best.get(name) or self._best.get(name) or ((), None)
            if first is None or met != earlier or not self._stays_best(first, requirement):
                first = next(iter(self._provider.best_first(name, more[name])), None)
                if first is None:
                    return name
                self._provider.expect(first)
            best[name] = more[name], first
        self._best |= best
        return None

    def _stays_best(self, candidate: Candidate, requirement: Requirement) -> bool:
        """Whether the best candidate stays the best with one more requirement, which only takes others away.

        Unless it names a pre-release: then some count that did not before.
        """
        return not requirement.names_pre_release and self._provider.is_satisfied_by(requirement, candidate)

    def _against(self, name: str, requirements: Iterable[Requirement]) -> set[str]:
        """Return whose requirements on a component rule out these; all its dependents if none does alone."""
        new = tuple(requirement for requirement in requirements if requirement.identifier == name)
        earlier = self._requirements.get(name, ())
        alone = [
            asked
            for asked in earlier
            if not any(True for _ in self._provider.best_first(name, (asked, *new)))
        ]
        return self._dependents_of(alone or earlier)

    def _dependents_of(self, requirements: Iterable[Requirement]) -> set[str]:
        return {
            self._dependents[requirement] for requirement in requirements if requirement in self._dependents
        }

    def _admit(self, requirements: Iterable[Requirement]) -> Requirement | None:
        """Add requirements; return the first that contradicts a decision, if any."""
        for requirement in requirements:
            name = requirement.identifier
            self._requirements[name] = (*self._requirements.get(name, ()), requirement)
            if name not in self._pins:
                self._open[name] = self._preference(name)
            elif not self._provider.is_satisfied_by(requirement, self._pins[name]):
                return requirement
        return None

    def _preference(self, name: str) -> Preference:
        return self._provider.preference(name, self._requirements[name])
