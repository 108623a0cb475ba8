"""Changes of a request that might end a refusal: other names, bounds, cut-offs and Pythons, or no wish."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from envlock.judging.labels import has_label
from envlock.model.component import PYTHON, Range, parse_version
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.pins import ERA, YOU, Amended, Amendment, Remedy, Solved, Unsolvable
from envlock.model.project.group import Wish
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import Catalogue
from envlock.solve.remedies.changes import Change, chosen_version
from envlock.solve.remedies.series import ends_of_series, lasts_of_major, later_releases, nearest_release
from envlock.solve.request import Request, exact_version

_SERIES = 3
"""How many series beyond a pin are tried one by one, before the last of its major version and the newest."""


def blamed_wishes(refusal: Unsolvable, request: Request) -> list[Wish]:
    """Return the group's own wishes that took part in a refusal."""
    components = {reason.component for reason in refusal.reasons if reason.asked_by in {YOU, ERA}}
    return [wish for wish in request.applying if wish.component in components]


def relaxed(
    wish: Wish, request: Request, catalogue: Catalogue, dated: Callable[[Request], Request]
) -> tuple[Change, ...]:
    """Return changes that drop a wish's bounds; what is then chosen, or a nearer series, is the proposal.

    Where the pins imply a cut-off, that is kept at first, then replaced by that of the other pins.
    """

    def nearer(remedy: Remedy) -> Iterator[Change]:
        chosen = remedy.amendments[0].after.removeprefix("==")
        for version in _series_before(chosen, wish, request, catalogue):
            yield rewritten(wish, f"=={version}", request, dated)

    free = _asking(wish, "")
    within = _instead(wish, free, lambda request: request)
    lifted = (_instead(wish, free, dated),) if _by_pins(request) else ()
    return tuple(replace(change, nearer=nearer) for change in (within, *lifted))


def moved_on(
    wish: Wish, request: Request, catalogue: Catalogue, dated: Callable[[Request], Request]
) -> tuple[Change, ...]:
    """Return changes of a pinned wish to the last releases of its own series, of the next, and of its major.

    Somebody who pinned 0.56.4 would rather go to 0.57.1 than to the newest, or back to what nobody remembers.
    Where pins imply a cut-off, such a release implies its own. What nobody published goes to what is near.
    """

    def to(version: str, nearer: Sequence[str] = ()) -> Change:
        change = rewritten(wish, f"=={version}", request, dated)
        return replace(change, nearer=lambda _: map(to, nearer))

    ways = {**_nearest(wish, catalogue), **_next_series(wish, request, catalogue)}
    return tuple(to(*one) for one in ways.items())


def unlabelled(wish: Wish, request: Request, dated: Callable[[Request], Request]) -> Change | None:
    """Return the change of a labelled build (``==1.12.1+cu116``) to its release; ``None`` for others."""
    pinned = _pinned(wish)
    if not has_label(pinned) or wish.direct is not None:
        return None
    return rewritten(wish, f"=={Version(pinned).public}", request, dated)


def renamed(
    wish: Wish,
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    dated: Callable[[Request], Request],
) -> tuple[Change, ...]:
    """Return changes to the distribution's own name, with the wish's bounds, then without; none for others.

    A pin on what was never released is taken for its series: conda's versions may be shorter. A distribution
    that the group asks for by its own name anyway is not proposed.
    """
    meant = knowledge.distributed_as(wish.component)
    if not meant or wish.requirement is None or wish.direct is not None:
        return ()
    if any(one.component == meant for one in request.applying):
        return ()
    bounds = str(wish.requirement.specifier)
    pinned = _pinned(wish)
    if pinned and all(release.text != pinned for release in catalogue.releases(index_name(meant))):
        bounds = f"=={Version(pinned).base_version}.*"
    return tuple(by_name(wish, meant, one, request, dated) for one in (bounds, ""))


def by_name(
    wish: Wish,
    name: str,
    specifier: str,
    request: Request,
    dated: Callable[[Request], Request],
    *,
    extras: Collection[str] | None = None,
) -> Change:
    """Return the change to another distribution or other extras.

    Args:
        wish: the wish.
        name: the distribution's canonical name.
        specifier: the bounds instead of the wish's.
        request: what was refused.
        dated: gives a request the time of its pins.
        extras: the extras instead of the wish's; ``None`` to keep them.
    """
    other, before = _asking(wish, specifier), wish.range.text
    after = f"{index_name(name)} {specifier}".rstrip()
    if other.requirement is not None:
        other.requirement.name = index_name(name)
        if extras is not None:
            before = f"{in_brackets(other.requirement.extras)} {before}".rstrip()
            after = f"{index_name(name)}{in_brackets(extras)} {specifier}".rstrip()
            other.requirement.extras = set(extras)
    other = replace(other, component=name, text=str(other.requirement))
    amendment = Amendment(component=wish.component, layer=None, before=before, after=after, of=Amended.NAME)
    date = dated if request.era_of_pins else (lambda request: request)
    return Change(apply=lambda request: date(_with_wish(request, wish, other)), describe=lambda _: amendment)


def in_brackets(extras: Iterable[str]) -> str:
    """Return extras as a requirement has them behind its name: ``[cuda12,pip]``."""
    return f"[{','.join(sorted(extras))}]"


def rewritten(wish: Wish, specifier: str, request: Request, dated: Callable[[Request], Request]) -> Change:
    """Return the change to other versions; where pins imply a cut-off, this one takes part in that."""
    date = dated if _by_pins(request) else (lambda request: request)
    return _instead(wish, _asking(wish, specifier), date)


