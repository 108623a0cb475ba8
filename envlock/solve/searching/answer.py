"""Reading pins, with where each comes from, out of a finished solve."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from envlock.model.component import PYTHON
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.pins import (
    CONSTRAINT,
    EXCLUSION,
    NODE,
    YOU,
    DistributionPin,
    Origin,
    Solved,
    SystemPin,
)
from envlock.solve.asking.dependencies import Dependencies
from envlock.solve.asks import LOCK, Ask, Mood, split_extra
from envlock.solve.offers.candidates import Candidates
from envlock.solve.request import Request
from envlock.solve.searching.outcomes import Found
from envlock.solve.searching.shaping import ShapingFacts


class AnswerReader:
    """Turns the mapping that a search found into pins, sorted by name, without build plans."""

    def __init__(
        self,
        found: Found,
        request: Request,
        knowledge: Knowledge,
        candidates: Candidates,
        dependencies: Dependencies,
    ) -> None:
        self._request = request
        self._knowledge = knowledge
        self._dependencies = dependencies
        self._present = {key: one for key, one in found.mapping.items() if not one.absent}
        self._asked = found.asked
        self._shaping = ShapingFacts(self._present, self._asked, knowledge, candidates, dependencies)
        self._parts: dict[str, list[str]] = {}  # a distribution's keys: its own, and one for each extra
        for key in self._present:
            self._parts.setdefault(split_extra(key)[0], []).append(key)

    def solved(self) -> Solved:
        """Return all pins."""
        systems = self._knowledge.systems
        keys = sorted(self._present)
        return Solved(
            interpreter=self._request.interpreter,
            distributions=tuple(
                self._distribution(key) for key in keys if self._present[key].file and "[" not in key
            ),
            systems=tuple(
                self._system(key)
                for key in keys
                if (key in systems and not systems[key].members and key != PYTHON and self._asked_for(key))
                or self._brought(key)
            ),
            as_of=self._request.as_of,
        )

    def _distribution(self, name: str) -> DistributionPin:
        candidate = self._present[name]
        assert candidate.file is not None  # noqa: S101 - the caller has checked
        own = self._parts[name]
        asks = [ask for key in own for ask in self._asked[key]]
        needed = {
            split_extra(ask.identifier)[0]
            for key in own
            for ask in self._dependencies.of(self._present[key])
            if ask.mood is Mood.MUST and ask.identifier in self._present and self._is_file(ask.identifier)
        }
        return DistributionPin(
            component=name,
            name=index_name(name),
            version=candidate.version,
            file=candidate.file,
            requires_python=candidate.file.requires_python,
            extras=tuple(sorted(extra for key in own if (extra := split_extra(key)[1]))),
            dependencies=tuple(sorted(needed - {name})),
            asked_by=self._askers(name, asks),
            facts=self._shaping.of(candidate, asks),
            build=None,
        )

    def _system(self, name: str) -> SystemPin:
        candidate = self._present[name]
        offer, provider = candidate.offer, candidate.provider
        system = self._knowledge.systems.get(name)
        origin = Origin.NODE if system is not None and system.fixed else Origin.SITE
        if system is not None and offer is None and candidate.version in system.choices:
            origin = Origin.CHOICE
        if provider is not None:
            return SystemPin(
                component=name,
                version=candidate.version,
                origin=Origin.INDEX,
                prefix="",
                distribution=provider.distribution,
                modules=(),
                variables=provider.variables,
                asked_by=self._askers(name, self._asked[name]),
                facts=self._shaping.of(candidate, self._asked[name]),
            )
        return SystemPin(
            component=name,
            version=candidate.version,
            origin=origin,
            prefix=candidate.prefix,
            distribution="",
            modules=offer.modules if offer else (),
            variables=offer.variables if offer else MappingProxyType({}),
            asked_by=self._askers(name, self._asked[name]),
            facts=self._shaping.of(candidate, self._asked[name]),
        )

    def _askers(self, name: str, asks: Iterable[Ask]) -> tuple[str, ...]:
        """Return who asked that it be there, the user first; for a virtual component, who asked for that."""
        askers: set[str] = set()
        for ask in asks:
            by = split_extra(ask.asked_by.split(" ")[0])[0]
            system = self._knowledge.systems.get(by)
            if ask.mood is not Mood.MUST or by == name:
                continue
            if system is not None and system.members:
                askers.update(
                    self._askers(by, (a for a in self._asked[by] if a.fact or not self._member(by, a)))
                )
            else:
                askers.add(ask.asked_by)
        return tuple(sorted(askers, key=lambda asker: (asker != YOU, asker)))

    def _member(self, virtual: str, ask: Ask) -> bool:
        return ask.asked_by.split(" ")[0] in self._knowledge.systems[virtual].members

    def _brought(self, key: str) -> bool:
        """Whether it is a distribution that the site's modules bring."""
        candidate = self._present[key]
        return candidate.offer is not None and candidate.offer in self._request.target.distributions

    def _asked_for(self, name: str) -> bool:
        """Whether anything asks about a system component, which may merely be there or come with another."""
        silent = {NODE, LOCK, CONSTRAINT, EXCLUSION}
        silent |= {str(one) for one in self._present.values() if one.offer and name in one.offer.properties}
        return any(ask.asked_by not in silent for ask in self._asked[name])

    def _is_file(self, identifier: str) -> bool:
        return self._present[identifier].file is not None
