"""The straight way to an answer: decide one component after the other, and never go back on one.

Most requests are answered so. The choices are those of resolvelib, in its order and by the same preferences,
so that the answer is the same; but resolvelib looks at every component and every ask in every round, to be
able to go back. Where that is needed this gives up, and resolvelib begins afresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from envlock.solve.asks import Ask, Candidate
from envlock.solve.provider import Preference, Provider


class Forward:
    """One way forward."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._asks: dict[str, tuple[Ask, ...]] = {}
        self._pins: dict[str, Candidate] = {}
        self._open: dict[str, Preference] = {}

    def run(self, roots: Sequence[Ask]) -> Mapping[str, Candidate] | None:
        """Candidates for all that is wanted, or nothing where a decision would have to be taken back."""
        if self._clash(roots) is not None or not self._admit(roots):
            return None
        while self._open:
            name = min(self._open, key=self._open.__getitem__)
            if self._open[name].absent:
                break  # what is left is wanted by nobody
            if not self._decide(name):
                return None
        return self._pins

    def _decide(self, name: str) -> bool:
        for candidate in self._provider.best_first(name, self._asks[name]):
            asks = tuple(self._provider.get_dependencies(candidate))
            clash = self._clash(asks)
            if clash is None:
                self._pins[name] = candidate
                del self._open[name]
                return self._admit(asks)
            self._provider.conflicts.update({name, clash})
            for identifier in self._open:
                self._open[identifier] = self._preference(identifier)
        return False

    def _clash(self, asks: Iterable[Ask]) -> str | None:
        """The first component that nothing could answer for any more."""
        more: dict[str, tuple[Ask, ...]] = {}
        for ask in asks:
            name = ask.identifier
            more[name] = (*(more.get(name) or self._asks.get(name, ())), ask)
            pin = self._pins.get(name)
            if pin is not None and self._provider.is_satisfied_by(ask, pin):
                continue
            if next(iter(self._provider.best_first(name, more[name])), None) is None:
                return name
        return None

    def _admit(self, asks: Iterable[Ask]) -> bool:
        """Add asks; false where one does not go with a decision."""
        for ask in asks:
            name = ask.identifier
            self._asks[name] = (*self._asks.get(name, ()), ask)
            if name not in self._pins:
                self._open[name] = self._preference(name)
                self._provider.expect(next(iter(self._provider.best_first(name, self._asks[name]))))
            elif not self._provider.is_satisfied_by(ask, self._pins[name]):
                return False
        return True

    def _preference(self, name: str) -> Preference:
        return self._provider.preference(name, self._asks[name])
