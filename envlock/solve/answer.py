"""Reading pins, with where each comes from, out of a finished solve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from resolvelib.resolvers import Result

from envlock.model.knowledge import Knowledge, index_name
from envlock.model.pins import DistributionPin, Origin, Solved, SystemPin
from envlock.solve.asks import YOU, Ask, Candidate, Mood, split_extra
from envlock.solve.candidates import PYTHON, Candidates
from envlock.solve.dependencies import Dependencies
from envlock.solve.request import Request


def read_answer(
    result: Result[Ask, Candidate, str],
    request: Request,
    knowledge: Knowledge,
    candidates: Candidates,
    dependencies: Dependencies,
) -> Solved:
    """All pins of a finished solve, without build plans yet, in the order of their names."""
    present = {key: candidate for key, candidate in result.mapping.items() if not candidate.absent}
    asked: Mapping[str, list[Ask]] = {
        key: [info.requirement for info in result.criteria[key].information] for key in present
    }
    extras: dict[str, list[str]] = {}
    for key in present:
        name, extra = split_extra(key)
        if extra:
            extras.setdefault(name, []).append(extra)
    distributions = []
    systems = []
    for key in sorted(present):
        candidate = present[key]
        if candidate.file is not None and "[" not in key:
            asks = [ask for full, asks in asked.items() if split_extra(full)[0] == key for ask in asks]
            distributions.append(
                _distribution(candidate, asks, extras.get(key, ()), present, candidates, dependencies)
            )
        elif key in knowledge.systems and not knowledge.systems[key].members and key != PYTHON:
            systems.append(_system(candidate, asked[key], knowledge, candidates))
    return Solved(
        interpreter=request.interpreter,
        distributions=tuple(distributions),
        systems=tuple(systems),
        as_of=request.as_of,
    )


def _distribution(
    candidate: Candidate,
    asks: Iterable[Ask],
    extras: Iterable[str],
    present: Mapping[str, Candidate],
    candidates: Candidates,
    dependencies: Dependencies,
) -> DistributionPin:
    assert candidate.file is not None  # noqa: S101 - the caller looked
    name = candidate.identifier
    own = [name, *(f"{name}[{extra}]" for extra in extras)]
    needed = {
        split_extra(ask.identifier)[0]
        for key in own
        for ask in dependencies.of(present[key])
        if ask.mood is Mood.MUST and ask.identifier in present and present[ask.identifier].file is not None
    }
    return DistributionPin(
        component=name,
        name=index_name(name),
        version=candidate.version,
        file=candidate.file,
        requires_python=candidate.file.requires_python,
        extras=tuple(sorted(extras)),
        dependencies=tuple(sorted(needed - {name})),
        asked_by=_askers(asks, own),
        facts=_narrowing_facts(name, asks, candidates),
        build=None,
    )


def _system(
    candidate: Candidate, asks: Iterable[Ask], knowledge: Knowledge, candidates: Candidates
) -> SystemPin:
    name = candidate.identifier
    offer, provider = candidate.offer, candidate.provider
    if provider is not None:
        origin = Origin.INDEX
    else:
        origin = Origin.NODE if knowledge.systems[name].fixed else Origin.SITE
    return SystemPin(
        component=name,
        version=candidate.version,
        origin=origin,
        prefix=offer.prefix if offer else "",
        distribution=provider.distribution if provider else "",
        modules=offer.modules if offer else (),
        variables=(provider.variables if provider else offer.variables if offer else MappingProxyType({})),
        asked_by=_askers(asks, [name]),
        facts=_narrowing_facts(name, asks, candidates),
    )


def _askers(asks: Iterable[Ask], own: Iterable[str]) -> tuple[str, ...]:
    """Who asked that it be there, the user first."""
    mine = set(own)
    askers = {
        ask.asked_by
        for ask in asks
        if ask.mood is Mood.MUST and split_extra(ask.asked_by.split(" ")[0])[0] not in mine
    }
    return tuple(sorted(askers, key=lambda asker: (asker != YOU, asker)))


def _narrowing_facts(name: str, asks: Iterable[Ask], candidates: Candidates) -> tuple[str, ...]:
    """Facts without which another version could have been chosen."""
    return tuple(sorted(set(_narrowing(name, list(asks), candidates))))


def _narrowing(name: str, asks: list[Ask], candidates: Candidates) -> Iterator[str]:
    others = [ask for ask in asks if not ask.fact]
    allowed = [c for c in candidates.of(name) if all(ask.satisfied_by(c) for ask in others)]
    for ask in asks:
        if ask.fact and not all(ask.satisfied_by(candidate) for candidate in allowed):
            yield ask.fact.partition("#")[0]
