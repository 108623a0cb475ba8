"""The order in which a target's interpreters are tried for a group that leaves its Python open.

Wheels come first, as they do among releases: the newest interpreter often has none of what was pinned years
ago, or of what those pins bring. Whoever pinned releases had an interpreter for which wheels existed then;
on later ones even pure Python may not run (distutils and imp went with Python 3.12).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from packaging.version import Version

from envlock.model.component import PYTHON, Range, Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.pins import YOU, Solved
from envlock.model.project.group import Wish
from envlock.model.project.target import Interpreter, Target
from envlock.model.published.catalogue import Catalogue
from envlock.solve.dependencies.of_facts import FactRequirements
from envlock.solve.era import PIN_MARGIN, day_of_newest_pin, era_of_interpreter
from envlock.solve.fallen_back import best_first, nearer_wish
from envlock.solve.hindrances import Hindrance, hindrances
from envlock.solve.offers.shared import Shared
from envlock.solve.request import Request, exact_version
from envlock.solve.requirements import UNUSABLE_PREFIX, Candidate, Requirement
from envlock.solve.searching.solver import Solver

NO_SOLUTION = "no solution"
_MOST_LOOKED_AT = 40
"""Releases of a wish whose facts about the interpreter are looked at; older ones seldom differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suitability:
    """How an interpreter suits what a group itself asks for.

    Attributes:
        request: the group's request for this interpreter.
        unusable: the wishes of which no release has a file that it can use, or facts refuse all beside it.
        late: the wishes of which only releases later than the request's time have one.
        hindered: the wishes whose best release requires what has no usable release.
        best: wish -> its best release of the request's time, whether or not something hinders that.
        built: the wishes that it would have to build although others need not. What was published as sources
            alone is built for every interpreter of its time; a wheel of a year later is no reason for one
            that came out a year later (ml-collections 0.1.1 and 1.1.0, Python 3.11 and 3.13).
        young: whether it came out too late to have wheels of much at the time asked about.
    """

    request: Request
    unusable: tuple[str, ...]
    late: tuple[str, ...]
    hindered: tuple[Hindrance, ...]
    best: Mapping[str, Candidate]
    built: tuple[str, ...]
    young: bool

    @property
    def interpreter(self) -> Interpreter:
        """The interpreter."""
        return self.request.interpreter

    @property
    def costs(self) -> tuple[int, int, int, int]:
        """How many wishes cannot be had, not in their best release, only by a build, and only later."""
        return len(self.unusable), len(self.hindered), len(self.built), len(self.late)


def open_interpreters(python: Range, target: Target) -> tuple[Interpreter, ...]:
    """Return the newest interpreter of each series that a range admits, newest series first.

    Of each generation of the site's toolchains, as an MPI may be there for one of these alone.
    """
    newest: dict[tuple[tuple[int, int], str], Interpreter] = {}
    fitting = (interpreter for interpreter in target.interpreters if python.contains(interpreter.version))
    for interpreter in sorted(fitting, key=_age, reverse=True):
        newest.setdefault((interpreter.release, interpreter.toolchain), interpreter)
    return tuple(newest.values())


def suitability(request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared) -> Suitability:
    """Tell how the interpreter of a request suits its wishes, by their pages and by facts about both."""
    of_time = Solver(request, knowledge, catalogue, shared)
    wishes = [wish for wish in request.dating if wish.requirement is not None and wish.direct is None]
    best = {wish.text: _best(wish, of_time) for wish in wishes}
    left = [wish for wish in wishes if best[wish.text] is None]
    late: dict[str, Candidate] = {}
    if left and request.era_of_pins:  # a cut-off that the group wrote lets nothing later in
        of_any_time = of_time.of(replace(request, as_of=None))
        late = {wish.text: found for wish in left if (found := _best(wish, of_any_time)) is not None}
    best |= late
    found_in_time = {wish: found for wish in wishes if (found := best[wish.text]) and wish.text not in late}
    hindered = tuple(hindrances(found_in_time, of_time))
    its_era = era_of_interpreter(request.interpreter, knowledge)
    day = _day_asked_about(request, knowledge, catalogue)
    return Suitability(
        request=request,
        unusable=tuple(text for text, found in best.items() if found is None),
        late=tuple(late),
        hindered=hindered,
        best={wish.text: found for wish, found in found_in_time.items()},
        built=tuple(
            text for text, found in best.items() if found and _lacks_wheel(found, request, catalogue)
        ),
        young=its_era is not None and day is not None and day < its_era,
    )


