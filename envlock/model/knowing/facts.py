"""Facts by the component of their first condition: thousands are known, and a command needs few."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from envlock.model.knowing.by_component import ByComponent
from envlock.model.knowing.fact import Fact


class Facts:
    """Facts in order; those of a component are only looked at when that component comes up.

    Attributes:
        groups: the knowledge base's facts by the component of their first condition, sorted by identifier.
        triggers: fact identifier -> that component, in the order of all facts.
        added: facts added by ``plus``, which are not in the knowledge base.
    """

    __slots__ = ("_counts", "_known", "_named", "added", "groups", "triggers")

    def __init__(
        self,
        groups: Mapping[str, tuple[Fact, ...]],
        triggers: Mapping[str, str],
        added: tuple[Fact, ...] = (),
        counts: Callable[[Fact], bool] | None = None,
    ) -> None:
        self.groups = groups
        self.triggers = triggers
        self.added = added
        self._counts = counts
        self._known: dict[str, tuple[Fact, ...]] = {}
        self._named: dict[str, Fact] = {}

    @classmethod
    def listed(cls, facts: Iterable[Fact]) -> Facts:
        """Make the collection from facts that are all in memory."""
        listed = tuple(facts)
        in_order = sorted(listed, key=lambda fact: fact.id)
        return cls(
            ByComponent.listed(in_order, lambda fact: fact.when[0].component),
            {fact.id: fact.when[0].component for fact in listed},
        )

    def plus(self, facts: Iterable[Fact]) -> Facts:
        """Return these facts with others after them."""
        return Facts(self.groups, self.triggers, (*self.added, *facts), self._counts)

    def where(self, counts: Callable[[Fact], bool]) -> Facts:
        """Return only those of these facts that count."""
        before = self._counts
        both = counts if before is None else lambda fact: before(fact) and counts(fact)
        return Facts(self.groups, self.triggers, self.added, both)

    def of(self, component: str) -> tuple[Fact, ...]:
        """The facts whose first condition is about a component, as the knowledge base names it."""
        known = self._known.get(component)
        if known is None:
            some = (*self.groups.get(component, ()), *self._added_of(component))
            known = some if self._counts is None else tuple(filter(self._counts, some))
            self._known[component] = known
            self._named.update((fact.id, fact) for fact in known)
        return known

    def named(self, identifier: str) -> Fact | None:
        """The fact with an identifier, if it is one of these."""
        if identifier not in self._named:
            added = (fact.when[0].component for fact in self.added if fact.id == identifier)
            component = self.triggers.get(identifier) or next(added, None)
            if component is not None:
                self.of(component)
        return self._named.get(identifier)

    @property
    def components(self) -> set[str]:
        """The components that first conditions are about, if all facts counted."""
        return {*self.groups, *(fact.when[0].component for fact in self.added)}

    def __contains__(self, identifier: object) -> bool:
        return isinstance(identifier, str) and self.named(identifier) is not None

    def __iter__(self) -> Iterator[Fact]:
        for identifier in dict.fromkeys((*self.triggers, *(fact.id for fact in self.added))):
            fact = self.named(identifier)
            if fact is not None:
                yield fact

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Facts) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Facts({list(self)!r})"

    def _added_of(self, component: str) -> Iterator[Fact]:
        return (fact for fact in self.added if fact.when[0].component == component)
