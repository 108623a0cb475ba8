"""Which components a search decides before those that keep ruling their candidates out.

Where one decision rules out one release of a component after the other, hundreds may follow that fall for the
same reason. uv goes back beyond that decision after five conflicts, and decides the component first
(``CONFLICT_THRESHOLD`` in ``resolver/mod.rs`` of its crate ``uv-resolver``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from envlock.solve.searching.provider import PROMOTED_AFTER


class Promotions:
    """The components that were promoted, each of them once, so that a search comes to an end."""

    def __init__(self) -> None:
        self._clashes: Counter[tuple[str, str]] = Counter()
        self._promoted: set[str] = set()

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._promoted

    def beyond(self, identifier: str, blamed: Iterable[str]) -> str | None:
        """Count that a candidate fell to decisions; return the one to go back beyond, if it is time for that.

        Args:
            identifier: the component whose candidate it was.
            blamed: the components whose decisions it fell to, though they might be decided otherwise.
        """
        if identifier in self._promoted:
            return None
        for other in sorted(blamed):
            self._clashes[identifier, other] += 1
            if other not in self._promoted and self._clashes[identifier, other] == PROMOTED_AFTER:
                self._promoted.add(identifier)
                return other
        return None
