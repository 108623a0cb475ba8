"""What would end a refusal: changes of the request or of the target that were solved again and work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, islice

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from envlock.model.component import Layer
from envlock.model.errors import EnvlockError
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.pins import Amended, Amendment, Remedy, Solved, Unsolvable
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import Catalogue
from envlock.solve.remedies.changes import Change, Refuses, Works, is_for_others
from envlock.solve.remedies.form_changes import form_changes
from envlock.solve.remedies.policy_changes import policy_changes
from envlock.solve.remedies.request_changes import (
    ageless,
    blamed_wishes,
    dropped,
    moved_on,
    other_interpreters,
    pinned_wish,
    relaxed,
    renamed,
    rewritten,
    unlabelled,
)
from envlock.solve.remedies.several_fixes import several
from envlock.solve.remedies.system_changes import system_changes
from envlock.solve.request import Request, era_of_pins

_MAX_TRIES = 32
"""Solves for one refusal; each takes about as long as the first."""
_ENOUGH = 4
_FIRST = 3
"""How many changes are tried as the first of two, where something else may be in the way as well."""
_FEW = 4
"""How many choices are then tried as the second, and how many versions of each."""
_SECONDS = 2
"""How many of those are proposed for one first: which of two in conflict may move, the group has to say."""


def propose(
    refusal: Unsolvable,
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    works: Works,
    refuses: Refuses,
) -> tuple[Remedy, ...]:
    """Propose remedies for a refusal: another version of a wish or system component; several; or no wish.

    Several are needed where something else speaks against the request as well, which shows once the first is
    fixed, or where the conflict itself takes two.

    Args:
        refusal: the refusal, reduced to its core.
        request: what was refused.
        knowledge: says what facts ask of system components, and who owns them.
        catalogue: says which C library published wheels need.
        works: solves a request again.
        refuses: says what speaks against a request.
    """
    dated = partial(_dated, knowledge=knowledge, catalogue=catalogue)
    tries, doing_without = (_Tries(request, works, catalogue, dated) for _ in range(2))
    if remedy := _as_meant(refusal, request, knowledge, catalogue, tries):
        return (remedy,)
    choices = _choices(refusal, request, knowledge, catalogue)
    found = [remedy for choice in choices if (remedy := tries.first(choice))]
    if not found:
        found = list(_beyond(choices, request, knowledge, catalogue, refuses, tries))
        onwards = [remedy for remedy in found if not _years_back(remedy, catalogue)]
        found = onwards or found
    if not found:
        found = list(_together(refusal, request, knowledge, catalogue, works))
        if len(request.wishes) > 1:
            blamed = blamed_wishes(refusal, request)
            found += [r for wish in blamed if (r := doing_without.of(dropped(wish)))]
    if not found:
        pairs = combinations([choice[-1] for choice in choices if choice], 2)
        found = [remedy for pair in pairs if (remedy := tries.of(*pair))]
    if not found:
        more = _Tries(request, works, catalogue, dated)
        found = list(
            several(refusal, request, knowledge, catalogue, dated, refuses, lambda some: more.of(*some))
        )
    found.sort(key=lambda remedy: _years_back(remedy, catalogue))
    # Two changes that only work together are found from either of them: that is one remedy.
    distinct: dict[frozenset[Amendment], Remedy] = {}
    for remedy in found:
        distinct.setdefault(frozenset(remedy.amendments), remedy)
    return tuple(distinct.values())[:_ENOUGH]


def _dated(request: Request, knowledge: Knowledge, catalogue: Catalogue) -> Request:
    """Return the request with the cut-off that its pins imply."""
    as_of = era_of_pins(request.wishes, request.interpreter, knowledge, catalogue)
    return replace(request, as_of=as_of)


def _choices(
    refusal: Unsolvable, request: Request, knowledge: Knowledge, catalogue: Catalogue
) -> list[tuple[Change, ...]]:
    """Return what could change, nearest first, with the changes to try for each."""
    dated = partial(_dated, knowledge=knowledge, catalogue=catalogue)
    bounded = [wish for wish in blamed_wishes(refusal, request) if wish.range.text]
    next_ones = [moved_on(wish, request, catalogue, dated) for wish in bounded]
    wishes = [relaxed(wish, request, dated) for wish in bounded]
    systems = system_changes(refusal, request, knowledge, catalogue)
    policy = [*((one,) for one in policy_changes(refusal, request)), *form_changes(refusal, request)]
    others = [*policy, tuple(other_interpreters(request, dated)), *systems, tuple(ageless(request))]
    near_first = [(*near, *free) for near, free in zip(next_ones, wishes, strict=True)]
    return [*near_first, *others]


def _as_meant(
    refusal: Unsolvable, request: Request, knowledge: Knowledge, catalogue: Catalogue, tries: _Tries
) -> Remedy | None:
    """Return the remedy that asks for what labels or other names stand for, if one of these is to blame.

    Such wishes say nothing about interpreters, so the target's others are tried as well.
    """
    dated = partial(_dated, knowledge=knowledge, catalogue=catalogue)
    labels = {wish: (one,) for wish in request.applying if (one := unlabelled(wish, request, dated))}
    named = ((wish, renamed(wish, request, knowledge, catalogue, dated)) for wish in request.applying)
    names = {wish: ways for wish, ways in named if ways and _may_be_misnamed(wish, refusal, knowledge)}
    blamed = blamed_wishes(refusal, request)
    meant = next((some for some in (labels, names) if any(wish in some for wish in blamed)), {})
    for way in zip(*meant.values(), strict=True):
        pythons = ((*way, python) for python in other_interpreters(request, dated))
        remedy = next((found for some in (way, *pythons) if (found := tries.of(*some))), None)
        if remedy is not None:
            return remedy
    return None


def _may_be_misnamed(wish: Wish, refusal: Unsolvable, knowledge: Knowledge) -> bool:
    """Whether one wish is refused on its own, so that its name may be the mistake.

    A flavour is a distribution of its own, unless a fact says that it cannot be had.
    """
    is_flavour = knowledge.flavour_of(wish.component) != wish.component
    return len(refusal.reasons) == 1 and (not is_flavour or bool(refusal.facts))


def _beyond(
    choices: Iterable[tuple[Change, ...]],
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    refuses: Refuses,
    tries: _Tries,
) -> Iterator[Remedy]:
    """Yield remedies of two changes: one ends this refusal, the other ends what then still refuses."""
    for change in [choice[-1] for choice in choices if choice][:_FIRST]:
        amended = change.apply(request)
        try:
            other = refuses(amended)
        except EnvlockError:
            continue
        following = _choices(other, amended, knowledge, catalogue) if other else []
        seconds = (choice[:_FEW] for choice in following[:_FEW])
        remedies = (next(filter(None, (tries.of(change, one) for one in some)), None) for some in seconds)
        yield from islice(filter(None, remedies), _SECONDS)


def _together(
    refusal: Unsolvable, request: Request, knowledge: Knowledge, catalogue: Catalogue, works: Works
) -> Iterator[Remedy]:
    """Yield a remedy that changes as few wishes at once as can be found, where more than two are in the way.

    All bounded wishes are relaxed together; then half of them, a quarter and single ones are restored where
    the rest still suffices, and last pairs that only go together. Blamed wishes are restored last.
    """
    dated = partial(_dated, knowledge=knowledge, catalogue=catalogue)
    tries = _Tries(request, works, catalogue, dated)
    blamed = blamed_wishes(refusal, request)
    rest = (wish for wish in request.applying if wish not in blamed)
    bounded = [wish for wish in (*blamed, *rest) if wish.range.text]
    ways = zip(*(relaxed(wish, request, dated) for wish in bounded), strict=True)
    free = next((remedy for way in ways if (remedy := tries.of(*way))), None)
    if free is None:
        return
    moved = zip(bounded, free.amendments, strict=True)
    kept = [rewritten(wish, one.after, request, dated) for wish, one in moved if one.after != one.before]
    found = tries.of(*kept) or free
    size = len(kept)
    while size := size // 2:
        for part in [kept[start : start + size] for start in reversed(range(0, len(kept), size))]:
            fewer = [one for one in kept if one not in part]
            if fewer and (remedy := tries.of(*fewer)):
                kept, found = fewer, remedy
    for pair in combinations(kept[::-1], 2):
        fewer = [one for one in kept if one not in pair]
        if fewer and all(one in kept for one in pair) and (remedy := tries.of(*fewer)):
            kept, found = fewer, remedy
    yield found


def _years_back(remedy: Remedy, catalogue: Catalogue) -> int:
    """Return how many years a remedy goes back, if below a pin's major version: hardly anybody wants that."""
    years = [0]
    for one in remedy.amendments:
        before, after = one.before.removeprefix("=="), one.after.removeprefix("==")
        if one.of is not Amended.WISH or one.layer is not None:
            continue
        try:
            here, there = Version(before), Version(after)
        except InvalidVersion:
            continue  # a range, or none
        if (there.epoch, there.major) < (here.epoch, here.major):
            days = {one.version: one.since for one in catalogue.releases(index_name(one.component))}
            since, then = days.get(here), days.get(there)
            years.append(max(1, (since - then).days // 365) if since and then else 1)
    return max(years)


class _Tries:
    """Solves again, up to a limit."""

    def __init__(
        self, request: Request, works: Works, catalogue: Catalogue, dated: Callable[[Request], Request]
    ) -> None:
        self._request = request
        self._catalogue = catalogue
        self._dated = dated
        self._works = works
        self._left = _MAX_TRIES

    def first(self, choice: Iterable[Change]) -> Remedy | None:
        """Return the first of several changes that is a remedy by itself."""
        return next((remedy for change in choice if (remedy := self.of(change))), None)

    def of(self, *changes: Change) -> Remedy | None:
        """Return the remedy that these changes make together, if they make one."""
        if not self._left:
            return None
        self._left -= 1
        request = self._request
        for change in changes:
            request = change.apply(request)
        try:
            solved = self._works(request)
        except EnvlockError:
            return None  # too deep, or metadata that cannot be had: nothing to propose
        if solved is None or self._lacks_extras(solved, request):
            return None
        remedy = Remedy(amendments=tuple(change.told(solved) for change in changes))
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
                known = self._catalogue.metadata(pin.name, pin.file).extras if pin else frozenset()
            except EnvlockError:
                continue  # nobody knows
            if not known.issuperset(map(canonicalize_name, wish.requirement.extras)):
                return True
        return False

    def _holds_as_written(self, request: Request, remedy: Remedy) -> bool:
        """Whether it still works once written down: a new pin can bring another cut-off with it."""
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
    """Yield remedies by who would have to act, the group itself first; of several, the innermost counts."""
    for layer in (None, Layer.DISCIPLINE, Layer.FRAMEWORK, Layer.CORE):
        group = [remedy for remedy in remedies if _actor(remedy) is layer]
        if group:
            yield layer, group


def _actor(remedy: Remedy) -> Layer | None:
    acting = {amendment.layer for amendment in remedy.amendments}
    return next((one for one in (Layer.CORE, Layer.FRAMEWORK, Layer.DISCIPLINE) if one in acting), None)
