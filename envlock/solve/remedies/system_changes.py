"""Changes of a target that might end a refusal: versions of system components that it does not offer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from envlock.judging.judge import judge
from envlock.judging.minimums import required_by_facts
from envlock.judging.tags import glibc_of, tags_of
from envlock.model.component import PYTHON, Range, Via, parse_version
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Chosen
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.pinned import decided_by_node, pinned_choices
from envlock.model.locked.pins import Amended, Amendment, Solved, Unsolvable
from envlock.model.lower_bounds import lower_bounds
from envlock.model.project.group import Wish
from envlock.model.project.target import Offer
from envlock.model.published.catalogue import Catalogue
from envlock.solve.remedies.changes import Change
from envlock.solve.remedies.request_changes import blamed_wishes
from envlock.solve.request import Request
from envlock.solve.requirements import EVERY

_GLIBC = "glibc"
_ANY_GLIBC = "2.99"
"""A C library that is new enough for every wheel."""
_ANY = ""
"""In place of a version: what is asked for has to be there, in whatever version."""
_SOME = "0"
"""The version that such a component has in a solve."""


def system_changes(
    refusal: Unsolvable, request: Request, knowledge: Knowledge, catalogue: Catalogue
) -> Iterator[tuple[Change, ...]]:
    """Yield, for each system component of the core, changes to versions that the target does not offer."""
    for component, versions in _wanted(refusal, request, knowledge, catalogue).items():
        offered = request.target.offered(component)
        lacking = [version for version in versions if all(offer.version != version for offer in offered)]
        yield tuple(_offering(component, version, offered, knowledge) for version in lacking)


def _offering(component: str, version: str, offered: tuple[Offer, ...], knowledge: Knowledge) -> Change:
    """Return the change to a component's version: replacing the node's own, or beside the site's others.

    Of the node's own components the least that an answer asks for suffices: nobody needs the newest driver.
    What a site offers beside others stands in place of none of them.
    """
    fixed = knowledge.systems[component].fixed
    amendment = Amendment(
        component=component,
        layer=knowledge.layer(component),
        before=", ".join(offer.version for offer in offered) if fixed else "",
        after=version,
        of=Amended.SYSTEM,
    )

    def apply(request: Request) -> Request:
        others = [o for o in request.target.offers if not (fixed and o.component == component)]
        offers = (*others, Offer(component=component, version=version or _SOME))
        return replace(request, target=replace(request.target, offers=offers))

    def less(solved: Solved) -> Change | None:
        least = _least(component, solved, knowledge) if fixed else ""
        if not least or parse_version(least) >= parse_version(version):
            return None
        return _offering(component, least, offered, knowledge)

    return Change(apply=apply, describe=lambda _: amendment, less=less)


def _least(component: str, solved: Solved, knowledge: Knowledge) -> str:
    """Return the least version of a node's component that facts on an answer take; empty where none ask."""
    asked = list(required_by_facts(component, pinned_choices(solved), knowledge))
    return max(asked, key=parse_version) if asked else ""


def _wanted(
    refusal: Unsolvable, request: Request, knowledge: Knowledge, catalogue: Catalogue
) -> Mapping[str, tuple[str, ...]]:
    """Map system components to the versions that the core's wishes and facts name, and the last one checked.

    What lies beyond the last may not exist: nobody is sent to ask for it. Of what the node itself has, the
    last is that which goes with the rest of it: the newest drivers are not for the oldest GPUs.
    Where nothing names a version (a library, header files), any will do.
    """
    named: dict[str, list[str]] = {}
    facts = sorted((f for f in knowledge.facts if f.id in refusal.facts), key=lambda fact: fact.id)
    wishes = blamed_wishes(refusal, request)
    asked = [*((condition.component, condition.range) for fact in facts for condition in fact.then)]
    asked += [(wish.component, wish.range) for wish in wishes]
    for component, bounds in [
        *asked,
        *((condition.component, condition.range) for fact in facts for condition in fact.when),
    ]:
        named.setdefault(component, []).extend(_lower_bounds(bounds))
    for component, bounds in asked:
        system = knowledge.systems.get(component)
        if system is not None and not system.fixed and not any(_lower_bounds(bounds)):
            named[component] += _newest_for_node(component, request, knowledge, within=bounds)
    for wish in wishes:
        named.setdefault(_GLIBC, []).extend(_needed_glibc(wish, request, catalogue))
    loose = {reason.component for reason in refusal.reasons} - named.keys()
    named |= {component: [] for component in loose}
    wanted = {}
    for component, versions in named.items():
        system = knowledge.systems.get(component)
        if system is None or system.members or system.words or component == PYTHON:
            continue
        covered = knowledge.coverage.get(component)
        checked = [covered.version] if covered and component != _GLIBC else []
        known = [version for version in versions if covered is None or not covered.is_before(version)]
        if system.fixed and checked:
            checked = [*_newest_for_node(component, request, knowledge, checked)] or checked
        elif not known and not system.fixed:
            known = [*_newest_for_node(component, request, knowledge)]
        any_does = component in loose and not request.target.offered(component)
        wanted[component] = tuple(dict.fromkeys([*known, *checked])) or (_ANY,) * any_does
    return wanted


def _newest_for_node(
    component: str,
    request: Request,
    knowledge: Knowledge,
    more: Sequence[str] = (),
    within: Range = EVERY,
) -> Iterator[str]:
    """Yield the newest version that facts' ranges begin with, or of some more, and that the node takes."""
    bounds = {
        *more,
        *(
            bound
            for fact in knowledge.facts
            for condition in (*fact.when, *fact.then)
            if condition.component == component
            for bound in _lower_bounds(condition.range)
        ),
    }
    covered = knowledge.coverage.get(component)
    node = decided_by_node(request.target, knowledge)
    for version in sorted(bounds, key=lambda text: (parse_version(text), text), reverse=True):
        if not within.contains(version) or (covered is not None and covered.is_before(version)):
            continue
        there = {**node, component: (Chosen(version=version, via=Via.SITE),)}
        if all(finding.severity is not Severity.REFUSE for finding in judge(there, knowledge).findings):
            yield version
            return


def _lower_bounds(versions: Range) -> Iterator[str]:
    """Yield the versions that the parts of a range begin with."""
    for part in versions.parts:
        yield from lower_bounds(part.specifiers)


def _needed_glibc(wish: Wish, request: Request, catalogue: Catalogue) -> list[str]:
    """Return the oldest C library beyond the target's with which a wheel of the wish could be used."""
    if wish.requirement is None or not request.target.glibc or wish.component in request.direct:
        return []
    here = (*parse_version(request.target.glibc).release, 0)[:2]
    interpreter = request.interpreter
    fit = tags_of(interpreter.release, interpreter.abi, request.target.machine, _ANY_GLIBC).fit
    found = set[tuple[int, int]]()
    for release in catalogue.releases(index_name(wish.component)):
        if not wish.range.contains(str(release.version)):
            continue
        for file in release.files:
            for tag in file.tags:
                glibc = glibc_of(tag.platform)
                if glibc is not None and glibc > here and fit(frozenset({tag})):
                    found.add(glibc)
    return ["{}.{}".format(*min(found))] if found else []
