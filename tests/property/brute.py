"""The other way to the truth: try every combination of versions, with requirements and ``judge`` alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from packaging.utils import canonicalize_name

from envlock.judging.judge import judge
from envlock.model.component import Range, Via
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import Solved
from envlock.solve.assignment import assignment_of
from envlock.solve.request import Request
from tests.memory import MemoryCatalogue

Wanted = tuple[str, Range, Via | None]


class World:
    """Which combinations a request admits. Dropping facts or wishes gives other worlds."""

    def __init__(self, request: Request, knowledge: Knowledge, catalogue: MemoryCatalogue) -> None:
        self._request = request
        self._knowledge = knowledge
        self._catalogue = catalogue
        self._node = {
            offer.component: tuple(
                Chosen(version=other.version, via=Via.SITE)
                for other in request.target.offered(offer.component)
            )
            for offer in request.target.offers
            if offer.component in knowledge.systems and knowledge.systems[offer.component].fixed
        }

    def wishes(self) -> list[Wanted]:
        return [(wish.component, wish.range, None) for wish in self._request.wishes]

    def solvable(self) -> bool:
        """Whether any combination answers."""
        return self._refused(self._node) is False and self._any(dict(self._node), self.wishes())

    def _any(self, chosen: dict[str, tuple[Chosen, ...]], wanted: list[Wanted]) -> bool:
        """Depth first; as a fact never demands presence, a combination that it refuses stays refused."""
        while wanted:
            component, versions, via = wanted[-1]
            wanted = wanted[:-1]
            if component == "mpi":
                if self._mpis(chosen):
                    continue
                return any(self._any(chosen, [*wanted, (name, versions, None)]) for name in self._members())
            if component in chosen:
                if not all(_fits(one, versions, via) for one in chosen[component]):
                    return False
                continue
            return any(
                self._any({**chosen, component: (one,)}, [*wanted, *self.asks(component, one)])
                for one in self._choices(component)
                if _fits(one, versions, via)
                and self._admitted(component, one)
                and not (component in self._members() and self._mpis(chosen))
                and not self._refused({**chosen, component: (one,)})
            )
        return True

    def _admitted(self, component: str, chosen: Chosen) -> bool:
        """Whether the group's policy admits a component at a version."""
        policy = self._request.policy
        return component not in {one.component for one in policy.exclusions} and all(
            one.range.contains(chosen.version) for one in policy.constraints if one.component == component
        )

    def asks(self, component: str, chosen: Chosen) -> Iterator[Wanted]:
        """What a component at a version asks for, facts apart."""
        for need in self._knowledge.needs:
            if need.distribution == component and need.range.contains(chosen.version):
                yield need.component, Range.versions(""), None
        exactly = Range.versions(f"=={chosen.version}")
        for provider in self._knowledge.providers:
            if provider.component == component and chosen.via is Via.WHEEL:
                yield provider.distribution, exactly, None
            if provider.distribution == component:
                yield provider.component, exactly, Via.WHEEL
        if component in self._knowledge.systems:
            return
        for requirement in self._metadata(component, chosen.version).requires_dist:
            name = self._knowledge.distribution(requirement.name)
            overridden = [one.requirement for one in self._request.policy.overrides if one.component == name]
            counting = overridden[0] if overridden else requirement
            yield name, Range.versions(str(counting.specifier)), None

    def _choices(self, component: str) -> Iterator[Chosen]:
        if component not in self._knowledge.systems:
            for release in self._catalogue.releases(component.removeprefix("pypi:")):
                yield Chosen(
                    version=str(release.version),
                    via=Via.WHEEL if release.files[0].is_wheel else Via.BUILD,
                )
            return
        for offer in self._request.target.offered(component):
            yield Chosen(version=offer.version, via=Via.SITE)
        for provider in self._knowledge.providers:
            if provider.component == component:
                for one in self._choices(provider.distribution):
                    yield Chosen(version=one.version, via=Via.WHEEL)

    def _metadata(self, component: str, version: str):
        for release in self._catalogue.releases(canonicalize_name(component.removeprefix("pypi:"))):
            if str(release.version) == version:
                return self._catalogue.metadata(component, release.files[0])
        raise AssertionError(component)

    def _members(self) -> tuple[str, ...]:
        return self._knowledge.systems["mpi"].members

    def _mpis(self, chosen: Mapping[str, object]) -> list[str]:
        return [name for name in self._members() if name in chosen]

    def _refused(self, assignment: Assignment) -> bool:
        judgement = judge(assignment, self._knowledge)
        return any(finding.severity is Severity.REFUSE for finding in judgement.findings)

    def faults(self, solved: Solved) -> list[str]:
        """What is wrong with an answer."""
        chosen = assignment_of(solved, self._request, self._knowledge)
        faults = [f"refused: {chosen}"] if self._refused(chosen) else []
        if len(self._mpis(chosen)) > 1:
            faults.append("two MPIs")
        faults += [
            f"the policy forbids {component} {one.version}"
            for component, found in chosen.items()
            for one in found
            if not self._admitted(component, one)
        ]
        demands = [("you", wanted) for wanted in self.wishes()]
        for component, instances in chosen.items():
            if component not in self._node:
                demands += [(component, wanted) for wanted in self.asks(component, instances[0])]
        for asker, (component, versions, via) in demands:
            found = chosen.get(component, ())
            if component == "mpi":
                fine = len(self._mpis(chosen)) == 1
            else:
                fine = bool(found) and all(_fits(one, versions, via) for one in found)
            if not fine:
                faults.append(f"{asker} wants {component} {versions.text} {via or ''}, not {found}")
        return faults


def _fits(chosen: Chosen, versions: Range, via: Via | None) -> bool:
    return versions.contains(chosen.version) and via in {None, chosen.via}
