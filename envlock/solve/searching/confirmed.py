"""Whether pins are an answer: every ask that they lead to is met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envlock.solve.asks import FACT_PREFIX, Ask, Candidate, Mood
from envlock.solve.searching.outcomes import Found
from envlock.solve.searching.provider import Provider


def confirmed(chosen: Mapping[str, Candidate], roots: Sequence[Ask], provider: Provider) -> Found | None:
    """Return what the asks reach among the pins, if every ask is met; ``None`` if one is not.

    resolvelib forgets what a pin asks when that pin no longer fits, and does not ask again should the pin
    come to fit once more: of 3,000 random universes it answered three with pins that contradict each other.
    """
    pins = dict(chosen)
    asked: dict[str, dict[Ask, None]] = {}
    reached: set[str] = set()
    queue = list(roots)
    while queue:
        ask = queue.pop()
        name = ask.identifier
        asked.setdefault(name, {})[ask] = None
        present = name in pins and not pins[name].absent
        if present and name not in reached and (ask.mood is Mood.MUST or provider.fixed(name)):
            reached.add(name)
            pins[name] = _first_way(pins, name, provider)
            queue.extend(provider.get_dependencies(pins[name]))
    for name, some in asked.items():
        pin = pins[name] if name in reached else Candidate(identifier=name, versions=())
        if not all(provider.is_satisfied_by(ask, pin) for ask in some):
            return None
    if len(reached) < len(chosen):  # once more: what nobody wants must not decide which way a fact goes
        return confirmed({name: pins[name] for name in reached}, roots, provider)
    return Found(mapping=pins, asked={name: tuple(asked[name]) for name in reached})


def _first_way(pins: Mapping[str, Candidate], name: str, provider: Provider) -> Candidate:
    """Return the first way of satisfying a fact that the pins take, whichever the solver came by."""
    if not name.startswith(FACT_PREFIX):
        return pins[name]

    def gone(way: Candidate) -> bool:
        absent = {ask.identifier: Candidate(identifier=ask.identifier, versions=()) for ask in way.asks}
        return all(ask.satisfied_by(pins.get(ask.identifier, absent[ask.identifier])) for ask in way.asks)

    ways = filter(gone, provider.answers(name, frozenset()))
    return min(ways, key=lambda way: int(way.version), default=pins[name])