def _best(wish: Wish, solver: Solver) -> Candidate | None:
    """Return the best release for a wish that neither the group nor facts refuse beside the interpreter."""
    facts = FactRequirements(solver.request, solver.knowledge, solver.facts)
    python = Candidate(identifier=PYTHON, versions=(solver.request.interpreter.version,))

    def refuses(asked: Requirement) -> bool:
        unmet = asked.identifier == PYTHON and not asked.satisfied_by(python)
        return unmet or asked.identifier.startswith(UNUSABLE_PREFIX)

    found = islice(best_first(wish, solver), _MOST_LOOKED_AT)
    return next((candidate for candidate in found if not any(map(refuses, facts.of(candidate)))), None)


def _lacks_wheel(candidate: Candidate, request: Request, catalogue: Catalogue) -> bool:
    """Whether a candidate has to be built, and others find a wheel of the same release.

    What the manifest names itself is the same for all, and may be a release that no index has.
    """
    if candidate.via is not Via.BUILD or candidate.identifier in request.direct:
        return False
    return _has_wheels(index_name(candidate.identifier), candidate.version, catalogue)


def _has_wheels(distribution: str, version: str, catalogue: Catalogue) -> bool:
    releases = catalogue.releases(distribution)
    return any(file.is_wheel for file in releases[releases.texts.index(version)].files)


def built_beside_wheels(solved: Solved, catalogue: Catalogue) -> tuple[str, ...]:
    """Return what an answer only brings and has to build, while other interpreters find wheels of it.

    What the group itself asks for is known before any answer (``suitability``).
    """
    return tuple(
        f"{pin.name} {pin.version}"
        for pin in solved.distributions
        if pin.build is not None and not pin.file.direct and YOU not in pin.asked_by
        if _has_wheels(pin.name, pin.version, catalogue)
    )


def _day_asked_about(request: Request, knowledge: Knowledge, catalogue: Catalogue) -> dt.date | None:
    if not request.era_of_pins:
        return request.as_of
    day = day_of_newest_pin(request.dating, request.interpreter, knowledge, catalogue)
    return None if day is None else day + PIN_MARGIN


def in_order(some: Iterable[Suitability], kept: str = "") -> list[Suitability]:
    """Order by most wishes that can be had, and in their best releases, then by fewest builds and later ones.

    Of these interpreters of the time come first, and of them the newest; of those that came too late, the
    oldest. One to keep comes before all that are no better for the wishes.

    Args:
        some: what to order.
        kept: the version of the interpreter to keep; empty for none.
    """
    all_of_them = tuple(some)
    had = _newest_unhindered(all_of_them)
    ordered = sorted((_beside_others(suited, had) for suited in all_of_them), key=_rank)
    keeping = [
        suited
        for suited in ordered
        if suited.interpreter.version == kept and suited.costs <= ordered[0].costs
    ]
    return [*keeping, *(suited for suited in ordered if suited not in keeping)]


def _newest_unhindered(some: Iterable[Suitability]) -> Mapping[str, str]:
    """Map wishes to the newest release that any of some interpreters can have, as far as is known."""
    newest: dict[str, str] = {}
    for suited in some:
        hindered = {hindrance.wish for hindrance in suited.hindered}
        for wish, release in suited.best.items():
            if wish not in hindered:
                newest[wish] = max(release.version, newest.get(wish, release.version), key=Version)
    return newest


def _beside_others(suited: Suitability, had: Mapping[str, str]) -> Suitability:
    """Let only those wishes count as hindered of which another interpreter has as new a release."""
    counting = (hindrance for hindrance in suited.hindered if hindrance.is_answered_by(had))
    return replace(suited, hindered=tuple(counting))


