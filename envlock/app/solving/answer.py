"""What answers a group's wishes on a target, within what others own and without wheels that collide."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from envlock.app.project import Project
from envlock.app.solving.collisions import find_collisions
from envlock.app.solving.hashes import with_hashes
from envlock.app.solving.interpreter import need_interpreters
from envlock.app.solving.layering import held_by_layers, held_interpreter, holding, lock_to_agree_with
from envlock.app.solving.lessons import holds_together, lessons, unmet_needs
from envlock.app.solving.waivers import waived
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.collisions import NATIVE_COLLISION
from envlock.judging.removed_names import REMOVED_NAMES
from envlock.judging.stand_ins import asked_for_instead, instead_of_colliding
from envlock.judging.unstated_imports import fact_of, with_facts
from envlock.model.component import PYTHON
from envlock.model.errors import RefusedError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.need import Need
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import pinned_versions
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.manifest import Group, Manifest, Wish
from envlock.model.project.package_sources import Direct
from envlock.model.project.target import Interpreter, Target
from envlock.solve.interpreters import in_order, suitability, why_chosen
from envlock.solve.request import Request, applying, era_of_pins
from envlock.solve.resolve import resolve
from envlock.solve.shared import Shared

_MAX_TRIES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A group that nothing answers.

    Attributes:
        refusal: what cannot hold together.
        knowledge: the knowledge base that refused, with the collisions of files that were met.
        inherited: component -> the extended group that wrote the wish on it, where the group did not.
    """

    refusal: Unsolvable
    knowledge: Knowledge
    inherited: Mapping[str, str]


def answer_within_layers(
    project: Project,
    group: Group,
    target: Target,
    catalogue: IndexCatalogue,
    before: Lock | None,
    today: dt.date,
    *,
    upgrade: Collection[str] = (),
    shared: Shared | None = None,
) -> Solved | Refused:
    """As ``answer_group``, with what others own held, and in agreement with another group where it asks so.

    What is upgraded by itself takes the version that it has in an answer to which nothing is kept, and of all
    else moves what has to.

    Raises:
        RefusedError: ``not-yours``: the group asks for another Python than its owners have.
    """
    held = held_by_layers(project, group)
    like = lock_to_agree_with(project, group)
    interpreter = held_interpreter(project, group, target, held)
    shared = shared or Shared()
    kept = (_kept(like) if like else {}) | (_kept(before) if before else {})

    def answer(preferred: Mapping[str, str], raised: Mapping[str, str]) -> Solved | Refused:
        return answer_group(
            holding(project, held),
            group,
            target,
            catalogue,
            preferred,
            today,
            raised=raised,
            owned={one.component: one.version for one in held},
            interpreter=interpreter,
            shared=shared,
        )

    if before is None or not upgrade:
        return answer(kept, {})
    newest = answer({PYTHON: before.python}, {})
    if isinstance(newest, Refused):
        return newest
    versions = pinned_versions(newest)
    return answer(
        {name: version for name, version in kept.items() if name not in upgrade},
        {name: versions[name] for name in upgrade if name in versions},
    )


def _kept(lock: Lock) -> dict[str, str]:
    """What stays of a lock where nothing speaks against it, its interpreter included."""
    return {PYTHON: lock.python, **pinned_versions(lock)}


def answer_group(
    project: Project,
    group: Group,
    target: Target,
    catalogue: IndexCatalogue,
    preferred: Mapping[str, str],
    today: dt.date,
    *,
    raised: Mapping[str, str] = MappingProxyType({}),
    owned: Mapping[str, str] = MappingProxyType({}),
    interpreter: Interpreter | None = None,
    shared: Shared | None = None,
) -> Solved | Refused:
    """An answer for a group whose wheels do not collide, nor read what others of it took away.

    Each such conflict is learned and solved around.

    Args:
        project: the project.
        group: the group, perhaps with other wishes than the manifest's.
        target: what it is solved for.
        catalogue: what the indexes offer.
        preferred: component -> the version to keep where nothing speaks against it.
        today: waivers that have expired do not count.
        raised: component -> the only version that it may have, if it is there at all.
        owned: component -> the version that the extended group has of what others own.
        interpreter: the one to solve for; ``None`` for what the group asks for. Where it leaves that open,
            its interpreters are tried in the order in which they suit it.
        shared: what other solves over the same catalogue and knowledge base have worked out.
    """
    shared = shared or Shared()
    kept = preferred.get(PYTHON, "")
    preferred = {name: version for name, version in preferred.items() if name != PYTHON}
    waivers = waived(project, group.name, target, today).facts

    def asking(one: Interpreter) -> Request:
        request = _request(project, group, target, one, catalogue, preferred, waivers)
        return replace(request, raised=raised, owned=owned) if raised or owned else request

    def answer(request: Request, *, remedied: bool = True) -> Solved | Refused:
        return _answer(request, project.knowledge, group, catalogue, today, shared, remedied=remedied)

    left_open = (interpreter,) if interpreter else need_interpreters(group, target)
    if len(left_open) == 1:
        return answer(asking(left_open[0]))
    suited = [suitability(asking(one), project.knowledge, catalogue, shared) for one in left_open]
    ordered, refused = in_order(suited, kept), set[str]()
    for one in ordered:
        found = answer(one.request, remedied=False)
        if isinstance(found, Solved):
            return replace(found, python_because=why_chosen(one, ordered, refused))
        refused.add(one.interpreter.version)
    return answer(ordered[0].request)


