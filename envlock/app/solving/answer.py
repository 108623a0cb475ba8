"""What answers a group's wishes on a target: under which interpreter, and within what others own."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from envlock.app.project import Project
from envlock.app.solving.hashes import with_hashes
from envlock.app.solving.interpreter import need_interpreters
from envlock.app.solving.layering import (
    held_by_layers,
    held_interpreter,
    holding,
    lock_to_agree_with,
    refuse_outdated,
)
from envlock.app.solving.learned_conflicts import remembered as remembered_by
from envlock.app.solving.refused import Refused
from envlock.app.solving.sound import sound_answer
from envlock.app.solving.trying_interpreters import first_that_suits
from envlock.app.solving.waivers import waived
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.stand_ins import asked_for_instead
from envlock.model.component import PYTHON
from envlock.model.knowing.fact import Fact
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import locked_versions, pinned_versions
from envlock.model.locked.pins import Solved
from envlock.model.project.group import Group, Wish
from envlock.model.project.manifest import Manifest
from envlock.model.project.package_sources import Direct
from envlock.model.project.target import Interpreter, Target
from envlock.solve.effort import Effort
from envlock.solve.era import era_of_pins
from envlock.solve.interpreters import in_order, suitability
from envlock.solve.offers.requested_extras import newest_with_extras
from envlock.solve.offers.shared import Shared
from envlock.solve.own_folders import stated_wishes
from envlock.solve.request import Request, applying
from envlock.solve.searching.solver import Solver


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
    """Run ``answer_group`` with what others own held, agreeing with another group where it asks for that.

    What is upgraded by name takes the version that it has in an answer to which nothing is kept; of all else
    only what must move does.

    Raises:
        RefusedError: ``not-yours``: the group asks for another Python than its owners have;
            ``base-outdated``: the group that it extends asks for something else since it was locked.
    """
    held = held_by_layers(project, group)
    refuse_outdated(project, group, held)
    like = lock_to_agree_with(project, group)
    interpreter = held_interpreter(project, group, target, held)
    shared = shared or Shared()
    kept = (locked_versions(like) if like else {}) | (locked_versions(before) if before else {})

    def answer(preferred: Mapping[str, str], raised: Mapping[str, str]) -> Solved | Refused:
        return answer_group(
            holding(project, held),
            group,
            target,
            catalogue,
            preferred,
            today,
            raised=raised,
            owned={part.component: part.version for part in held},
            interpreter=interpreter,
            remembered=remembered_by(before, project.knowledge) if before else (),
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
    remembered: Sequence[Fact] = (),
    shared: Shared | None = None,
) -> Solved | Refused:
    """Find an answer for a group whose wheels neither collide nor read names that others of it took away.

    Each such conflict is learned and solved around.

    Args:
        project: the project.
        group: the group, perhaps with other wishes than the manifest's.
        target: what it is solved for.
        catalogue: what the indexes offer.
        preferred: component -> the version to keep where nothing speaks against it.
        today: waivers whose last day is before it do not count.
        raised: component -> the only version that it may have, if it is there at all.
        owned: component -> the version that the extended group has of what others own.
        interpreter: the one to solve for; ``None`` for what the group asks for. Where it leaves that open,
            its interpreters are tried in the order in which they suit it, until under one no wish has fallen
            back by years.
        remembered: what led to the versions to keep, and does not show while they are kept.
        shared: what other solves over the same catalogue and knowledge base have worked out.
    """
    shared = shared or Shared()
    kept = preferred.get(PYTHON, "")
    preferred = {name: version for name, version in preferred.items() if name != PYTHON}
    waivers = waived(project, group.name, target, today).facts

    def asking(interpreter: Interpreter) -> Request:
        request = _request(project, group, target, interpreter, catalogue, preferred, waivers)
        return replace(request, raised=raised, owned=owned) if raised or owned else request

    def answer(request: Request, effort: Effort = Effort.REMEDY) -> Solved | Refused:
        found = sound_answer(
            request,
            group,
            project.knowledge,
            catalogue,
            today,
            shared,
            remembered=remembered,
            effort=effort,
        )
        if isinstance(found, Solved):
            return with_hashes(found, catalogue)
        found = _with_expired(found, project.manifest, today)
        return found if catalogue.has_sources else _without_sources(found)

    left_open = (interpreter,) if interpreter else need_interpreters(group, target)
    requests = [asking(python) for python in left_open]
    extras = newest_with_extras(requests, project.knowledge, catalogue, shared)
    requests = [replace(request, extras=extras) for request in requests] if extras else requests
    if len(requests) == 1:
        return answer(requests[0])
    suited = [suitability(request, project.knowledge, catalogue, shared) for request in requests]
    ordered = in_order(suited, kept)

    looking = Shared()  # of files that do not state their dependencies solves must learn for themselves

    def solver_of(request: Request) -> Solver:
        return Solver(request, project.knowledge, catalogue, looking)

    found = first_that_suits(ordered, answer, solver_of, catalogue, kept)
    return found or answer(ordered[0].request)


def _with_expired(refused: Refused, manifest: Manifest, today: dt.date) -> Refused:
    """Say of a refusal which waivers of its facts have expired: yesterday it was none."""
    notes = tuple(
        f"the waiver of {fact!r} expired on {last}"
        for fact in refused.refusal.facts
        if (last := manifest.expired(fact, today)) is not None
    )
    return replace(refused, refusal=replace(refused.refusal, excluded=(*refused.refusal.excluded, *notes)))


def _without_sources(refused: Refused) -> Refused:
    """Say of a refusal that nothing was on offer, which no other name of a distribution would change."""
    why = "there is no index to ask: pip's configuration says no-index, without find-links (pip config debug)"
    refusal = replace(refused.refusal, excluded=(*refused.refusal.excluded, why))
    return replace(refused, refusal=refusal)


def _request(
    project: Project,
    group: Group,
    target: Target,
    interpreter: Interpreter,
    catalogue: IndexCatalogue,
    preferred: Mapping[str, str],
    waivers: frozenset[str],
) -> Request:
    """Return what a group asks for under an interpreter."""
    knowledge = project.knowledge
    wishes = applying(group.wishes, interpreter)
    direct = _direct(wishes, project.manifest)
    stated = tuple(stated_wishes(wishes, direct, interpreter, knowledge, catalogue))
    dating = (*wishes, *stated)
    era = era_of_pins(dating, interpreter, knowledge, catalogue) if group.as_of == "auto" else None
    return Request(
        wishes=group.wishes,
        target=target,
        interpreter=interpreter,
        as_of=group.as_of if isinstance(group.as_of, dt.date) else era,
        preferred=preferred,
        policy=group.policy,
        era_of_pins=group.as_of == "auto",
        direct=direct,
        stand_ins=asked_for_instead(wishes, knowledge),
        waived=waivers,
        stated=stated,
    )


def _direct(wishes: Iterable[Wish], manifest: Manifest) -> dict[str, Direct]:
    """Return the files and folders used instead of indexes: the group's own before the manifest's."""
    own = {wish.component: wish.direct for wish in wishes if wish.direct is not None}
    return {**manifest.sources.direct, **own}
