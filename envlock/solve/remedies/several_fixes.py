"""Several changes at once, of whatever kinds, where no one and no two of them end a refusal."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from envlock.model.errors import EnvlockError
from envlock.model.knowing.knowledge import index_name
from envlock.model.locked.pins import Remedy, Unsolvable
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import Catalogue
from envlock.solve.remedies.changes import Change
from envlock.solve.remedies.context import RemedyContext
from envlock.solve.remedies.form_changes import form_changes
from envlock.solve.remedies.policy_changes import policy_changes
from envlock.solve.remedies.request_changes import (
    ageless,
    blamed_wishes,
    dropped,
    moved_on,
    relaxed,
    renamed,
)
from envlock.solve.remedies.system_changes import system_changes
from envlock.solve.request import Request

_MOST_REFUSALS = 6
"""How many refusals behind one another are followed."""


def several(
    refusal: Unsolvable,
    request: Request,
    context: RemedyContext,
    remedy_of: Callable[[Sequence[Change]], Remedy | None],
) -> Iterator[Remedy]:
    """Yield a remedy of as few changes as can be found, if all possible changes together end all refusals.

    Everything that took part in the refusal changes, then everything in what still speaks against it, and so
    on. What is not needed goes back to what it was, first what one would rather keep.

    Args:
        refusal: the refusal, reduced to its core.
        request: what was refused.
        context: what remedies are tried on.
        remedy_of: solves again with some changes, which are a remedy if there is an answer.
    """
    met, amended, behind = refusal, request, []
    choices: list[_Choice] = []
    # What nobody has ever published can only go or move: none of it has to show as a refusal first.
    new = [_other_name(wish, request, context) for wish in unheard_of(request, context.catalogue)]
    unpublished = list(_unpublished(request, context.catalogue))
    new += [_other_bounds(wish, request, context) for wish in unpublished]
    for _ in range(_MOST_REFUSALS):
        everything = _everything(met, amended, request, context)
        new = new or sorted(everything, key=_Choice.rank)
        if not new:
            return
        choices += new
        for choice in new:
            amended = choice.ways[-1].apply(amended)
        try:
            still = context.refuses(amended)
        except EnvlockError:
            return
        if still is None:
            break
        behind.append(still)
        met, new = still, []
    else:
        return
    if (found := _reduced(choices, remedy_of)) is not None:
        changed = {amendment.component for amendment in found.amendments}
        ended = [one for one in behind if changed & {reason.component for reason in one.reasons}]
        shown = {reason.component for one in (refusal, *ended) for reason in one.reasons}
        moved = (one for one in unpublished if one.component in changed - shown)
        alone = (context.refuses(replace(request, wishes=(wish,))) for wish in moved)
        yield replace(found, behind=_distinct((*filter(None, alone), *ended)))


def _distinct(refusals: Iterable[Unsolvable]) -> tuple[Unsolvable, ...]:
    """Return one of those that give the same cause: what nothing offers is missed with bounds and without."""
    found: dict[Hashable, Unsolvable] = {}
    for refusal in refusals:
        found.setdefault((refusal.component, refusal.facts, refusal.excluded), refusal)
    return tuple(found.values())


class _Choice(NamedTuple):
    """One thing that could change: how readily one would, and the ways to change it, nearest first."""

    liking: _Liking
    ways: tuple[Change, ...]

    def rank(self) -> int:
        """Return its place in the order of changes: a cut-off after wishes, which may imply another one."""
        return self.liking.value


class _Liking(Enum):
    """What one would change first, before what others have to act on, and what ends a wish."""

    FORM = 0
    POLICY = 1
    BOUNDS = 2
    SYSTEM = 3
    CUT_OFF = 4
    WISH = 5


def _everything(
    refusal: Unsolvable, request: Request, asked: Request, context: RemedyContext
) -> Iterator[_Choice]:
    """Yield all that could change in a refusal of a request, amended from what was asked at first."""
    yield from (_Choice(_Liking.FORM, choice) for choice in form_changes(refusal, request))
    yield from (_Choice(_Liking.POLICY, (change,)) for change in policy_changes(refusal, request))
    blamed = blamed_wishes(refusal, request)
    for wish in blamed:
        if wish.range.text:
            yield _other_bounds(wish, request, context)
    for choice in system_changes(refusal, request, context.knowledge, context.catalogue):
        if choice:
            yield _Choice(_Liking.SYSTEM, choice)
    yield from (_Choice(_Liking.CUT_OFF, (one,)) for one in ageless(request))
    if len(request.wishes) > 1:
        # Whoever drops a wish need not change its bounds first, and is shown the original request.
        ended = {(wish.component, wish.text) for wish in blamed if not wish.range.text}
        written = (wish for wish in asked.wishes if (wish.component, wish.text) in ended)
        yield from (_Choice(_Liking.WISH, (dropped(wish),)) for wish in written)


def _other_bounds(wish: Wish, request: Request, context: RemedyContext) -> _Choice:
    near = moved_on(wish, request, context.catalogue, context.dated)
    return _Choice(_Liking.BOUNDS, (*near, *relaxed(wish, request, context.catalogue, context.dated)))


def _other_name(wish: Wish, request: Request, context: RemedyContext) -> _Choice:
    """Return what may become of a wish that no index knows: what is meant by its name, or nothing."""
    meant = renamed(wish, request, context.knowledge, context.catalogue, context.dated)
    return _Choice(_Liking.WISH, (*meant, dropped(wish)))


def _unpublished(request: Request, catalogue: Catalogue) -> Iterator[Wish]:
    """Yield the wishes that pin a version which no index has of a distribution that it knows."""
    for wish in request.applying:
        if wish.requirement is None or wish.direct is not None or not wish.range.pinned:
            continue
        texts = catalogue.releases(index_name(wish.component)).texts
        if texts and not request.target.offered(wish.component) and not any(map(wish.range.contains, texts)):
            yield wish


def unheard_of(request: Request, catalogue: Catalogue) -> list[Wish]:
    """Return the wishes for distributions that no index knows, if they are not all that is asked for."""
    unheard_of = [
        wish
        for wish in request.applying
        if wish.requirement is not None
        and wish.direct is None
        and not request.target.offered(wish.component)
        and not catalogue.releases(index_name(wish.component))
    ]
    return unheard_of if len(unheard_of) < len(request.wishes) else []


def _reduced(
    choices: Sequence[_Choice], remedy_of: Callable[[Sequence[Change]], Remedy | None]
) -> Remedy | None:
    """Return the remedy of as few of the changes as suffice, each in its nearest way that does."""

    def remedy(some: Sequence[_Choice]) -> Remedy | None:
        return remedy_of([choice.ways[-1] for choice in some]) if some else None

    kept = sorted(choices, key=_Choice.rank)
    found = remedy(kept)
    if found is None:
        return None
    kept, found = _without_the_needless(kept, found, remedy)
    for place, choice in enumerate(kept):
        for way in choice.ways[:-1]:
            nearer = [*kept[:place], choice._replace(ways=(way,)), *kept[place + 1 :]]
            if (nearer_remedy := remedy(nearer)) is not None:
                kept, found = nearer, nearer_remedy
                break
    # A pin that moved to another release may bring the time of that, for which a cut-off need not go.
    return _without_the_needless(kept, found, remedy)[1]


def _without_the_needless(
    kept: list[_Choice], found: Remedy, remedy: Callable[[Sequence[_Choice]], Remedy | None]
) -> tuple[list[_Choice], Remedy]:
    """Return the changes that are left, and their remedy, once what is not needed has gone back."""
    for choice in reversed(kept[:]):
        fewer = [one for one in kept if one is not choice]
        if (nearer_remedy := remedy(fewer)) is not None:
            kept, found = fewer, nearer_remedy
    return kept, found
