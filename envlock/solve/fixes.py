"""What would end a refusal: changes of the request or of the target that were solved again and work."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from envlock.model.catalogue import Catalogue
from envlock.model.component import Layer, Range
from envlock.model.errors import EnvlockError
from envlock.model.knowledge import Knowledge, index_name
from envlock.model.manifest import Wish
from envlock.model.pins import ERA, YOU, Amended, Amendment, Remedy, Solved, Unsolvable
from envlock.model.target import Interpreter, Offer
from envlock.solve.candidates import PYTHON
from envlock.solve.changes import Change, Works, chosen_version
from envlock.solve.policy_changes import policy_changes
from envlock.solve.request import Request, era_of_pins

_MAX_TRIES = 24
"""Solves for one refusal; each takes about as long as the first."""
_ENOUGH = 4

_LOWER = frozenset({">=", "==", "~=", "==="})
_MANYLINUX = re.compile(r"manylinux_(\d+)_(\d+)_")
_GLIBC = "glibc"


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
        return replace(amended, as_of=era_of_pins(amended.wishes, knowledge, catalogue))

    tries = _Tries(request, works, dated)
    relaxed = [_relaxed(wish, request, dated) for wish in _blamed(refusal, request) if wish.range.text]
    systems = _systems(refusal, request, knowledge, catalogue)
    policy = [(one,) for one in policy_changes(refusal, request)]
    choices = [*relaxed, *policy, tuple(_interpreters(request)), *systems, tuple(_ageless(request))]
    found = [remedy for choice in choices if (remedy := tries.first(choice))]
    if not found and len(request.wishes) > 1:
        dropped = [_dropped(wish) for wish in _blamed(refusal, request)]
        found = [remedy for change in dropped if (remedy := tries.of(change))]
    if not found:
        pairs = combinations([choice[0] for choice in choices if choice], 2)
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
        written = self._dated(replace(request, wishes=tuple(_pinned(one, after) for one in request.wishes)))
        try:
            return written.as_of == request.as_of or self._works(written) is not None
        except EnvlockError:
            return False


def _blamed(refusal: Unsolvable, request: Request) -> list[Wish]:
    components = {reason.component for reason in refusal.reasons if reason.asked_by in {YOU, ERA}}
    return [wish for wish in request.wishes if wish.component in components]


def _relaxed(wish: Wish, request: Request, dated: Callable[[Request], Request]) -> tuple[Change, ...]:
    """The wish without its bounds; what is then chosen is the proposal.

    Where the pins imply a cut-off, first within that, then within that of the other pins.
    """
    free = replace(wish, range=Range.versions(""), requirement=_unbounded(wish.requirement))

    def told(solved: Solved) -> Amendment:
        version = chosen_version(solved, wish.component)
        after = f"=={version}" if version else ""
        return Amendment(component=wish.component, layer=None, before=wish.range.text, after=after)

    within = Change(apply=lambda request: _with_wish(request, wish, free), told=told)
    if not request.era_of_pins or request.as_of is None:
        return (within,)
    return within, Change(apply=lambda request: dated(_with_wish(request, wish, free)), told=told)


def _pinned(wish: Wish, after: Mapping[str, str]) -> Wish:
    """The wish as a remedy would have it written."""
    specifier = after.get(wish.component, "")
    if not specifier or wish.requirement is None:
        return wish
    requirement = Requirement(str(wish.requirement))
    requirement.specifier = SpecifierSet(specifier)
    return replace(wish, range=Range.versions(specifier), requirement=requirement)


def _ageless(request: Request) -> Iterator[Change]:
    """The request without its cut-off."""
    if request.as_of is not None:
        amendment = Amendment(
            component="as-of", layer=None, before=str(request.as_of), after="none", of=Amended.AS_OF
        )
        yield Change(
            apply=lambda request: replace(request, as_of=None, era_of_pins=False), told=lambda _: amendment
        )


def _unbounded(requirement: Requirement | None) -> Requirement | None:
    if requirement is None:
        return None
    free = Requirement(str(requirement))
    free.specifier = SpecifierSet("")
    return free


def _dropped(wish: Wish) -> Change:
    amendment = Amendment(component=wish.component, layer=None, before=wish.range.text, after="")
    return Change(apply=lambda request: _with_wish(request, wish), told=lambda _: amendment)


def _with_wish(request: Request, wish: Wish, *instead: Wish) -> Request:
    wishes = [other for one in request.wishes for other in (instead if one == wish else (one,))]
    return replace(request, wishes=tuple(wishes))


def _interpreters(request: Request) -> Iterator[Change]:
    """The target's other interpreters, newest first."""
    now = request.interpreter
    for other in request.target.interpreters:
        if other.release != now.release:
            yield _under(now, other)


