"""The nearest versions that resolve a finding, among those that an index lists or the knowledge base met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice

from packaging.version import Version

from envlock.judging.judge import judge, with_bundles
from envlock.model.component import InvalidVersion, Range, parse_version
from envlock.model.knowing.fact import Fact, Severity, pins_of
from envlock.model.knowing.finding import Assignment, Chosen, Finding, Fix, Judgement
from envlock.model.knowing.knowledge import Knowledge

_Refusals = frozenset[tuple[str, frozenset[str]]]
_TRIES = 40
"""How many versions on each side to judge before giving up."""


_TRIES_OF_A_PART = 5
"""How many versions of one part of a range to judge before it is left out."""


def with_nearest_versions(
    judgement: Judgement,
    assignment: Assignment,
    knowledge: Knowledge,
    listed: Mapping[str, Sequence[str]],
) -> Judgement:
    """Return the judgement, the fixes of its refusals completed with the nearest acceptable versions.

    These are the nearest below and above. Acceptable means that with that version the finding is gone, with
    it all others of the same components where any version ends these too, and no new refusal appears. A
    library inside a wheel cannot be chosen itself, so the wheel that bundles it is changed in its place. If a
    build with another label is enough, only that is suggested. A part of a range that other facts refuse
    beside the same versions is left out: CUDA 13 is no way out of CUDA 12's driver.

    Args:
        judgement: the judgement of the combination.
        assignment: the combination.
        knowledge: what it was judged by.
        listed: component -> the releases that an index lists, where known.
    """
    before = _refusals(judgement)

    @cache
    def left_by(component: str, version: str) -> _Refusals:
        """Return the refusals that another version of a component leaves; many findings ask of the same."""
        changed = {**assignment, component: (replace(assignment[component][0], version=version),)}
        return _refusals(judge(changed, knowledge))

    findings = (
        _completed(finding, before, assignment, knowledge, listed, left_by)
        if finding.severity is Severity.REFUSE
        else finding
        for finding in judgement.findings
    )
    return replace(judgement, findings=tuple(findings))


def _completed(
    finding: Finding,
    before: _Refusals,
    assignment: Assignment,
    knowledge: Knowledge,
    listed: Mapping[str, Sequence[str]],
    left_by: Callable[[str, str], _Refusals],
) -> Finding:
    fixes = {
        fix.component: replace(fix, range=_open_parts(fix, finding, knowledge, listed))
        for fix in finding.fixes
    }
    for component in _parties(finding, assignment, knowledge):
        left = partial(left_by, component)
        met = partial(_met, component, knowledge, listed.get(component, ()))
        for rest in _what_may_stay(finding, before):
            if versions := _nearest(component, finding, assignment, knowledge, met, left, rest):
                fix = fixes.get(component) or Fix(component=component, range="")
                fixes[component] = replace(fix, versions=versions)
                break
    return replace(finding, fixes=tuple(fixes.values()))


def _what_may_stay(finding: Finding, before: _Refusals) -> Iterable[_Refusals]:
    """Return the refusals that a way out may leave: at best none of the same components, else all others."""
    met = frozenset(finding.components)
    of_others = frozenset(refusal for refusal in before if refusal[1] != met)
    return dict.fromkeys((of_others, before - {(finding.fact, met)}))


def _nearest(
    component: str,
    finding: Finding,
    assignment: Assignment,
    knowledge: Knowledge,
    met: Callable[[], Mapping[Version, str]],
    left: Callable[[str], _Refusals],
    rest: _Refusals,
) -> tuple[str, ...]:
    """Return the release's builds with another label that leave no more than the rest, else the nearest."""
    wanted = next((fix.range for fix in finding.fixes if fix.component == component), "")
    range_ = Range.versions(wanted)

    def is_inside(version: str) -> bool:
        return not wanted or range_.contains(version)

    def ends(version: str) -> bool:
        return left(version) <= rest

    alike = () if component in knowledge.systems else _labelled_alike(component, finding)
    if versions := tuple(one for one in alike if is_inside(one) and ends(one)):
        return versions
    sides = _candidates(assignment[component], met)
    found = (next(filter(ends, islice(filter(is_inside, side), _TRIES)), "") for side in sides)
    return tuple(version for version in found if version)


def _open_parts(fix: Fix, finding: Finding, knowledge: Knowledge, listed: Mapping[str, Sequence[str]]) -> str:
    """Return a range without its parts of which nothing known goes with the others of the finding."""
    parts = fix.range.split(" || ")
    if len(parts) == 1:
        return fix.range
    met = sorted(_met(fix.component, knowledge, listed.get(fix.component, ())).items())

    def is_open(part: str) -> bool:
        inside = [text for _, text in met if Range.versions(part).contains(text)][:_TRIES_OF_A_PART]
        judged = (judge(_as_named({**finding.components, fix.component: text}), knowledge) for text in inside)
        return not inside or not all(map(_refusals, judged))

    return " || ".join(filter(is_open, parts)) or fix.range


def _as_named(versions: Mapping[str, str]) -> Assignment:
    return {name: (Chosen(version=version),) for name, version in versions.items()}


def _refusals(judgement: Judgement) -> _Refusals:
    """Refusals by fact and components: another version of a component is not another refusal."""
    return frozenset(
        (finding.fact, frozenset(finding.components))
        for finding in judgement.findings
        if finding.severity is Severity.REFUSE
    )


def _parties(finding: Finding, assignment: Assignment, knowledge: Knowledge) -> Iterator[str]:
    """Yield what another version could be taken of: words, such as launchers, have none nearby."""
    carriers: Mapping[str, tuple[Chosen, ...]] = with_bundles(assignment, knowledge)
    for component, version in finding.components.items():
        own = component in assignment and any(chosen.version == version for chosen in assignment[component])
        inside = {chosen.bundled_in for chosen in carriers.get(component, ()) if chosen.version == version}
        for party in {component} if own else inside - {""}:
            is_word = party in knowledge.systems and knowledge.systems[party].words
            if len(assignment.get(party, ())) == 1 and not is_word:
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
    present: tuple[Chosen, ...], known: Callable[[], Mapping[Version, str]]
) -> tuple[Iterator[str], Iterator[str]]:
    """Return known versions with the same label, those below and those above, each nearest first."""
    try:
        here = parse_version(present[0].version)
    except InvalidVersion:
        return iter(()), iter(())
    label = here.local or ""
    fitting = [(version, text) for version, text in sorted(known().items()) if (version.local or "") == label]
    below = (text for version, text in reversed(fitting) if version < here)
    above = (text for version, text in fitting if version > here)
    return below, above


def _met(component: str, knowledge: Knowledge, listed: Sequence[str]) -> dict[Version, str]:
    """Return the releases that an index lists, or else the versions in the examples of facts.

    Unlike a bound these exist, but for a few that an example makes up for what is not out yet. An index has
    no builds with labels: those of listed releases count. Pre-releases solve nothing.
    """
    releases = {parse_version(text): text for text in listed}
    found = {version: text for version, text in releases.items() if not version.is_prerelease}
    for fact in _speaking_of(component, knowledge):
        for example in (*fact.refuses, *fact.accepts):
            text = pins_of(example).get(component, "")
            if text and (not releases or parse_version(text.partition("+")[0]) in releases):
                found[parse_version(text)] = text
    return found


def _speaking_of(component: str, knowledge: Knowledge) -> Iterator[Fact]:
    names = knowledge.names_in_facts(component)
    for fact in knowledge.facts:
        if any(condition.component in names for condition in (*fact.when, *fact.then)):
            yield fact
