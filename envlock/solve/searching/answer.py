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
from envlock.solve.dependencies.of_candidates import Dependencies
from envlock.solve.offers.candidates import Candidates
from envlock.solve.request import Request
from envlock.solve.requirements import LOCK, Level, Requirement, split_extra
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
        self._present = {key: candidate for key, candidate in found.mapping.items() if not candidate.absent}
        self._requirements = found.requirements
        self._shaping = ShapingFacts(self._present, self._requirements, knowledge, candidates, dependencies)
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
        requirements = [need for key in own for need in self._requirements[key]]
        needed = {
            need.component
            for key in own
            for need in self._dependencies.of(self._present[key])
            if need.level is Level.MUST
            and need.identifier in self._present
            and self._is_file(need.identifier)
        }
        return DistributionPin(
            component=name,
            name=index_name(name),
            version=candidate.version,
            file=candidate.file,
            requires_python=candidate.file.requires_python,
            extras=tuple(sorted(extra for key in own if (extra := split_extra(key)[1]))),
            dependencies=tuple(sorted(needed - {name})),
            asked_by=self._dependents(name, requirements),
            facts=self._shaping.of(candidate, requirements),
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
                asked_by=self._dependents(name, self._requirements[name]),
                facts=self._shaping.of(candidate, self._requirements[name]),
            )
        return SystemPin(
            component=name,
            version=candidate.version,
            origin=origin,
            prefix=candidate.prefix,
            distribution="",
            modules=offer.modules if offer else (),
            variables=offer.variables if offer else MappingProxyType({}),
            asked_by=self._dependents(name, self._requirements[name]),
            facts=self._shaping.of(candidate, self._requirements[name]),
        )

    def _dependents(self, name: str, requirements: Iterable[Requirement]) -> tuple[str, ...]:
        """Return what requires it, the user first; for a virtual component, what requires that."""
        dependents: set[str] = set()
        for requirement in requirements:
            by = split_extra(requirement.dependent)[0]
            system = self._knowledge.systems.get(by)
            if requirement.level is not Level.MUST or by == name:
                continue
            if system is not None and system.members:
                dependents.update(
                    self._dependents(
                        by, (a for a in self._requirements[by] if a.fact or not self._member(by, a))
                    )
                )
            else:
                dependents.add(requirement.asked_by)
        return tuple(sorted(dependents, key=lambda dependent: (dependent != YOU, dependent)))

    def _member(self, virtual: str, requirement: Requirement) -> bool:
        return requirement.dependent in self._knowledge.systems[virtual].members

    def _brought(self, key: str) -> bool:
        """Whether it is a distribution that the site's modules bring."""
        candidate = self._present[key]
        return candidate.offer is not None and candidate.offer in self._request.target.distributions

    def _asked_for(self, name: str) -> bool:
        """Whether anything requires a system component, which may merely be there or come with another."""
        silent = {NODE, LOCK, CONSTRAINT, EXCLUSION}
        silent |= {str(pin) for pin in self._present.values() if pin.offer and name in pin.offer.properties}
        return any(requirement.asked_by not in silent for requirement in self._requirements[name])

    def _is_file(self, identifier: str) -> bool:
        return self._present[identifier].file is not None
