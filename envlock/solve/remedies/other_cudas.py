"""Changes of wishes to the distributions and extras of the same project for other CUDA majors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from envlock.model.errors import EnvlockError
from envlock.model.locked.pins import Unsolvable
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import Catalogue
from envlock.solve.remedies.changes import Change
from envlock.solve.remedies.request_changes import blamed_wishes, by_name
from envlock.solve.request import Request

_IN_NAME = re.compile(r"(.+-cu(?:da)?)(\d\d)(x?)")
_IN_EXTRA = re.compile(r"(cu(?:da)?-?)(\d\d)((?:\D.*)?)")
_STEPS = (1, -1, 2, -2)
"""How many majors away the others are, nearest first, newer before older."""

Dated = Callable[[Request], Request]
"""Gives a request the time of its pins."""


def for_other_cudas(wish: Wish, request: Request, catalogue: Catalogue, dated: Dated) -> tuple[Change, ...]:
    """Return changes of a wish to what the same project has for other CUDA majors; none of other wishes.

    Distributions differ in the end of their names (``cupy-cuda12x``, ``cudf-cu12``), others have an extra for
    each (``jax[cuda12]``). The wish's bounds are kept at first.
    """
    major = _major(wish)
    if major is None:
        return ()
    ways = ((major + step, keeps) for keeps in (True, False) for step in _STEPS)
    changes = (_change(wish, other, request, catalogue, dated, keeps_bounds=keeps) for other, keeps in ways)
    return tuple(change for change in changes if change is not None)


def all_for_other_cudas(
    refusal: Unsolvable, request: Request, catalogue: Catalogue, dated: Dated
) -> Iterator[tuple[Change, ...]]:
    """Yield changes of all wishes for one CUDA major, where there are several and one of them is to blame.

    What is built for two CUDA majors seldom works in one process, so that none of them could change alone.
    """
    blamed = (_major(wish) for wish in blamed_wishes(refusal, request))
    for major in dict.fromkeys(found for found in blamed if found is not None):
        alike = [wish for wish in request.applying if _major(wish) == major]
        for keeps in (True, False):
            for step in _STEPS:
                ways = (
                    _change(wish, major + step, request, catalogue, dated, keeps_bounds=keeps)
                    for wish in alike
                )
                changes = tuple(filter(None, ways))
                if len(alike) > 1 and len(changes) == len(alike):
                    yield changes


def _major(wish: Wish) -> int | None:
    """Return the CUDA major that a wish names, in its distribution's name or in an extra."""
    if wish.requirement is None or wish.direct is not None:
        return None
    named = _IN_NAME.fullmatch(wish.component)
    extras = filter(None, map(_IN_EXTRA.fullmatch, sorted(wish.requirement.extras)))
    found = named or next(extras, None)
    return int(found[2]) if found else None


def _change(
    wish: Wish, major: int, request: Request, catalogue: Catalogue, dated: Dated, *, keeps_bounds: bool
) -> Change | None:
    """Return the change of a wish to another CUDA major; ``None`` if its project has no such distribution."""
    assert wish.requirement is not None  # noqa: S101 - it names a CUDA major
    bounds = str(wish.requirement.specifier) if keeps_bounds else ""
    if named := _IN_NAME.fullmatch(wish.component):
        name = f"{named[1]}{major}{named[3]}"
        return by_name(wish, name, bounds, request, dated) if _is_listed(name, catalogue) else None
    extras = {_IN_EXTRA.sub(rf"\g<1>{major}\g<3>", extra) for extra in wish.requirement.extras}
    return by_name(wish, wish.component, bounds, request, dated, extras=extras)


def _is_listed(name: str, catalogue: Catalogue) -> bool:
    try:
        return len(catalogue.releases(name)) > 0
    except EnvlockError:
        return False  # nobody else asked for its page, and the index cannot be reached now