def _under(now: Interpreter, other: Interpreter) -> Change:
    amendment = Amendment(
        component=PYTHON, layer=None, before=now.version, after=other.version, of=Amended.PYTHON
    )
    return Change(
        apply=lambda request: replace(request, interpreter=other),
        told=lambda _: amendment,
    )


def _systems(
    refusal: Unsolvable, request: Request, knowledge: Knowledge, catalogue: Catalogue
) -> Iterator[tuple[Change, ...]]:
    """For each system component of the core the versions that the target does not offer."""
    for component, versions in _wanted(refusal, request, knowledge, catalogue).items():
        offered = request.target.offered(component)
        lacking = [version for version in versions if all(offer.version != version for offer in offered)]
        yield tuple(_offering(component, version, offered, knowledge) for version in lacking)


def _offering(component: str, version: str, offered: tuple[Offer, ...], knowledge: Knowledge) -> Change:
    """The target with a component at a version: in place of the node's own, or beside the site's others."""
    fixed = knowledge.systems[component].fixed
    amendment = Amendment(
        component=component,
        layer=knowledge.layer(component),
        before=", ".join(offer.version for offer in offered),
        after=version,
        of=Amended.SYSTEM,
    )

    def apply(request: Request) -> Request:
        others = [o for o in request.target.offers if not (fixed and o.component == component)]
        offers = (*others, Offer(component=component, version=version))
        return replace(request, target=replace(request.target, offers=offers))

    return Change(apply=apply, told=lambda _: amendment)


def _wanted(
    refusal: Unsolvable, request: Request, knowledge: Knowledge, catalogue: Catalogue
) -> Mapping[str, tuple[str, ...]]:
    """System component -> versions that the core's wishes and facts speak of, and that was checked last."""
    named: dict[str, list[str]] = {}
    facts = sorted((f for f in knowledge.facts if f.id in refusal.facts), key=lambda fact: fact.id)
    for condition in [condition for fact in facts for condition in (*fact.then, *fact.when)]:
        named.setdefault(condition.component, []).extend(_lower_bounds(condition.range))
    for wish in _blamed(refusal, request):
        named.setdefault(wish.component, []).extend(_lower_bounds(wish.range))
        named.setdefault(_GLIBC, []).extend(_needed_glibc(wish, request, catalogue))
    for reason in refusal.reasons:
        named.setdefault(reason.component, [])
    wanted = {}
    for component, versions in named.items():
        system = knowledge.systems.get(component)
        if system is None or system.members or system.words or component == PYTHON:
            continue
        covered = knowledge.coverage.get(component)
        checked = [covered.version] if covered and component != _GLIBC else []
        wanted[component] = tuple(dict.fromkeys([*versions, *checked]))
    return wanted


def _lower_bounds(versions: Range) -> Iterator[str]:
    """Versions that a range begins with."""
    if versions.words_only:
        return
    for part in versions.text.split("||"):
        for one in SpecifierSet("" if part.strip() == "*" else part):
            if one.operator in _LOWER:
                yield one.version.removesuffix(".*")


def _needed_glibc(wish: Wish, request: Request, catalogue: Catalogue) -> list[str]:
    """The oldest C library beyond the target's with which a wheel of the wish could be used."""
    if wish.requirement is None or not request.target.glibc or wish.component in request.direct:
        return []
    here = Version(request.target.glibc)
    short = "cp{}{}".format(*request.interpreter.release)
    found = set()
    for release in catalogue.releases(index_name(wish.component)):
        if not wish.range.contains(str(release.version)):
            continue
        for file in release.files:
            for tag in file.tags:
                glibc = _MANYLINUX.match(tag.platform)
                if glibc and tag.platform.endswith(request.target.machine) and tag.interpreter == short:
                    found.add(Version(f"{glibc[1]}.{glibc[2]}"))
    newer = [version for version in found if version > here]
    return [str(min(newer))] if newer else []


def by_layer(remedies: tuple[Remedy, ...]) -> Iterator[tuple[Layer | None, list[Remedy]]]:
    """Remedies by who would have to act, the group itself first; several who act count as the innermost."""
    for layer in (None, Layer.DISCIPLINE, Layer.FRAMEWORK, Layer.CORE):
        group = [remedy for remedy in remedies if _actor(remedy) is layer]
        if group:
            yield layer, group


def _actor(remedy: Remedy) -> Layer | None:
    acting = {amendment.layer for amendment in remedy.amendments}
    return next((one for one in (Layer.CORE, Layer.FRAMEWORK, Layer.DISCIPLINE) if one in acting), None)
