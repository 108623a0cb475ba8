"""Changes of a request that might end a refusal: a wish without bounds or none, no cut-off, other Pythons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from envlock.model.component import Range
from envlock.model.manifest import Wish
from envlock.model.pins import ERA, YOU, Amended, Amendment, Solved, Unsolvable
from envlock.model.target import Interpreter
from envlock.solve.candidates import PYTHON
from envlock.solve.changes import Change, chosen_version
from envlock.solve.request import Request


def blamed_wishes(refusal: Unsolvable, request: Request) -> list[Wish]:
    """The group's own wishes that took part in a refusal."""
    components = {reason.component for reason in refusal.reasons if reason.asked_by in {YOU, ERA}}
    return [wish for wish in request.applying if wish.component in components]


def relaxed(wish: Wish, request: Request, dated: Callable[[Request], Request]) -> tuple[Change, ...]:
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


def dropped(wish: Wish) -> Change:
    """The request without a wish."""
    amendment = Amendment(component=wish.component, layer=None, before=wish.range.text, after="")
    return Change(apply=lambda request: _with_wish(request, wish), told=lambda _: amendment)


def _with_wish(request: Request, wish: Wish, *instead: Wish) -> Request:
    wishes = [other for one in request.wishes for other in (instead if one == wish else (one,))]
    return replace(request, wishes=tuple(wishes))


def pinned_wish(wish: Wish, after: Mapping[str, str]) -> Wish:
    """The wish as a remedy would have it written."""
    specifier = after.get(wish.component, "")
    if not specifier or wish.requirement is None:
        return wish
    requirement = Requirement(str(wish.requirement))
    requirement.specifier = SpecifierSet(specifier)
    return replace(wish, range=Range.versions(specifier), requirement=requirement)


def other_interpreters(request: Request) -> Iterator[Change]:
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


def ageless(request: Request) -> Iterator[Change]:
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
