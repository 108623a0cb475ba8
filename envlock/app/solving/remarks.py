"""What people should know of an answer although nothing refuses it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from packaging.utils import canonicalize_name

from envlock.edges.declarations import stated_metadata
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.collisions import NATIVE_COLLISION
from envlock.judging.removed_names import REMOVED_NAMES
from envlock.judging.translations import TRANSLATED_SOURCES
from envlock.judging.unstated_imports import UNSTATED_IMPORTS
from envlock.model.component import parse_version
from envlock.model.errors import EnvlockError
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import pinned_versions
from envlock.model.locked.pins import Solved
from envlock.model.near_names import near_names
from envlock.model.project.group import Group, Wish
from envlock.model.project.manifest import Waiver
from envlock.model.project.target import Target
from envlock.solve.request import EVERYTHING, applies, applying

_LEARNED = (NATIVE_COLLISION, REMOVED_NAMES, TRANSLATED_SOURCES, UNSTATED_IMPORTS)
"""How the identifiers of facts begin that a solve finds by itself and the knowledge base does not have."""


def remarks_on(answer: Solved, wishes: Iterable[Wish], catalogue: IndexCatalogue) -> Iterator[str]:
    """Report withdrawn releases, abandoned projects, missing extras, and requirements that cannot be read.

    An abandoned project is reported only where the group asks for it, and so can do something about it.

    Args:
        answer: what was chosen.
        wishes: what the group asked for.
        catalogue: has the metadata of what was chosen.
    """
    extras: dict[str, set[str]] = {}
    for wish in applying(wishes, answer.interpreter):
        if wish.requirement is not None:
            extras.setdefault(wish.component, set()).update(map(canonicalize_name, wish.requirement.extras))
    for pin in answer.distributions:
        release = f"{pin.component} {pin.version}"
        if pin.file.yanked is not None:
            why = " ".join(pin.file.yanked.split())
            yield f"{release} was withdrawn by its publishers{f': {why}' if why else ''}"
        asked = extras.get(pin.component)
        if asked is not None and not pin.file.direct and (status := catalogue.releases(pin.name).status).word:
            yield f"{pin.component} is {status}, says its index"
        metadata = stated_metadata(catalogue, pin.name, pin.file)
        if metadata is None:
            continue
        for extra in sorted(asked - metadata.extras) if asked else ():
            yield f"{release} has no extra {extra!r}"
        for note in metadata.notes:
            yield f"{release}: {note}"


def remarks_on_learned(answer: Solved) -> Iterator[str]:
    """Report unstated imports and whether they could be met, and conflicts that fail only where used."""
    for fact, price in answer.spared.items():
        without = f"to avoid it takes {price}" if price else "there is no answer without"
        yield f"{answer.learned[fact]}: {without}, and nothing imports it before it is used"
    met = {fact for pin in answer.distributions for fact in pin.facts}
    for fact, reason in answer.learned.items():
        if fact.startswith(UNSTATED_IMPORTS):
            needed = fact.rpartition("+")[2]
            outcome = "was added" if fact in met else "cannot be had, so that the import will fail"
            yield f"{reason}: {needed} {outcome}"


def remarks_on_fallen_back(answer: Solved, group: str) -> Iterator[str]:
    """Report wishes that got a release from long before the best one that they admit."""
    got = pinned_versions(answer)
    for name, best in answer.fallen_back.items():
        why = best.kept_out or f"envlock why-not {name}=={best.version} {group} tells what keeps that out"
        older = f"{name} {got[name]} is more than a year older than {best.version}"
        yield f"{older}, which the group admits as well: {why}"


def remarks_on_kept(
    answer: Solved,
    kept: Lock | None,
    wishes: Iterable[Wish],
    catalogue: IndexCatalogue,
    upgraded: Callable[[Collection[str]], object],
) -> Iterator[str]:
    """Report new wishes that came in older releases because what is locked stays, and what they could be.

    Args:
        answer: what was chosen.
        kept: the lock that was kept to; ``None`` where there was none.
        wishes: what the group asked for.
        catalogue: has the releases.
        upgraded: solves again with some components upgraded by name, for an answer or a refusal.
    """
    if kept is None:
        return
    had = pinned_versions(kept)
    got = {pin.component: pin.version for pin in answer.distributions if not pin.file.direct}
    older = {
        wish.component
        for wish in applying(wishes, answer.interpreter)
        if wish.component in got.keys() - had.keys() and _newest(wish, catalogue) != got[wish.component]
    }
    try:
        other = upgraded(sorted(older)) if older else None
    except EnvlockError:
        return  # there is an answer; whatever speaks against another one does not matter
    would = pinned_versions(other) if isinstance(other, Solved) else {}
    for name in sorted(older & would.keys()):
        if parse_version(would[name]) > parse_version(got[name]):
            yield (
                f"{name} {got[name]} goes with what the lock has; "
                f"--upgrade-package {name} takes {would[name]}, and moves what has to"
            )


def _newest(wish: Wish, catalogue: IndexCatalogue) -> str:
    releases = catalogue.releases(index_name(wish.component))
    final = (release.text for release in releases if not release.version.is_prerelease)
    return next((text for text in final if wish.range.contains(text)), "")


def remarks_on_markers(group: Group, target: Target, others: Callable[[], Iterable[Target]]) -> Iterator[str]:
    """Report requirements whose markers hold for none of the group's interpreters on any target.

    Args:
        group: the group.
        target: the target that it was solved for.
        others: the project's other targets; asked for where this one does not settle it.
    """
    left = _applying_nowhere(group, group.wishes, (target,))
    for wish in _applying_nowhere(group, left, others()) if left else ():
        yield f"nobody gets {wish.text!r}: its marker holds for no Python of this group on any target"


def _applying_nowhere(group: Group, wishes: Sequence[Wish], targets: Iterable[Target]) -> Sequence[Wish]:
    for target in targets:
        for interpreter in target.interpreters:
            if group.python.contains(interpreter.version):
                there = applying(wishes, interpreter)
                wishes = [wish for wish in wishes if wish not in there]
    return wishes


def remarks_on_day(group: Group, today: dt.date) -> Iterator[str]:
    """Report a cut-off that has yet to come, as after a slip in the year."""
    if isinstance(group.as_of, dt.date) and group.as_of > today:
        yield f"as-of = {group.as_of} has yet to come, and leaves nothing out until then"


def remarks_on_overrides(answer: Solved, group: Group) -> Iterator[str]:
    """Report overrides that change nothing, as what was chosen is outside of what they ask for.

    They count in place of metadata alone, unlike those of other resolvers, which replace wishes as well.
    """
    got = pinned_versions(answer)
    for override in group.policy.overrides:
        version, wanted = got.get(override.component), override.requirement
        if (
            version
            and applies(wanted, answer.interpreter)
            and not wanted.specifier.contains(version, prereleases=True)
        ):
            yield (
                f"the override {str(wanted)!r} changes nothing: it counts in place of what metadata asks, "
                f"and {override.component} {version} is by a wish; change that instead"
            )


def remarks_on_upgrade(answer: Solved, upgrade: Collection[str]) -> Mapping[str, str]:
    """Map components that were to be upgraded, but are not there, to what to say about them."""
    there = pinned_versions(answer)
    absent = [name for name in upgrade if name not in there and name != EVERYTHING]
    near = {name: near_names(name, there) for name in absent}
    return {
        name: f"{name} is not in the lock, to be upgraded"
        + (f"; did you mean {near[name][0]}?" if near[name] else "")
        for name in absent
    }


def remarks_on_waivers(waivers: Iterable[Waiver], knowledge: Knowledge, today: dt.date) -> Iterator[str]:
    """Report waivers that change nothing, because no fact has their name, and a solve finds none like it.

    That is no error: a fact may be gone from a later knowledge base.
    """
    for waiver in waivers:
        if (
            waiver.expires >= today
            and not waiver.fact.startswith(_LEARNED)
            and waiver.fact not in knowledge.facts
        ):
            near = near_names(waiver.fact, [fact.id for fact in knowledge.facts])
            meant = f"; did you mean {near[0]!r}?" if near else ""
            yield f"the waiver of {waiver.fact!r} is about no fact that there is{meant}"
