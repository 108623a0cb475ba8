"""Answers for one interpreter after another of those that a group leaves open, until one will do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, MutableMapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import groupby
from typing import NamedTuple

from envlock.app.solving.refused import Refused
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.collisions import NATIVE_COLLISION
from envlock.judging.removed_names import REMOVED_NAMES
from envlock.model.errors import RefusedError
from envlock.model.locked.pins import Solved
from envlock.solve.effort import Effort
from envlock.solve.fallen_back import comes_back, fell_by_itself, has_none_older
from envlock.solve.interpreters import (
    NO_SOLUTION,
    Suitability,
    built_beside_wheels,
    from_years_before,
    near_wishes,
    why_chosen,
)
from envlock.solve.request import Request
from envlock.solve.searching.by_resolvelib import TOO_DEEP
from envlock.solve.searching.outcomes import Refuted
from envlock.solve.searching.solver import Solver

_SOMETHING = "something that is asked for"
_GIVEN_UP = frozenset({TOO_DEEP, REMOVED_NAMES, NATIVE_COLLISION})
"""Codes of searches that have spent their rounds or tries; under another interpreter one may not."""


class _Stage(IntEnum):
    """What a short search has found of an interpreter."""

    NEAR = 0
    """An answer with near releases of all wishes."""
    SOON = 1
    """An answer."""
    LAST = 2
    """None."""


class _Turn(NamedTuple):
    """An interpreter whose turn it is."""

    suited: Suitability
    stage: _Stage


def first_that_suits(
    ordered: Sequence[Suitability],
    answer: Callable[[Request, Effort], Solved | Refused],
    solver_of: Callable[[Request], Solver],
    catalogue: IndexCatalogue,
    kept: str,
) -> Solved | None:
    """Return the answer for the first interpreter under which no wish falls back by years and none is built.

    Builds count of what is only brought, where other interpreters find wheels, and only among interpreters
    that suit the wishes themselves alike, none of which the lock has. Without such an answer the nearest one
    is taken.

    Args:
        ordered: the interpreters, in the order in which they suit the group.
        answer: answers a request, or refuses it.
        solver_of: makes the solver of a request.
        catalogue: what the indexes offer.
        kept: the version of the interpreter to keep; empty for none.
    """
    best: tuple[Suitability, Solved] | None = None
    passed_by: dict[str, str] = {}
    built: dict[str, Collection[str]] = {}
    for turn in _turns(ordered, solver_of, kept, passed_by):
        if best is not None and _is_enough(best, turn):
            break
        candidate, version = turn.suited, turn.suited.interpreter.version
        found = _answered(candidate.request, answer)
        if found is None:
            passed_by[version] = NO_SOLUTION
            continue
        built[version] = built_beside_wheels(found, catalogue)
        if back := fell_by_itself(found):
            passed_by[version] = from_years_before(back)
        fewer = best is not None and len(built[version]) < len(built[best[0].interpreter.version])
        if best is None or _is_nearer(found, best[1], fewer_builds=fewer):
            best = (candidate, found)
        if not back and (not built[version] or version == kept):
            break
    if best is None:
        return None
    chosen, found = best
    return replace(found, python_because=why_chosen(chosen, ordered, passed_by, built))


def _turns(
    ordered: Sequence[Suitability],
    solver_of: Callable[[Request], Solver],
    kept: str,
    passed_by: MutableMapping[str, str],
) -> Iterator[_Turn]:
    """Yield the interpreters: of those that suit alike, first what near releases of all wishes are found for.

    One to keep that suits as well as any comes before. For the others it is found out when their turn comes,
    by a short search that goes by metadata and facts alone: to look for an answer with older releases, or at
    length, takes minutes where years are gone through.
    """
    solvers = [(suited, solver_of(suited.request)) for suited in ordered]
    last: list[Suitability] = []
    staying = [suited for suited in ordered[:1] if suited.interpreter.version == kept]
    yield from (_Turn(suited, _Stage.NEAR) for suited in staying)
    for _, alike in groupby(ordered[len(staying) :], lambda suited: (suited.costs, suited.young)):
        left = list(alike)
        for stage in (_Stage.NEAR, _Stage.SOON):
            put_off: list[Suitability] = []
            for suited in left:
                near = tuple(near_wishes(suited, solvers)) if stage is _Stage.NEAR else ()
                request = replace(suited.request, wishes=(*suited.request.wishes, *near))
                why_not = _why_not_soon(solver_of(request), {wish.component for wish in near})
                if why_not:
                    passed_by[suited.interpreter.version] = why_not
                    (put_off if near else last).append(suited)  # without nearer ones the same search again
                else:
                    yield _Turn(suited, stage)
            left = put_off
    yield from (_Turn(suited, _Stage.LAST) for suited in last)


def _why_not_soon(solver: Solver, narrowed: Collection[str]) -> str:
    """Return why a short search finds nothing; empty where it finds something.

    Args:
        solver: the solver of the request.
        narrowed: what it asks near releases of.
    """
    try:
        found = solver.attempt(solver.requirements(), solver.facts, far=False)
    except RefusedError as error:
        if error.code != TOO_DEEP:
            raise
        return "no solution is found soon"
    if not isinstance(found, Refuted):
        return ""
    if not narrowed:
        return NO_SOLUTION
    return from_years_before(narrowed if len(narrowed) == 1 else (_SOMETHING,))


def _is_enough(best: tuple[Suitability, Solved], turn: _Turn) -> bool:
    """Whether an answer will do without another turn."""
    if turn.stage is _Stage.LAST:
        return True
    suited, found = best
    return not fell_by_itself(found) and (turn.stage > _Stage.NEAR or turn.suited.costs > suited.costs)


def _answered(request: Request, answer: Callable[[Request, Effort], Solved | Refused]) -> Solved | None:
    """Return the answer under one interpreter, if any is found within bounds: under another one it may be."""
    try:
        found = answer(request, Effort.ANSWER)
    except RefusedError as error:
        if error.code not in _GIVEN_UP:
            raise
        return None
    return found if isinstance(found, Solved) else None


def _is_nearer(found: Solved, best: Solved, *, fewer_builds: bool) -> bool:
    """Whether an answer has all of the best one, what fell back there nearer or else with fewer builds."""
    if fewer_builds and found.fallen_back.keys() <= best.fallen_back.keys() and has_none_older(found, best):
        return True
    return bool(fell_by_itself(best)) and comes_back(found, best)
