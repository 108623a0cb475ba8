"""Wishes whose release is years older than what the group could have had, and how to get a nearer one.

A wish without a lower bound has some release that nothing speaks against, if only an ancient one from before
its project had the dependency that fails here: where the node lacks libsndfile, librosa 0.5.1 of 2017 answers
a group of 2022, because 0.7 and later need SoundFile. As there is an answer, there is no refusal that would
reopen anything (``reopening.py``), and yet nobody would take that release.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from envlock.model.component import Range, parse_version
from envlock.model.locked.pins import YOU, BetterRelease, DistributionPin, Solved
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import DistFile
from envlock.solve.request import Request
from envlock.solve.requirements import Candidate, Level, Requirement
from envlock.solve.searching.solver import Solver

_LONG_AGO = dt.timedelta(days=365)
"""How much older than the best release for its wish one must be to have fallen back; our own choice."""


def with_nearer_wishes(solved: Solved, solver: Solver, resolve_again: Callable[[Request], object]) -> Solved:
    """Replace an answer by one in which fewer wishes have fallen back, where there is one.

    Where the group has a cut-off, each such wish is solved for again with releases of the last year alone, so
    that whatever keeps them out leads to a refusal and may be reopened. The answer names those that stay
    back. What the lock already has is left alone.

    Args:
        solved: the answer.
        solver: the solver of the request.
        resolve_again: answers an amended request.
    """
    request = solver.request
    if request.building:
        return solved
    fallen = _fallen_back(solved, solver)
    for wish in fallen if request.as_of is not None else ():
        amended = replace(request, wishes=(*request.wishes, nearer_wish(wish, solver)))
        answer = resolve_again(amended)
        if isinstance(answer, Solved):
            left = _fallen_back(answer, solver)
            if wish not in left and left.keys() <= fallen.keys():
                return with_nearer_wishes(answer, solver.of(amended), resolve_again)
    return replace(solved, fallen_back={wish.component: best for wish, best in fallen.items()})


def fell_by_itself(answer: Solved) -> Collection[str]:
    """Return what fell back in an answer for no other wish's sake: another interpreter may have it nearer."""
    return [name for name, best in answer.fallen_back.items() if not best.kept_out]


def comes_back(other: Solved, answer: Solved) -> bool:
    """Whether another answer, for another interpreter, has what fell back in nearer releases and none older.

    For an older interpreter even the best release may be old, so that nothing falls back from it: the
    releases count that the first answer passed by.
    """
    there = {pin.component: pin for pin in other.distributions}
    near = all(
        name in there and not _is_long_before(there[name].file, answer.fallen_back[name].file)
        for name in fell_by_itself(answer)
    )
    return near and has_none_older(other, answer)


def has_none_older(other: Solved, answer: Solved) -> bool:
    """Whether another answer has all that the group asks for, and nothing of it in an older release.

    What only fell back for the sake of another wish does not count as older.
    """
    there = {pin.component: pin for pin in other.distributions}
    given = other.fallen_back.keys() - fell_by_itself(other)
    return all(
        pin.component in there
        and (
            pin.component in given
            or parse_version(there[pin.component].version) >= parse_version(pin.version)
        )
        for pin in answer.distributions
        if YOU in pin.asked_by
    )


def _fallen_back(solved: Solved, solver: Solver) -> Mapping[Wish, BetterRelease]:
    """Map the wishes whose release came long before the best one that the wish itself admits to that."""
    pins = {pin.component: pin for pin in solved.distributions}
    found: dict[Wish, BetterRelease] = {}
    for wish in solver.request.dating:
        pin = pins.get(wish.component)
        if pin is None or solver.request.preferred.get(wish.component) == pin.version:
            continue
        best = next(best_first(wish, solver), None)
        if best is not None and best.file is not None and _is_long_before(pin.file, best.file):
            found[wish] = BetterRelease(version=best.version, file=best.file)
    fallen = {wish.component for wish in found}
    near = [pin for pin in solved.distributions if YOU in pin.asked_by and pin.component not in fallen]
    return {
        wish: replace(best, kept_out=_kept_out(wish.component, best.version, near, solver))
        for wish, best in found.items()
    }


def _kept_out(component: str, version: str, near: Iterable[DistributionPin], solver: Solver) -> str:
    """Tell which pin requires by its metadata another version of a component; empty where none does."""
    better = Candidate(identifier=component, versions=(version,))
    for pin in near:
        candidate = Candidate(identifier=pin.component, versions=(pin.version,))
        for asked in solver.metadata.of(candidate, pin.file):
            if asked.identifier == component and not asked.satisfied_by(better):
                return f"{candidate} requires {asked}"
    return ""


def nearer_wish(wish: Wish, solver: Solver) -> Wish:
    """Return a wish for the best releases alone, down to the first that came long before them."""
    best, *others = best_first(wish, solver)
    near = takewhile(lambda release: not _is_long_before(release.file, best.file), others)
    oldest = min((best, *near), key=lambda release: parse_version(release.version))
    return replace(wish, range=Range.versions(f">={parse_version(oldest.version).public}"))


def best_first(wish: Wish, solver: Solver) -> Iterator[Candidate]:
    """Yield the releases that a wish and the rest of the request about its component admit, best first."""
    own = Requirement(identifier=wish.component, level=Level.MUST, range=wish.range, asked_by=YOU)
    requirements = [
        own,
        *(requirement for requirement in solver.requirements() if requirement.identifier == wish.component),
    ]
    return solver.candidates.admitted(wish.component, requirements, best_first=True)


def _is_long_before(file: DistFile | None, best: DistFile | None) -> bool:
    if file is None or best is None or file.upload_time is None or best.upload_time is None:
        return False
    return file.upload_time < best.upload_time - _LONG_AGO
