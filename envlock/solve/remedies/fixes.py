"""What would end a refusal: changes of the request or of the target that were solved again and work."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice

from packaging.version import InvalidVersion, Version

from envlock.model.errors import EnvlockError
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.pins import Amended, Remedy, Unsolvable
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import Catalogue
from envlock.solve.remedies.changes import Change
from envlock.solve.remedies.context import RemedyContext
from envlock.solve.remedies.form_changes import form_changes
from envlock.solve.remedies.moved_together import moved_together
from envlock.solve.remedies.other_cudas import all_for_other_cudas, for_other_cudas
from envlock.solve.remedies.policy_changes import policy_changes
from envlock.solve.remedies.request_changes import (
    ageless,
    blamed_wishes,
    dropped,
    moved_on,
    other_interpreters,
    relaxed,
    renamed,
    unlabelled,
)
from envlock.solve.remedies.several_fixes import several
from envlock.solve.remedies.system_changes import system_changes
from envlock.solve.remedies.trials import Trials
from envlock.solve.remedies.wider_wishes import wider_wishes
from envlock.solve.request import Request

_ENOUGH = 4
_FIRST = 3
"""How many changes are tried as the first of two, where something else may be in the way as well."""
_FEW = 4
"""How many choices are then tried as the second, and how many versions of each."""
_LONG = 3
"""How many years a remedy must go back for others to be sought that change more; our own choice."""
_SECONDS = 2
"""How many of those are proposed for one first: which of two in conflict may move, the group has to say."""


def propose(refusal: Unsolvable, request: Request, context: RemedyContext) -> tuple[Remedy, ...]:
    """Propose remedies for a refusal: another version of a wish or system component; several; or no wish.

    Several are needed where something else speaks against the request as well, which shows once the first is
    fixed, or where the conflict itself takes two.

    Args:
        refusal: the refusal, reduced to its core.
        request: what was refused.
        context: what remedies are tried on.
    """
    trials = Trials(request, context)
    if remedy := _as_meant(refusal, request, context, trials):
        return (remedy,)
    choices = _choices(refusal, request, context)
    found = [remedy for choice in choices if (remedy := trials.first(choice))]

    if not _suffice(found, context.catalogue):
        more = list(_of_several(choices, refusal, request, context, trials, found))
        # If somebody else can already help, only what the group can change itself is worth adding.
        found += filter(_is_own, more) if found else more
    if not found:
        pairs = combinations([choice[-1] for choice in choices if choice], 2)
        found = [remedy for pair in pairs if (remedy := trials.of(*pair))]
    if not found:
        further = Trials(request, context)
        found = list(several(refusal, request, context, lambda some: further.of(*some)))
    found = sorted(_nearest_of_alike(found), key=lambda remedy: _years_back(remedy, context.catalogue))
    made = [frozenset(remedy.amendments) for remedy in found]
    needed = (
        one for one, changes in zip(found, made, strict=True) if not any(fewer < changes for fewer in made)
    )
    return tuple(islice(needed, _ENOUGH))


def _nearest_of_alike(found: Sequence[Remedy]) -> list[Remedy]:
    """Return remedies, and of those that change several things alike only the last.

    Two changes that only work together are found from either of them. The first one is tried in its widest
    form, the second one in its nearest, and what is nearer comes first among the changes.
    """
    alike: dict[Hashable, Remedy] = {}
    for remedy in found:
        things = frozenset((change.of, change.component) for change in remedy.amendments)
        alike[things if len(things) > 1 else remedy.amendments] = remedy
    return [*alike.values()]


def _choices(refusal: Unsolvable, request: Request, context: RemedyContext) -> list[tuple[Change, ...]]:
    """Return what could change, nearest first, with the changes to try for each."""
    bounded = [wish for wish in blamed_wishes(refusal, request) if wish.range.text]
    next_ones = [moved_on(wish, request, context.catalogue, context.dated) for wish in bounded]
    wishes = [relaxed(wish, request, context.catalogue, context.dated) for wish in bounded]
    systems = system_changes(refusal, request, context.knowledge, context.catalogue)
    policy = [*((change,) for change in policy_changes(refusal, request)), *form_changes(refusal, request)]
    others = [*policy, tuple(other_interpreters(request, context.dated)), *systems, tuple(ageless(request))]
    blamed = blamed_wishes(refusal, request)
    others += [for_other_cudas(wish, request, context.catalogue, context.dated) for wish in blamed]
    others += [(change,) for change in wider_wishes(refusal, request, context.catalogue)]
    near_first = [(*near, *free) for near, free in zip(next_ones, wishes, strict=True)]
    return [*near_first, *others]


def _as_meant(refusal: Unsolvable, request: Request, context: RemedyContext, trials: Trials) -> Remedy | None:
    """Return the remedy that asks for what labels or other names stand for, if one of these is to blame.

    Such wishes say nothing about interpreters, so the target's others are tried as well.
    """
    labels = {wish: (one,) for wish in request.applying if (one := unlabelled(wish, request, context.dated))}
    named = (
        (wish, renamed(wish, request, context.knowledge, context.catalogue, context.dated))
        for wish in request.applying
    )
    names = {
        wish: ways for wish, ways in named if ways and _may_be_misnamed(wish, refusal, context.knowledge)
    }
    blamed = blamed_wishes(refusal, request)
    meant = next((some for some in (labels, names) if any(wish in some for wish in blamed)), {})
    for way in zip(*meant.values(), strict=True):
        pythons = ((*way, python) for python in other_interpreters(request, context.dated))
        remedy = next((found for some in (way, *pythons) if (found := trials.of(*some))), None)
        if remedy is not None:
            return remedy
    return None


def _may_be_misnamed(wish: Wish, refusal: Unsolvable, knowledge: Knowledge) -> bool:
    """Whether one wish is refused on its own, so that its name may be the mistake.

    A flavour is a distribution of its own, unless a fact says that it cannot be had.
    """
    is_flavour = knowledge.flavour_of(wish.component) != wish.component
    return len(refusal.reasons) == 1 and (not is_flavour or bool(refusal.facts))


def _suffice(found: Iterable[Remedy], catalogue: Catalogue) -> bool:
    """Whether one of some remedies is the group's own and goes back by less than ``_LONG`` years."""
    return any(_is_own(remedy) and _years_back(remedy, catalogue) < _LONG for remedy in found)


