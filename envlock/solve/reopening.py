"""What must not be kept out where a refusal shows that nothing else will do.

Whatever needs exactly one release gets it even if it was withdrawn (PEP 592): metadata as well as a group,
and in any dead end, because the last one is mostly that of a release tried in place of the one that needs it.

What somebody needed at the time of the pins was published then. Where an index has nothing from that time
within what is required, it has been taken away or withdrawn since (CTranslate2 from 2.0 to 2.16;
python-Levenshtein 0.12.0, as insecure), and what came next is nearest.
What requires that may have to be nearer to it too (JAX, to jaxlib 0.4.13), and so may what that requires.
What releases of that time found on the node, and this one lacks, later ones may bring along
(SoundFile from 0.12 on has the library that it loads).
Facts count more than time: where one keeps apart what there was then, the next releases may go together
(netCDF4 1.5.3 writes no file beside h5py 2.10, and is all that has a wheel for Python 3.8 in early 2020;
1.5.4 does). So may later ones where metadata alone leaves nothing of the time, and what conflicts had a
release within half a year: a list that was once installed is of a day when there was an answer, and its pins
tell only that this day is not before them (librosa 0.10 beside NumPy 1.24 takes Numba 0.57.0, which came two
days after the month that follows ipython 8.12.0). What came even later is no part of that time; the group may
move its pins.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from envlock.judging.tags import supported_tags
from envlock.model.component import PYTHON
from envlock.model.knowing.knowledge import index_name
from envlock.model.locked.pins import YOU
from envlock.model.published.catalogue import Release
from envlock.solve.era import SOON
from envlock.solve.offers.releases import is_for, published_after, withdrawn
from envlock.solve.refusing.core import Core
from envlock.solve.request import EVERYTHING, Request
from envlock.solve.requirements import OF_NO_COMPONENT, Level, Requirement, exactly, split_extra
from envlock.solve.searching.solver import Solver


def reopened(solver: Solver, core: Core) -> Request | None:
    """Return a refused request with the releases that its refusal missed; ``None`` if it missed none."""
    request = solver.request
    wanted = [requirement for requirement in core.chain if requirement.level is Level.MUST]
    as_of = request.as_of if request.era_of_pins and not request.building else None
    later = frozenset[str]()
    if as_of:
        later = frozenset(name for requirement in wanted for name in _missed(requirement, solver, as_of))
        later |= frozenset(
            name for requirement in wanted for name in _missed_alike(requirement, solver, as_of)
        )
    if as_of and later <= request.reopened:
        later |= frozenset(_kept_apart(core, solver, as_of))
    if as_of and later <= request.reopened:
        later |= frozenset(_in_conflict(wanted, solver, as_of))
    exact = (*wanted, *core.unmet)
    gone = frozenset(requirement.component for requirement in exact if _withdrawn_alone(requirement, solver))
    if later <= request.reopened and gone <= request.withdrawn:
        return None
    return replace(request, reopened=request.reopened | later, withdrawn=request.withdrawn | gone)


def _missed_alike(requirement: Requirement, solver: Solver, as_of: dt.date) -> Iterator[str]:
    """Yield what else the release that requires something misses, where it is of a later time itself.

    What that release requires is mostly as new as it is, and would be missed next, one name at a time.
    """
    by, _, version = requirement.asked_by.partition(" ")
    if not version or requirement.component not in _missed(requirement, solver, as_of):
        return
    for candidate in islice(solver.candidates.answering(by, (exactly(by, version, YOU),)), 1):
        since = candidate.file.upload_time if candidate.file is not None else None
        if since is not None and since.date() > as_of:
            needs = solver.provider(solver.facts).get_dependencies(candidate)
            for need in (need for need in needs if need.level is Level.MUST):
                yield from (name for name in _missed(need, solver, as_of) if name != EVERYTHING)


def _withdrawn_alone(requirement: Requirement, solver: Solver) -> bool:
    """Whether a requirement names one release, which was withdrawn; a wildcard names none (PEP 592)."""
    text = requirement.range.text
    if "||" in text or not any(part.startswith("==") and not part.endswith(".*") for part in text.split(",")):
        return False
    meant = [
        release
        for release in _releases(requirement.component, solver)
        if requirement.range.contains(release.text)
    ]
    return len(meant) == 1 and withdrawn(meant[0])


def _missed(requirement: Requirement, solver: Solver, as_of: dt.date) -> Iterator[str]:
    """Yield the distributions whose later releases might satisfy a requirement, or no longer make it."""
    name = requirement.component
    if name in solver.knowledge.systems:
        asking = split_extra(requirement.dependent)[0]
        if not solver.candidates.of(name) and any(
            published_after(release, as_of) for release in _releases(asking, solver)
        ):
            yield asking
        return
    interpreter = solver.request.interpreter
    fit = supported_tags(solver.request.target, interpreter).fit
    releases = [release for release in _releases(name, solver) if is_for(release, fit, interpreter.version)]
    meant = [
        release for release in releases if requirement.range.contains(release.text) and not withdrawn(release)
    ]
    if meant and all(published_after(release, as_of) for release in meant):
        yield name
    replaced = name in solver.request.reopened or all(published_after(release, as_of) for release in releases)
    if releases and replaced and " " in requirement.asked_by:
        yield EVERYTHING


def _kept_apart(core: Core, solver: Solver, as_of: dt.date) -> Iterator[str]:
    """Yield the distributions with later releases that the facts in a refusal speak of."""
    names = {condition.component for fact in core.facts for condition in (*fact.when, *fact.then)}
    for name in names:
        if any(published_after(release, as_of) for release in _releases(name, solver)):
            yield name


def _in_conflict(wanted: Sequence[Requirement], solver: Solver, as_of: dt.date) -> Iterator[str]:
    """Yield the distributions of a conflict that had releases soon after, and that no wish pins."""
    held = {requirement.component for requirement in wanted if requirement.exact}
    for name in {requirement.component for requirement in wanted} - held:
        later = (release for release in _releases(name, solver) if published_after(release, as_of))
        if any(not published_after(release, as_of + SOON) for release in later):
            yield name


def _releases(name: str, solver: Solver) -> Sequence[Release]:
    """Return what indexes have of a distribution; nothing for anything else."""
    own = name == PYTHON or name in solver.knowledge.systems or name in solver.request.direct
    if own or name.startswith(OF_NO_COMPONENT):
        return ()
    return solver.catalogue.releases(index_name(name))
