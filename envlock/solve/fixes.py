"""What would end a refusal: changes of the request or of the target that were solved again and work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from envlock.model.catalogue import Catalogue
from envlock.model.component import Layer
from envlock.model.errors import EnvlockError
from envlock.model.knowledge import Knowledge
from envlock.model.pins import Amended, Remedy, Unsolvable
from envlock.solve.changes import Change, Works
from envlock.solve.policy_changes import policy_changes
from envlock.solve.request import Request, era_of_pins
from envlock.solve.request_changes import (
    ageless,
    blamed_wishes,
    dropped,
    moved_on,
    other_interpreters,
    pinned_wish,
    relaxed,
)
from envlock.solve.system_changes import system_changes

_MAX_TRIES = 32
"""Solves for one refusal; each takes about as long as the first."""
_ENOUGH = 4


def propose(
    refusal: Unsolvable, request: Request, knowledge: Knowledge, catalogue: Catalogue, works: Works
) -> tuple[Remedy, ...]:
    """Remedies for a refusal: another version of a wish, of a system component, no wish; then two at once.

    Args:
        refusal: the refusal, reduced to its core.
        request: what was refused.
        knowledge: says what facts ask of system components, and who owns them.
        catalogue: says which C library published wheels need.
        works: solves a request again.
    """

    def dated(amended: Request) -> Request:
        """The request with the cut-off that its pins imply."""
        return replace(amended, as_of=era_of_pins(amended.wishes, amended.interpreter, knowledge, catalogue))

    tries = _Tries(request, works, dated)
    blamed = blamed_wishes(refusal, request)
    bounded = [wish for wish in blamed if wish.range.text]
    next_ones = [moved_on(wish, request, catalogue, dated) for wish in bounded]
    wishes = [relaxed(wish, request, dated) for wish in bounded]
    systems = system_changes(refusal, request, knowledge, catalogue)
    policy = [(one,) for one in policy_changes(refusal, request)]
    others = [*policy, tuple(other_interpreters(request)), *systems, tuple(ageless(request))]
    near_first = [(*near, *free) for near, free in zip(next_ones, wishes, strict=True)]
    found = [remedy for choice in (*near_first, *others) if (remedy := tries.first(choice))]
    if not found and len(request.wishes) > 1:
        found = [remedy for wish in blamed if (remedy := tries.of(dropped(wish)))]
    if not found:
        pairs = combinations([choice[0] for choice in (*wishes, *others) if choice], 2)
        found = [remedy for pair in pairs if (remedy := tries.of(*pair))]
    return tuple(dict.fromkeys(found))[:_ENOUGH]


class _Tries:
    """Solves again, so often and no more."""

    def __init__(self, request: Request, works: Works, dated: Callable[[Request], Request]) -> None:
        self._request = request
        self._dated = dated
        self._works = works
        self._left = _MAX_TRIES

    def first(self, choice: Iterable[Change]) -> Remedy | None:
        """The first of several changes that is a remedy by itself."""
        return next((remedy for change in choice if (remedy := self.of(change))), None)

    def of(self, *changes: Change) -> Remedy | None:
        """The remedy that some changes are, if they are one."""
        if not self._left:
            return None
        self._left -= 1
        request = self._request
        for change in changes:
            request = change.apply(request)
        try:
            solved = self._works(request)
        except EnvlockError:
            return None  # too deep, or metadata that is not to be had: nothing to propose
        if solved is None:
            return None
        remedy = Remedy(amendments=tuple(change.told(solved) for change in changes))
        return remedy if self._holds_as_written(request, remedy) else None

    def _holds_as_written(self, request: Request, remedy: Remedy) -> bool:
        """Whether it still works once it is written down: a new pin can bring another cut-off with it."""
        if not request.era_of_pins:
            return True
        after = {one.component: one.after for one in remedy.amendments if one.of is Amended.WISH}
        written = self._dated(
            replace(request, wishes=tuple(pinned_wish(one, after) for one in request.wishes))
        )
        try:
            return written.as_of == request.as_of or self._works(written) is not None
        except EnvlockError:
            return False


def by_layer(remedies: tuple[Remedy, ...]) -> Iterator[tuple[Layer | None, list[Remedy]]]:
    """Remedies by who would have to act, the group itself first; several who act count as the innermost."""
    for layer in (None, Layer.DISCIPLINE, Layer.FRAMEWORK, Layer.CORE):
        group = [remedy for remedy in remedies if _actor(remedy) is layer]
        if group:
            yield layer, group


def _actor(remedy: Remedy) -> Layer | None:
    acting = {amendment.layer for amendment in remedy.amendments}
    return next((one for one in (Layer.CORE, Layer.FRAMEWORK, Layer.DISCIPLINE) if one in acting), None)