def _request(
    project: Project,
    group: Group,
    target: Target,
    interpreter: Interpreter,
    catalogue: IndexCatalogue,
    preferred: Mapping[str, str],
    waivers: frozenset[str],
) -> Request:
    """What a group asks under an interpreter."""
    knowledge = project.knowledge
    wishes = applying(group.wishes, interpreter)
    era = era_of_pins(wishes, interpreter, knowledge, catalogue) if group.as_of == "auto" else None
    return Request(
        wishes=group.wishes,
        target=target,
        interpreter=interpreter,
        as_of=group.as_of if isinstance(group.as_of, dt.date) else era,
        preferred=preferred,
        policy=group.policy,
        era_of_pins=group.as_of == "auto",
        direct=_direct(wishes, project.manifest),
        stand_ins=asked_for_instead(wishes, knowledge),
        waived=waivers,
    )


def _answer(
    request: Request,
    knowledge: Knowledge,
    group: Group,
    catalogue: IndexCatalogue,
    today: dt.date,
    shared: Shared,
    *,
    remedied: bool,
) -> Solved | Refused:
    """An answer without such conflicts, or the refusal, with what would end it where that is wanted.

    What old code imports and does not ask for joins the answer, where that can be had: later releases had to
    mend it, and whoever asks for a time gets what was before.
    """
    wishes = request.applying
    holds = partial(holds_together, request=request, knowledge=knowledge, catalogue=catalogue, today=today)
    without: Solved | None = None
    learned: dict[str, str] = {}
    lacking: tuple[Need, ...] = ()
    tried: list[Need] = []
    needs: tuple[Need, ...] = ()
    for _ in range(_MAX_TRIES):
        remedied = remedied and without is None
        needing = replace(knowledge, needs=(*knowledge.needs, *needs))
        answer = resolve(request, needing, catalogue, shared, remedied=remedied, holds=holds)
        if isinstance(answer, Unsolvable) and without is None:
            inherited = {wish.component: wish.group for wish in group.wishes if wish.group != group.name}
            return Refused(refusal=answer, knowledge=knowledge, inherited=inherited)
        if isinstance(answer, Unsolvable):
            needs = needs[:-1]
        else:
            found = find_collisions(answer.distributions, catalogue, knowledge, today)
            instead = instead_of_colliding(found, wishes, request.stand_ins, knowledge)
            if instead:
                request = replace(request, stand_ins={**request.stand_ins, **instead})
                continue
            new = lessons(answer, found, request, knowledge, catalogue, today)
            learned |= {fact.id: fact.reason for fact in new}
            if new:
                knowledge = replace(knowledge, facts=knowledge.facts.plus(new))
                continue
            without = replace(answer, distributions=with_facts(answer.distributions, needs))
            lacking = unmet_needs(answer, request, needing, catalogue, today)
            learned |= {fact_of(need): need.reason for need in lacking}
        # One at a time: that one cannot be had is no reason to leave out another.
        more = next((need for need in lacking if need not in tried), None)
        if more is None:
            break
        tried.append(more)
        needs = (*needs, more)
    if without is not None:
        return with_hashes(replace(without, learned=learned), catalogue)
    raise RefusedError(
        REMOVED_NAMES if all(fact.id.startswith(REMOVED_NAMES) for fact in new) else NATIVE_COLLISION,
        f"something of every answer does not go together, in {_MAX_TRIES} tries",
        where=f"group {group.name!r}",
        why="; ".join(fact.reason for fact in new),
        hint="pin the distributions that should give way",
    )


def _direct(wishes: Iterable[Wish], manifest: Manifest) -> dict[str, Direct]:
    """The files and folders that take the place of indexes: the group's own before the manifest's."""
    own = {wish.component: wish.direct for wish in wishes if wish.direct is not None}
    return {**manifest.sources.direct, **own}
