"""What an answer's files and code say against it, and what else they need, to be solved around."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import replace

from packaging.requirements import Requirement

from envlock.app.solving.collisions import find_collisions
from envlock.app.solving.late_names import find_late_names
from envlock.app.solving.removed_names import find_removed_names, find_used_names, is_imported_at_once
from envlock.app.solving.unstated_imports import find_unstated_imports
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.collisions import NATIVE_COLLISION, as_conflict
from envlock.judging.learned_conflicts import learned_conflict
from envlock.judging.removed_names import REMOVED_NAMES, as_learned_conflict
from envlock.judging.unstated_imports import UNSTATED_IMPORTS, fact_of
from envlock.model.component import PYTHON
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import WARNED_OF, Fact, Severity
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.need import Need
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import YOU, Solved
from envlock.model.project.group import Wish
from envlock.solve.building.compilers import of_other_generations
from envlock.solve.request import Request, exact_version


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What does not go together in an answer.

    Attributes:
        facts: facts to solve around.
        dispensable: identifiers of those about readers that nothing imports at once; they count as long as
            there is an answer with them.
    """

    facts: tuple[Fact, ...]
    dispensable: frozenset[str] = frozenset()


def objections(
    answer: Solved,
    *,
    request: Request,
    knowledge: Knowledge,
    catalogue: IndexCatalogue,
    today: dt.date,
) -> tuple[Fact, ...]:
    """Return what files and code say against an answer, as facts: other releases may be free of it."""
    found = find_collisions(answer.distributions, catalogue, knowledge, today)
    return learn_conflicts(answer, found, request, knowledge, catalogue, today).facts


def learn_conflicts(
    answer: Solved,
    collisions: Iterable[Finding],
    request: Request,
    knowledge: Knowledge,
    catalogue: IndexCatalogue,
    today: dt.date,
) -> Learned:
    """Return what does not go together in an answer as facts to solve around; code is read if files agree."""

    def known(name: str) -> bool:
        return name in knowledge.facts or name in request.waived

    conflicts = (as_conflict(one, knowledge) for one in collisions if one.severity is Severity.REFUSE)
    met = {fact.id: fact for fact in conflicts}
    new = () if known(NATIVE_COLLISION) else tuple(fact for name, fact in met.items() if not known(name))
    if new or known(REMOVED_NAMES):
        return Learned(facts=new)
    found = [
        (as_learned_conflict(missing), missing.reader)
        for missing in find_removed_names(answer, catalogue, knowledge, today)
    ]
    found += find_late_names(answer, catalogue, today)
    fresh = [(fact, reader) for fact, reader in found if not known(fact.id)]
    return Learned(
        facts=tuple(fact for fact, _ in fresh),
        dispensable=frozenset(
            fact.id for fact, reader in fresh if not is_imported_at_once(reader, answer, catalogue, today)
        ),
    )


def preferences(
    answer: Solved, request: Request, knowledge: Knowledge, catalogue: IndexCatalogue
) -> tuple[Fact, ...]:
    """Return what fails only in part, as facts to solve around where that costs nothing else.

    Functions of old wishes may use names that others have removed since, facts may warn of releases that
    nobody chose, and modules may bring a compiler along that does not suit what is built.
    """
    used = () if REMOVED_NAMES in request.waived else find_used_names(answer, catalogue, knowledge)
    others = of_other_generations(answer, request, knowledge)
    found = (*used, *_spared_warnings(answer, request, knowledge), *others)
    return tuple(fact for fact in found if fact.id not in knowledge.facts and fact.id not in request.waived)


def _spared_warnings(answer: Solved, request: Request, knowledge: Knowledge) -> Iterator[Fact]:
    """Yield the facts that warn of an answer, as refusals, where a release that nobody chose is involved.

    A release that the lock already has does not count: a warning alone moves nothing that is locked.
    """
    open_to_choice = {
        pin.component
        for pin in answer.distributions
        if YOU not in pin.asked_by and request.preferred.get(pin.component) != pin.version
    }
    for finding in answer.warned:
        fact = knowledge.facts.named(finding.fact)
        if fact is not None and not (open_to_choice | _free(fact, request)).isdisjoint(finding.components):
            yield _as_refusal(fact)


def remembered(lock: Lock, knowledge: Knowledge) -> tuple[Fact, ...]:
    """Return what a lock has learned: conflicts that led to its pins, and do not show while these stay."""
    found = [
        learned_conflict(name, when, reason=lock.facts.get(name, "")) for name, when in lock.learned.items()
    ]
    for name in filter(is_of_warning, lock.facts.keys() - lock.learned.keys()):
        fact = knowledge.facts.named(name.removeprefix(WARNED_OF))
        if fact is not None and fact.severity is Severity.WARN:
            found.append(_as_refusal(fact))
    return tuple(sorted(found, key=lambda fact: fact.id))


def _as_refusal(fact: Fact) -> Fact:
    return replace(fact, id=f"{WARNED_OF}{fact.id}", severity=Severity.REFUSE)


def free_wishes(facts: Iterable[Fact], request: Request) -> frozenset[str]:
    """Return what the group asks for in any version, and may get in another one so that nothing warns of it.

    Other parts of the fact that warns have to be given: pinned by the group, or of the node. Of wishes that
    are all free none gives way: nothing tells which of them the group would rather have new.
    """
    return frozenset[str]().union(*(_free(fact, request) for fact in facts if is_of_warning(fact.id)))


def _free(fact: Fact, request: Request) -> frozenset[str]:
    named = {condition.component for condition in (*fact.when, *fact.then)}
    wishes = [wish for wish in request.applying if wish.component in named]
    chosen = {wish.component for wish in wishes if not _takes_any(wish)}
    pinned = {wish.component for wish in wishes if wish.requirement is None or _is_pinned(wish.requirement)}
    if PYTHON in named or pinned or any(map(request.target.offered, named)):
        return frozenset(wish.component for wish in wishes) - chosen - request.preferred.keys()
    return frozenset()


def _takes_any(wish: Wish) -> bool:
    return wish.requirement is not None and not wish.requirement.specifier and wish.direct is None


def _is_pinned(requirement: Requirement) -> bool:
    return bool(requirement.url or exact_version(requirement.specifier))


def is_of_warning(identifier: str) -> bool:
    """Whether a learned conflict is a warning; where it cannot be avoided, the answer warns of it anyway."""
    return identifier.startswith(WARNED_OF)


def unmet_needs(
    answer: Solved, request: Request, knowledge: Knowledge, catalogue: IndexCatalogue, today: dt.date
) -> tuple[Need, ...]:
    """Return what old code imports and nothing in an answer brings."""
    if request.as_of is None or UNSTATED_IMPORTS in request.waived:
        return ()
    found = find_unstated_imports(answer, catalogue, knowledge, today)
    return tuple(need for need in found if fact_of(need) not in request.waived)