def _of_several(
    choices: Sequence[tuple[Change, ...]],
    refusal: Unsolvable,
    request: Request,
    context: RemedyContext,
    trials: Trials,
    found: Sequence[Remedy],
) -> Iterator[Remedy]:
    """Yield remedies of several changes, and where there is no other, what could be left out."""
    ways = all_for_other_cudas(refusal, request, context.catalogue, context.dated)
    if (for_another := next(filter(None, (trials.of(*way) for way in ways)), None)) is not None:
        yield for_another
        return
    of_two = list(_beyond(choices, refusal, request, context, trials))
    onwards = [remedy for remedy in of_two if not _years_back(remedy, context.catalogue)]
    of_two = onwards or of_two
    yield from of_two
    if _suffice((*found, *of_two), context.catalogue):
        return
    yield from moved_together(refusal, request, context)
    if not found and not of_two and len(request.wishes) > 1:
        doing_without = Trials(request, context)
        without = (doing_without.of(dropped(wish)) for wish in blamed_wishes(refusal, request))
        yield from filter(None, without)


def _beyond(
    choices: Iterable[tuple[Change, ...]],
    refusal: Unsolvable,
    request: Request,
    context: RemedyContext,
    trials: Trials,
) -> Iterator[Remedy]:
    """Yield remedies of two changes: one ends this refusal, the other ends what then still refuses.

    The first one is tried in its widest form, so that nothing of it stays in the way, then in nearer ones.
    """

    def with_a_second(nearer: Sequence[Change], first: Change, seconds: Iterable[Change]) -> Remedy | None:
        for second in seconds:
            if (remedy := trials.of(first, second)) is not None:
                near = (trials.of(way, second) for way in nearer[:_FEW])
                return next(filter(None, near), remedy)
        return None

    for *nearer, change in [choice for choice in choices if choice][:_FIRST]:
        amended = change.apply(request)
        try:
            other = context.refuses(amended)
        except EnvlockError:
            continue
        if other is None:
            continue
        seconds = (choice[:_FEW] for choice in _choices(other, amended, context)[:_FEW])
        remedies = (with_a_second(nearer, change, some) for some in seconds)
        for remedy in islice(filter(None, remedies), _SECONDS):
            yield remedy if other.reasons == refusal.reasons else replace(remedy, behind=(other,))


def _is_own(remedy: Remedy) -> bool:
    """Whether the group can make all its changes itself."""
    return all(amendment.layer is None for amendment in remedy.amendments)


def _years_back(remedy: Remedy, catalogue: Catalogue) -> int:
    """Return how many years a remedy goes back, if below a pin's major version: hardly anybody wants that."""
    years = [0]
    for amendment in remedy.amendments:
        before, after = amendment.before.removeprefix("=="), amendment.after.removeprefix("==")
        if amendment.of is not Amended.WISH or amendment.layer is not None:
            continue
        try:
            here, there = Version(before), Version(after)
        except InvalidVersion:
            continue  # a range, or none
        if (there.epoch, there.major) < (here.epoch, here.major):
            days = {
                release.version: release.since
                for release in catalogue.releases(index_name(amendment.component))
            }
            since, then = days.get(here), days.get(there)
            years.append(max(1, (since - then).days // 365) if since and then else 1)
    return max(years)