def _by_pins(request: Request) -> bool:
    """Whether the pins imply a cut-off."""
    return request.era_of_pins and request.as_of is not None


def _instead(wish: Wish, other: Wish, date: Callable[[Request], Request]) -> Change:
    """Return the change to another wish; what is chosen for that is the proposal."""

    def describe(solved: Solved) -> Amendment:
        version = chosen_version(solved, wish.component)
        after = version if wish.range.words_only or not version else f"=={_as_written(version)}"
        return Amendment(component=wish.component, layer=None, before=wish.range.text, after=after)

    return Change(apply=lambda request: date(_with_wish(request, wish, other)), describe=describe)


def _as_written(version: str) -> str:
    """Return what a manifest takes for a version: the release alone where a vendor's additions are in it."""
    try:
        Version(version)
    except InvalidVersion:
        with suppress(InvalidVersion):  # a word
            return str(parse_version(version))
    return version


def dropped(wish: Wish) -> Change:
    """Return the change that drops a wish, whatever bounds it has by then."""
    amendment = Amendment(component=wish.component, layer=None, before=wish.range.text, after="")

    def apply(request: Request) -> Request:
        kept = (one for one in request.wishes if (one.component, one.text) != (wish.component, wish.text))
        return replace(request, wishes=tuple(kept))

    return Change(apply=apply, describe=lambda _: amendment)


def _with_wish(request: Request, wish: Wish, instead: Wish) -> Request:
    return replace(request, wishes=tuple(instead if one == wish else one for one in request.wishes))


def pinned_wish(wish: Wish, after: Mapping[str, str]) -> Wish:
    """Return the wish as a remedy would have it written."""
    specifier = after.get(wish.component, "")
    return _asking(wish, specifier) if specifier and wish.requirement is not None else wish


def other_interpreters(request: Request, dated: Callable[[Request], Request]) -> Iterator[Change]:
    """Yield changes to the target's other interpreters, nearest first, newer before older.

    Where others own the interpreter, there are none: they would have to move it in a group of theirs.
    """
    if PYTHON in request.owned:
        return
    now = request.interpreter
    series = (now.release, now.toolchain)
    others = [other for other in request.target.interpreters if (other.release, other.toolchain) != series]

    def distance(other: Interpreter) -> tuple[int, int, int]:
        major, minor = (here - there for here, there in zip(now.release, other.release, strict=True))
        return abs(major), abs(minor), minor

    for other in sorted(others, key=distance):
        yield _under(now, other, dated if _by_pins(request) else (lambda request: request))


def _under(now: Interpreter, other: Interpreter, date: Callable[[Request], Request]) -> Change:
    amendment = Amendment(
        component=PYTHON, layer=None, before=now.version, after=other.version, of=Amended.PYTHON
    )
    return Change(
        apply=lambda request: date(replace(request, interpreter=other)),
        describe=lambda _: amendment,
    )


def ageless(request: Request) -> Iterator[Change]:
    """Yield the change that drops the request's cut-off."""
    if request.as_of is not None:
        amendment = Amendment(
            component="as-of", layer=None, before=str(request.as_of), after="none", of=Amended.AS_OF
        )
        yield Change(
            apply=lambda request: replace(request, as_of=None, era_of_pins=False),
            describe=lambda _: amendment,
        )


def _nearest(wish: Wish, catalogue: Catalogue) -> dict[str, Sequence[str]]:
    """Return what is nearest, in its series, to a pin that nobody ever published; nothing for others."""
    releases, pinned = catalogue.releases(index_name(wish.component)), _pinned(wish)
    if not pinned or not releases or any(wish.range.contains(release.text) for release in releases):
        return {}
    asked, nearest = Version(pinned), nearest_release(Version(pinned), releases)
    return {nearest.text: ()} if nearest.version.release[:2] == asked.release[:2] else {}


def _next_series(wish: Wish, request: Request, catalogue: Catalogue) -> dict[str, Sequence[str]]:
    """Return, for a pinned distribution, the last release of its own and of the next few minor series.

    After them comes the last release of its major version, whose interface is nearer than that of the next:
    that of the other wishes' time before one that may be years younger. Each stands for those in between.
    """
    pinned = _pinned(wish)
    later = later_releases(wish, pinned, request, catalogue)
    series = ends_of_series(later)
    near: dict[str, Sequence[str]] = dict.fromkeys(series[:_SERIES], ())
    here = len(near)
    for last in lasts_of_major(pinned, later, request.as_of):
        if last not in near:
            there = bisect_left(series, Version(last), key=Version)
            near[last] = series[here:there]
            here = max(here, there + 1)
    return near


def _series_before(version: str, wish: Wish, request: Request, catalogue: Catalogue) -> Sequence[str]:
    """Return the last releases of the minor series between a pin, or the next few series, and a version."""
    series = ends_of_series(later_releases(wish, _pinned(wish), request, catalogue))
    return series[_SERIES : bisect_left(series, Version(version), key=Version)] if series and version else ()


def _pinned(wish: Wish) -> str:
    """Return the version that a wish pins; none where it is no version (``===2004d`` may be any text)."""
    pinned = exact_version(wish.requirement.specifier) if wish.requirement is not None else ""
    try:
        return pinned and str(Version(pinned))
    except InvalidVersion:
        return ""


def _asking(wish: Wish, specifier: str) -> Wish:
    """Return the wish for other versions, or for other words."""
    requirement = None
    if wish.requirement is not None:
        requirement = Requirement(str(wish.requirement))
        requirement.specifier = SpecifierSet(specifier)
    wanted = Range.words(specifier) if wish.range.words_only else Range.versions(specifier)
    return replace(wish, range=wanted, requirement=requirement)
