"""Solves of a request with changes, and whether they are a remedy together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from packaging.utils import canonicalize_name

from envlock.model.errors import EnvlockError
from envlock.model.locked.pins import Amended, Remedy, Solved
from envlock.solve.remedies.changes import Change, is_for_others
from envlock.solve.remedies.context import RemedyContext
from envlock.solve.remedies.request_changes import pinned_wish
from envlock.solve.request import Request

_MAX_TRIALS = 32
"""Solves for one refusal; each takes about as long as the first."""


class Trials:
    """Solves a request again with changes, up to a limit."""

    def __init__(self, request: Request, context: RemedyContext) -> None:
        self._request = request
        self._ground = context
        self._left = _MAX_TRIALS

    def first(self, choice: Iterable[Change]) -> Remedy | None:
        """Return the first of several changes that is a remedy by itself, or one nearer than that."""
        for change in choice:
            if remedy := self.of(change):
                return self._nearest([*change.nearer(remedy)]) or remedy
        return None

    def _nearest(self, changes: Sequence[Change]) -> Remedy | None:
        """Return the nearest remedy among changes, by halves: nearer than a failure none is sought."""
        nearest = None
        while changes:
            middle = len(changes) // 2
            found = self.of(changes[middle])
            changes = changes[:middle] if found else changes[middle + 1 :]
            nearest = found or nearest
        return nearest

    def of(self, *changes: Change) -> Remedy | None:
        """Return the remedy that these changes make together, if they make one."""
        if not self._left:
            return None
        self._left -= 1
        request = self._request
        for change in changes:
            request = change.apply(request)
        try:
            solved = self._ground.works(request)
        except EnvlockError:
            return None  # too deep, or metadata that cannot be had: nothing to propose
        if solved is None or self._lacks_extras(solved, request):
            return None
        remedy = Remedy(amendments=tuple(change.describe(solved) for change in changes))
        if is_for_others(remedy, request.target) or not self._holds_as_written(request, remedy):
            return None
        smaller = [change.less(solved) or change for change in changes]
        return (self.of(*smaller) if smaller != [*changes] else None) or remedy

    def _lacks_extras(self, solved: Solved, request: Request) -> bool:
        """Whether a proposed version lacks an extra of its wish: what that would bring was asked for."""
        pins = {pin.component: pin for pin in solved.distributions}
        for wish in request.applying:
            if wish in self._request.wishes or wish.requirement is None or not wish.requirement.extras:
                continue
            pin = pins.get(wish.component)
            try:
                known = self._ground.catalogue.metadata(pin.name, pin.file).extras if pin else frozenset()
            except EnvlockError:
                continue  # nobody knows
            if not known.issuperset(map(canonicalize_name, wish.requirement.extras)):
                return True
        return False

    def _holds_as_written(self, request: Request, remedy: Remedy) -> bool:
        """Whether it still works once written down: a new pin can bring another cut-off with it."""
        if not request.era_of_pins:
            return True
        after = {
            amendment.component: amendment.after
            for amendment in remedy.amendments
            if amendment.of is Amended.WISH
        }
        written = self._ground.dated(
            replace(request, wishes=tuple(pinned_wish(wish, after) for wish in request.wishes))
        )
        try:
            return written.as_of == request.as_of or self._ground.works(written) is not None
        except EnvlockError:
            return False
