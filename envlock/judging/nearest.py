"""The nearest versions that resolve a finding, among those that the knowledge base has come across."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice

from packaging.version import Version

from envlock.judging.judge import judge, with_bundles
from envlock.model.component import InvalidVersion, Range, parse_version
from envlock.model.knowing.fact import Fact, Severity, pins_of
from envlock.model.knowing.finding import Assignment, Chosen, Finding, Fix, Judgement
from envlock.model.knowing.knowledge import Knowledge

_TRIES = 40
"""How many versions on each side to judge before giving up."""


def with_nearest(
    finding: Finding, judgement: Judgement, assignment: Assignment, knowledge: Knowledge
) -> Finding:
    """Return the finding, its fixes completed with the nearest acceptable versions below and above.

    Acceptable means that with that version the finding is gone and no new refusal appears. A library inside a
    wheel cannot be chosen itself, so the wheel that bundles it is changed in its place. If a build with
    another label is enough, only that is suggested.

    Args:
        finding: a refusal of the judgement.
        judgement: the judgement of the combination.
        assignment: the combination.
        knowledge: what it was judged by.
    """
    before = _refusals(judgement)
    fixes = {fix.component: fix for fix in finding.fixes}
    for component in _parties(finding, assignment, knowledge):
        fine = partial(_ends, finding, before, component, assignment=assignment, knowledge=knowledge)
        alike = () if component in knowledge.systems else _labelled_alike(component, finding)
        versions = tuple(filter(fine, alike))
        if not versions:
            below, above = _candidates(component, assignment[component], knowledge)
            ends = (next(filter(fine, islice(side, _TRIES)), "") for side in (below, above))
            versions = tuple(version for version in ends if version)
        fix = fixes.get(component) or Fix(component=component, range="")
        if versions:
            fixes[component] = replace(fix, versions=versions)
    return replace(finding, fixes=tuple(fixes.values()))


def _refusals(judgement: Judgement) -> frozenset[tuple[str, frozenset[str]]]:
    """Refusals by fact and components: another version of a component is not another refusal."""
    return frozenset(
        (finding.fact, frozenset(finding.components))
        for finding in judgement.findings
        if finding.severity is Severity.REFUSE
    )


def _parties(finding: Finding, assignment: Assignment, knowledge: Knowledge) -> Iterator[str]:
    carriers: Mapping[str, tuple[Chosen, ...]] = with_bundles(assignment, knowledge)
    told = set()
    for component, version in finding.components.items():
        own = component in assignment and any(one.version == version for one in assignment[component])
        inside = {one.bundled_in for one in carriers.get(component, ()) if one.version == version}
        for party in {component} if own else inside - {""}:
            if party not in told and len(assignment.get(party, ())) == 1:
                told.add(party)
                yield party


def _labelled_alike(component: str, finding: Finding) -> Iterator[str]:
    """Yield the same release with the labels of the other components involved, or without a label."""
    version = finding.components.get(component, "")
    public = version.partition("+")[0]
    labels = dict.fromkeys(other.partition("+")[2] for other in finding.components.values())
    for label in labels:
        other = f"{public}+{label}" if label else public
        if version and other != version:
            yield other


def _candidates(
    component: str, present: tuple[Chosen, ...], knowledge: Knowledge
) -> tuple[Iterator[str], Iterator[str]]:
    """Return known versions of a component, those below and those above, each nearest first."""
    try:
        here = parse_version(present[0].version)
    except InvalidVersion:
        return iter(()), iter(())
    met = sorted(_met(component, knowledge).items())
    label = here.local or ""
    fitting = [(version, text) for version, text in met if (version.local or "") == label]
    below = (text for version, text in reversed(fitting) if version < here)
    above = (text for version, text in fitting if version > here)
    return below, above


def _met(component: str, knowledge: Knowledge) -> dict[Version, str]:
    """Return the versions in the examples of facts: unlike a bound, each of them exists."""
    found = {}
    for fact in _speaking_of(component, knowledge):
        for example in (*fact.refuses, *fact.accepts):
            if text := pins_of(example).get(component):
                found[parse_version(text)] = text
    return found


def _speaking_of(component: str, knowledge: Knowledge) -> Iterator[Fact]:
    names = knowledge.names_in_facts(component)
    for fact in knowledge.facts:
        if any(condition.component in names for condition in (*fact.when, *fact.then)):
            yield fact


def _ends(
    finding: Finding,
    before: frozenset[tuple[str, frozenset[str]]],
    component: str,
    version: str,
    assignment: Assignment,
    knowledge: Knowledge,
) -> bool:
    fix = next((fix for fix in finding.fixes if fix.component == component), None)
    if fix is not None and fix.range and not Range.versions(fix.range).contains(version):
        return False
    changed = {**assignment, component: (replace(assignment[component][0], version=version),)}
    after = _refusals(judge(changed, knowledge))
    return after <= before - {(finding.fact, frozenset(finding.components))}
