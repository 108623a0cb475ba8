"""Answers for one interpreter after another of those that a group leaves open, until one will do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace

from envlock.app.solving.refused import Refused
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.model.errors import RefusedError
from envlock.model.locked.pins import YOU, Solved
from envlock.model.project.group import Wish
from envlock.solve.effort import Effort
from envlock.solve.fallen_back import comes_back, fell_by_itself, has_none_older
from envlock.solve.interpreters import Suitability, built_beside_wheels, near_wishes, why_chosen
from envlock.solve.request import Request
from envlock.solve.requirements import Level, Requirement
from envlock.solve.searching.by_resolvelib import TOO_DEEP
from envlock.solve.searching.solver import Solver

_SOMETHING = "something that is asked for"


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
    passed_by: dict[str, Collection[str]] = {}
    built: dict[str, Collection[str]] = {}
    for candidate, near in _nearest_first(ordered, near_wishes(ordered, solver_of), solver_of, passed_by):
        if best is not None and not fell_by_itself(best[1]) and (not near or candidate.costs > best[0].costs):
            break
        found, version = _answered(candidate.request, answer), candidate.interpreter.version
        if found is None:
            passed_by[version] = ()
            continue
        built[version] = built_beside_wheels(found, catalogue)
        if back := fell_by_itself(found):
            passed_by[version] = back
        fewer = best is not None and len(built[version]) < len(built[best[0].interpreter.version])
        if best is None or _is_nearer(found, best[1], fewer_builds=fewer):
            best = (candidate, found)
        if not back and (not built[version] or version == kept):
            break
    if best is None:
        return None
    chosen, found = best
    return replace(found, python_because=why_chosen(chosen, ordered, passed_by, built))


def _nearest_first(
    ordered: Sequence[Suitability],
    near: Mapping[str, Wish],
    solver_of: Callable[[Request], Solver],
    passed_by: MutableMapping[str, Collection[str]],
) -> Iterator[tuple[Suitability, bool]]:
    """Yield the interpreters, and whether they may have near releases of all wishes; those that may, first.

    It is found out for each when its turn comes, by a short search that goes by metadata and facts alone: to
    look for an answer with older releases takes minutes where years of them are tried.
    """
    others = []
    for suited in ordered:
        solver = solver_of(suited.request)
        wishes = [near[wish.text] for wish in suited.request.dating if wish.text in near]
        nearer = (
            Requirement(identifier=wish.component, level=Level.MUST, range=wish.range, asked_by=YOU)
            for wish in wishes
        )
        if solver.refutes((*solver.requirements(), *nearer), solver.facts, far=False):
            names = {wish.component for wish in wishes}
            passed_by[suited.interpreter.version] = names if len(names) == 1 else (_SOMETHING,)
            others.append(suited)
        else:
            yield suited, True
    yield from ((suited, False) for suited in others)


def _answered(request: Request, answer: Callable[[Request, Effort], Solved | Refused]) -> Solved | None:
    """Return the answer under one interpreter, if any is found within bounds: under another one it may be."""
    try:
        found = answer(request, Effort.ANSWER)
    except RefusedError as error:
        if error.code != TOO_DEEP:
            raise
        return None
    return found if isinstance(found, Solved) else None


def _is_nearer(found: Solved, best: Solved, *, fewer_builds: bool) -> bool:
    """Whether an answer has all of the best one, what fell back there nearer or else with fewer builds."""
    if fewer_builds and found.fallen_back.keys() <= best.fallen_back.keys() and has_none_older(found, best):
        return True
    return bool(fell_by_itself(best)) and comes_back(found, best)
