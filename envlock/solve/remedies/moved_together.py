"""Several wishes moved at once, and as few as can be, where more than two are in the way of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

from envlock.model.component import is_version, parse_version
from envlock.model.errors import EnvlockError
from envlock.model.knowing.knowledge import index_name
from envlock.model.locked.pins import Remedy, Unsolvable
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import Catalogue
from envlock.solve.remedies.changes import Change
from envlock.solve.remedies.context import RemedyContext
from envlock.solve.remedies.request_changes import blamed_wishes, relaxed, rewritten
from envlock.solve.remedies.series import nearest_release
from envlock.solve.remedies.several_fixes import unheard_of
from envlock.solve.remedies.trials import Trials
from envlock.solve.request import Request

_FEW = 4
"""How many changes are explained where the refusal itself does not tell what needs them."""


def moved_together(refusal: Unsolvable, request: Request, context: RemedyContext) -> Iterator[Remedy]:
    """Yield a remedy that changes as few wishes at once as can be found, where more than two are in the way.

    What bounded wishes ask for becomes what they would rather have; where that has no answer, they ask for
    nothing. Of what moves then, one after the other is held to its bounds again where that moves less;
    blamed wishes come last.
    """
    if unheard_of(request, context.catalogue):  # in whatever version
        return
    blamed = blamed_wishes(refusal, request)
    rest = (wish for wish in request.applying if wish not in blamed)
    bounded = [wish for wish in (*blamed, *rest) if wish.range.text]
    liked = {**dict(_as_asked(bounded, request, context.catalogue)), **request.preferred}
    ways = {wish: relaxed(wish, request, context.catalogue, context.dated) for wish in bounded}
    places = range(min(map(len, ways.values()), default=0))
    for preferred, place in product((liked, request.preferred), places):
        trials = Trials(replace(request, preferred=preferred), context)
        free = {wish: changes[place] for wish, changes in ways.items()}
        moved = _fewest_moved(free, trials)
        changes = [rewritten(wish, version, request, context.dated) for wish, version in moved.items()]
        if changes and (remedy := Trials(request, context).of(*changes)):
            behind = _needing_the_rest(changes, remedy, refusal, request, context)
            yield replace(remedy, behind=tuple(behind))
            return


def _fewest_moved(free: Mapping[Wish, Change], trials: Trials) -> dict[Wish, str]:
    """Return which wishes have to move, each with the version that it then has; none without an answer."""

    def moved(changes: Mapping[Wish, Change]) -> dict[Wish, str]:
        made = trials.of(*changes.values())
        after = dict(zip(changes, (one.after for one in made.amendments), strict=True)) if made else {}
        return {wish: version for wish, version in after.items() if not _within(version, wish)}

    found = moved(free)
    for wish in reversed([*found]):
        held = {one: change for one, change in free.items() if one != wish}
        if wish in found and len(found) > 1 and (fewer := moved(held)) and len(fewer) < len(found):
            free, found = held, fewer
    return found


def _within(after: str, wish: Wish) -> bool:
    """Whether what is chosen instead of a wish is what it asked for all the same."""
    return after == wish.range.text or wish.range.contains(after.removeprefix("=="))


def _needing_the_rest(
    changes: Sequence[Change], made: Remedy, refusal: Unsolvable, request: Request, context: RemedyContext
) -> Iterator[Unsolvable]:
    """Yield what would refuse a request without one of its changes, where no reason of the refusal tells."""
    explained = {reason.component for reason in refusal.reasons}
    both = zip(changes, made.amendments, strict=True)
    unexplained = (change for change, amendment in both if amendment.component not in explained)
    for left in islice(unexplained, _FEW):  # each takes a solve
        amended = request
        for change in changes:
            amended = amended if change is left else change.apply(amended)
        try:
            other = context.refuses(amended)
        except EnvlockError:
            continue
        if other is not None:
            yield other


def _as_asked(wishes: Iterable[Wish], request: Request, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Yield which version of a distribution comes nearest to what each wish asks for.

    That is the newest within its bounds and the request's time, or what is nearest to a pin that nobody ever
    published: it may be another index's.
    """
    for wish in wishes:
        if wish.requirement is None or wish.direct is not None:
            continue
        releases = [
            one
            for one in catalogue.releases(index_name(wish.component))
            if request.as_of is None or one.since is None or one.since <= request.as_of
        ]
        within = [one for one in releases if wish.range.contains(one.text)]
        if within:
            yield wish.component, max(within, key=lambda one: one.version).text
        elif releases and is_version(pinned := wish.range.pinned):
            yield wish.component, nearest_release(parse_version(pinned), releases).text
