"""How many further releases to ask about at once, while a solver walks from one release to the next."""

from __future__ import annotations


class LookAhead:
    """Counts, for each distribution, how often the solver reached a release that nobody had asked about.

    Args:
        most: the most releases to ask about at once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._steps: dict[str, int] = {}

    def begin(self, distribution: str) -> None:
        """Note that a release was asked about ahead of the solver."""
        self._steps.setdefault(distribution, 1)

    def further(self, distribution: str) -> int:
        """Return how many to ask about now: none at the first release, then twice as many each time."""
        known = self._steps.get(distribution)
        self._steps[distribution] = 1 if known is None else 2 * known
        return 0 if known is None else min(2 * known, self._most)
