"""The least that a lock requires of the node: driver, C library, GPU, by the facts and its wheels' tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from envlock.judging.judge import judge
from envlock.judging.tags import MUSL, glibc_of
from envlock.model.component import PROCESSOR, PYTHON, InvalidSpecifier, InvalidVersion, Via, parse_version
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import pinned_choices
from envlock.model.lower_bounds import first_version

_OLDEST = "0"
"""Older than anything that a fact could accept."""
_GLIBC, _GPU = "glibc", "gpu_cc"


def minimums(lock: Lock, knowledge: Knowledge) -> Mapping[str, str]:
    """Return the least version of each component that the node decides and the lock requires something of.

    Every fact is evaluated as if the node had only version 0; what it then demands instead is a minimum. For
    the C library the wheels' tags count too, for the GPU the oldest generation for which every published
    build has code.

    Args:
        lock: the lock.
        knowledge: the facts and builds.
    """
    found: dict[str, str] = {}
    for component in sorted(name for name, one in knowledge.systems.items() if one.fixed and not one.words):
        asked = [*required_by_facts(component, _combination(lock, knowledge), knowledge)]
        if component == _GLIBC:
            asked += _by_tags(lock)
        if component == _GPU:
            asked += _by_code(lock, knowledge)
        if asked:
            found[component] = max(asked, key=parse_version)
    return found


def required_by_facts(component: str, combination: Assignment, knowledge: Knowledge) -> Iterator[str]:
    """The least that facts on a combination require of a component of the node, whatever version it has."""
    planted = {**combination, component: (Chosen(version=_OLDEST, via=Via.SITE),)}
    for finding in judge(planted, knowledge).findings:
        if finding.severity is Severity.REFUSE and finding.fact in _asking(component, knowledge):
            for fix in finding.fixes:
                if fix.component == component:
                    yield from _first_versions(fix.range)


def _asking(component: str, knowledge: Knowledge) -> frozenset[str]:
    """The facts whose consequence is about a component."""
    return frozenset(
        fact.id
        for fact in knowledge.facts
        if any(condition.component == component for condition in fact.then)
    )


def _combination(lock: Lock, knowledge: Knowledge) -> Assignment:
    """What the lock pins, without what the node had when it was made."""
    pinned = {
        name: chosen
        for name, chosen in pinned_choices(lock).items()
        if not (name in knowledge.systems and knowledge.systems[name].fixed)
    }
    node = {PYTHON: lock.python, PROCESSOR: lock.machine}
    return {**{name: (Chosen(version=version, via=Via.SITE),) for name, version in node.items()}, **pinned}


def _first_versions(text: str) -> Iterator[str]:
    """Yield the first version of a range, if each of its sets has one."""
    try:
        sets = [SpecifierSet(part) for part in text.split("||")]
    except InvalidSpecifier:
        return
    starts = [first_version(specifiers) for specifiers in sets]
    if all(starts):
        yield min(starts, key=parse_version)


def _by_tags(lock: Lock) -> Iterator[str]:
    """Yield for each wheel the oldest glibc with which it can be used, whatever it also says of musl."""
    for pin in lock.distributions:
        platforms = {tag.platform for tag in pin.file.tags if not tag.platform.startswith(MUSL)}
        versions = [version for platform in platforms if (version := glibc_of(platform))]
        if versions and len(versions) == len(platforms):
            yield "{}.{}".format(*min(versions))


def _by_code(lock: Lock, knowledge: Knowledge) -> Iterator[str]:
    """Yield the oldest GPU generation of each published build that has machine code for GPUs."""
    for pin in lock.distributions:
        bundle = knowledge.bundle(pin.component, pin.version, lock.machine) if pin.file.is_wheel else None
        if bundle is not None and bundle.compute_capabilities:
            yield _oldest(bundle.compute_capabilities)


def _oldest(capabilities: Iterable[str]) -> str:
    return min((capability.removesuffix("+PTX") for capability in capabilities), key=_generation)


def _generation(text: str) -> Version:
    try:
        return parse_version(text)
    except InvalidVersion:
        return Version(_OLDEST)
