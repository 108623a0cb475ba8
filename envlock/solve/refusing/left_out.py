"""Releases that a solve never looked at: why they are no candidates, and what is on offer instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from envlock.model.component import Range, is_placeholder, parse_version
from envlock.model.knowing.knowledge import KeptAt, Knowledge
from envlock.model.near_names import OF_DISTRIBUTION, near_names
from envlock.solve.requirements import FACT_PREFIX
from envlock.solve.searching.solver import Solver

_OFFERS = 4
"""How many versions of a system component are listed."""

_ELSEWHERE = "; it is published at {1}, and asked for by the address of a file there: '{0} @ https://...'"
_BY_ADDRESS = (
    "; what no index has is asked for by its address: '{0} @ git+https://...' or '{0} @ https://...'"
)


def left_out(component: str, wanted: Sequence[Range], solver: Solver) -> Iterator[str]:
    """Yield which releases never became candidates, with reason and number, and which were never published.

    Args:
        component: whose releases.
        wanted: the ranges in which it was required.
        solver: that of the request that was refused.
    """
    if component.startswith(FACT_PREFIX):
        return
    candidates, kept_at = solver.candidates, solver.knowledge.kept_at
    published = candidates.published(component)
    never = [missed for missed in wanted if published and not any(map(missed.contains, published))]
    for missed in never:
        index = _taken_from(component, solver)
        yield f"no release of {component}{index} is {missed.text}{_nearest(missed, published)}"
    excluded = {} if never else candidates.left_out(component, wanted)
    yield from _left_out_for_each(component, excluded)
    found = candidates.of(component)
    if (never or (excluded and not found)) and component in kept_at:
        yield _where_else(kept_at[component])
    if found and not published and not candidates.fixed(component):
        yield f"on offer: {', '.join(map(str, found[:_OFFERS]))}"
        return
    if found and not excluded and not never:
        return
    if found:
        # People order releases by age; the order of a solve, wheels first, would look random.
        newest = ", ".join(
            sorted({str(candidate.version) for candidate in found}, key=parse_version, reverse=True)[:3]
        )
        yield f"candidates of {component}: {newest}{', ...' if len(found) > 3 else ''}"  # noqa: PLR2004
    elif (status := candidates.listed(component).status).quarantined:
        yield f"{component} is {status}, says its index, which withholds its files"
    elif not excluded and not never:
        yield _nothing_offers(component, solver)


def passed_over(wanted: Mapping[str, Sequence[Range]], solver: Solver) -> Iterator[str]:
    """Yield which releases never became candidates, of distributions whose candidates conflict.

    Args:
        wanted: distribution -> the ranges in which anything required it.
        solver: that of the request that was refused.
    """
    candidates = solver.candidates
    for component in sorted(wanted):
        if candidates.of(component):
            yield from _left_out_for_each(component, candidates.left_out(component, wanted[component]))


def _nothing_offers(component: str, solver: Solver) -> str:
    """Say that nothing offers it, and what may have been meant, unless somebody has sent it to an index.

    What only metadata or the knowledge base require was seldom misspelt: nobody could have installed it.
    """
    if place := _taken_from(component, solver):
        return f"nothing offers {component}{place.rstrip(',')}"
    named_for = solver.knowledge.named_for.values()
    elsewhere = next((one.address for one in named_for if one.address and one.takes(component)), "")
    if elsewhere:
        return f"nothing offers {component}{_ELSEWHERE.format(component, elsewhere)}"
    names, meant = _known_names(solver.knowledge), solver.knowledge.distributed_as(component)
    wished = any(wish.component == component for wish in solver.request.wishes)
    misspelt = component not in names and wished
    near = (
        [meant] if meant else near_names(component, names, most=2, alike=OF_DISTRIBUTION) if misspelt else []
    )
    system = solver.knowledge.systems.get(component)
    titled = f"{component}, {system.title}" if system and system.title not in {"", component} else component
    if wished and not near and system is None:
        return f"nothing offers {titled}{_BY_ADDRESS.format(component)}"
    return f"nothing offers {titled}" + (f"; did you mean {' or '.join(near)}?" if near else "")


def _known_names(knowledge: Knowledge) -> list[str]:
    """Return the names that the knowledge base uses: what a misspelt one may have meant."""
    known = {*knowledge.coverage, *knowledge.systems, *knowledge.flavours, *knowledge.bundles}
    known.update(condition.component for fact in knowledge.facts for condition in fact.when)
    return sorted(known)


def _taken_from(component: str, solver: Solver) -> str:
    """Return a clause that names the manifest's index that alone is asked for it; empty if it is pip's."""
    index = solver.candidates.listed(component).only_from
    return f", which is taken from the index {index!r} alone," if index else ""


def kept_elsewhere(wanted: Mapping[str, Sequence[Range]], solver: Solver) -> Iterator[str]:
    """Yield where releases are that somebody wants, or would take, and the index no longer has.

    Args:
        wanted: component -> the ranges in which anything required it.
        solver: that of the request that was refused.
    """
    kept_at = solver.knowledge.kept_at
    for component in sorted(wanted.keys() & kept_at.keys()):
        published = solver.candidates.published(component)
        never = [asked.text for asked in wanted[component] if not any(map(asked.contains, published))]
        if published and never:
            yield f"no release of {component} is {never[0]}"
        elif published and any(asked.contains(f"{published[0]}.dev0") for asked in wanted[component]):
            yield f"the index has no release of {component} before {published[0]}"
        else:
            continue
        yield _where_else(kept_at[component])


def _where_else(kept: KeptAt) -> str:
    return f"where releases of {kept.distribution} are that left the index (for find-links): {kept.address}"


def _left_out_for_each(component: str, excluded: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Describe the releases that each reason leaves out."""
    for why, versions in sorted(excluded.items()):
        yield _left_out_for(why, component, versions)


def _left_out_for(why: str, component: str, versions: Mapping[str, str]) -> str:
    """Describe releases that one reason leaves out, with details shared by all or else the newest's."""
    newest = max(
        versions, key=lambda version: (not parse_version(version).is_prerelease, parse_version(version))
    )
    releases = f"{len(versions)} releases of {component}" if len(versions) > 1 else f"{component} {newest}"
    more = versions[newest]
    if not more:
        return f"{releases}: {why}"
    alike = len(set(versions.values())) == 1
    return f"{releases}: {why} ({more if alike else f'{newest}: {more}'})"


def _nearest(wanted: Range, published: Sequence[str]) -> str:
    """Return the neighbours of a version that was pinned and never published."""
    if not wanted.pinned or "===" in wanted.text:
        return ""
    here = parse_version(wanted.pinned)
    real = [text for text in published if not is_placeholder(text)]
    below = [text for text in real if parse_version(text) < here][-1:]
    above = [text for text in real if parse_version(text) > here][:1]
    if not below and not above:
        return ""
    near = (*below, *above)
    nearest = f"; nearest {'is' if len(near) == 1 else 'are'} {' and '.join(near)}"
    return (
        f"{nearest}; builds with a label come from an index of their own ([[indexes]])"
        if here.local
        else nearest
    )