def _rank(suited: Suitability) -> tuple[int, int, int, int, bool, tuple[int, ...]]:
    age = _age(suited.interpreter)
    return (*suited.costs, suited.young, age if suited.young else tuple(-part for part in age))


def _age(interpreter: Interpreter) -> tuple[int, ...]:
    return Version(interpreter.version).release


def near_wishes(suited: Suitability, some: Sequence[tuple[Suitability, Solver]]) -> Iterator[Wish]:
    """Yield what asks for releases of the last year before the newest that any interpreter has at the time.

    Wishes for what the lock has are left out, as it stays, however old it is, and those for one release.

    Args:
        suited: the interpreter whose time counts: others may let in what was released later.
        some: all that are open to the group, each with the solver of its request.
    """
    day = suited.request.as_of or dt.date.max
    of_time = [pair for pair in some if (pair[0].request.as_of or dt.date.max) <= day]
    for wish in suited.request.dating:
        if wish.text in suited.best and _is_open(wish, suited.request):
            _, solver = max(
                (pair for pair in of_time if wish.text in pair[0].best),
                key=lambda pair: Version(pair[0].best[wish.text].version),
            )
            yield nearer_wish(wish, solver)


def _is_open(wish: Wish, request: Request) -> bool:
    exact = wish.requirement is not None and exact_version(wish.requirement.specifier)
    return not exact and wish.component not in request.preferred


def from_years_before(wishes: Iterable[str]) -> str:
    """Say that an interpreter has only releases from years before of some wishes."""
    return f"only releases from years before of {', '.join(sorted(wishes))}"


def why_chosen(
    chosen: Suitability,
    ordered: Sequence[Suitability],
    passed_by: Mapping[str, str],
    built: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> str:
    """Explain why it is not the newest that was open to the group; empty where it is.

    Args:
        chosen: what was taken.
        ordered: all that were open.
        passed_by: version of an interpreter that was tried -> why it was not taken.
        built: version of an interpreter that was tried -> what has to be built under it, if only brought.
    """
    by_reason: dict[str, list[tuple[int, int]]] = {}
    for other in sorted(ordered, key=lambda suited: _age(suited.interpreter)):
        if _age(other.interpreter) > _age(chosen.interpreter):
            here, there = (built.get(suited.interpreter.version, ()) for suited in (chosen, other))
            more = [name for name in there if name not in here]
            against = "; ".join(_against(other, chosen, passed_by, more))
            by_reason.setdefault(against, []).append(other.interpreter.release)
    return "; ".join(
        f"not {', '.join('{}.{}'.format(*release) for release in series)}: {why}"
        for why, series in by_reason.items()
    )


def _against(
    other: Suitability,
    chosen: Suitability,
    passed_by: Mapping[str, str],
    built_there: Collection[str],
) -> Iterator[str]:
    """Yield what speaks against a newer interpreter."""
    if built_there:
        yield f"no wheel of {', '.join(built_there)}"
        return
    if other.interpreter.version in passed_by:
        yield passed_by[other.interpreter.version]
        return
    unusable = [text for text in other.unusable if text not in chosen.unusable]
    here = {hindrance.wish for hindrance in chosen.hindered}
    hindered = [str(hindrance) for hindrance in other.hindered if hindrance.wish not in here]
    built = [text for text in other.built if text not in (*chosen.unusable, *chosen.built)]
    if unusable:
        yield f"no usable release of {', '.join(unusable)}"
    if hindered:
        yield f"no usable release of {', '.join(hindered)}"
    if built:
        yield f"no wheel of {', '.join(built)}"
    if unusable or hindered or built:
        return
    if late := [text for text in other.late if text not in (*chosen.unusable, *chosen.late)]:
        yield f"only releases after the time of the pins of {', '.join(late)}"
    if other.young:
        yield "came out too late for wheels at the time of the pins"
    if not (late or other.young):
        yield "the lock had another"
