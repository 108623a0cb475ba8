"""The nearest versions that resolve a finding, among those that an index lists or the knowledge base met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
    ways = _WaysOut(judgement, assignment, knowledge, listed)
    findings = (
        ways.completed(finding) if finding.severity is Severity.REFUSE else finding
        for finding in judgement.findings
    )
    return replace(judgement, findings=tuple(findings))


class _WaysOut:
    """Other versions for what a judgement refuses."""

    def __init__(
        self,
        judgement: Judgement,
        assignment: Assignment,
        knowledge: Knowledge,
        listed: Mapping[str, Sequence[str]],
    ) -> None:
        self._before = _refusals(judgement)
        self._assignment = assignment
        self._bundled = with_bundles(assignment, knowledge)
        self._knowledge = knowledge
        self._listed = listed
        self._left: dict[tuple[str, str], _Refusals] = {}

    def completed(self, finding: Finding) -> Finding:
        """Return a refusal whose fixes name the nearest acceptable versions."""
        fixes = {fix.component: replace(fix, range=self._open_parts(fix, finding)) for fix in finding.fixes}
        for component in self._parties(finding):
            for rest in _what_may_stay(finding, self._before):
                if versions := self._nearest(component, finding, rest):
                    fix = fixes.get(component) or Fix(component=component, range="")
                    fixes[component] = replace(fix, versions=versions)
                    break
        return replace(finding, fixes=tuple(fixes.values()))

    def _parties(self, finding: Finding) -> Iterator[str]:
        """Yield what another version could be taken of: words, such as launchers, have none nearby."""
        for component, version in finding.components.items():
            own = any(chosen.version == version for chosen in self._assignment.get(component, ()))
            bundled = self._bundled.get(component, ())
            inside = {chosen.bundled_in for chosen in bundled if chosen.version == version}
            for party in {component} if own else inside - {""}:
                system = self._knowledge.systems.get(party)
                is_word = system is not None and system.words
                if len(self._assignment.get(party, ())) == 1 and not is_word:
                    yield party

    def _nearest(self, component: str, finding: Finding, rest: _Refusals) -> tuple[str, ...]:
        """Return the release with another label if that leaves no more than the rest, else the nearest."""
        wanted = next((fix.range for fix in finding.fixes if fix.component == component), "")
        range_ = Range.versions(wanted)

        def is_inside(version: str) -> bool:
            return not wanted or range_.contains(version)

        def ends(version: str) -> bool:
            return self._left_by(component, version) <= rest

        alike = () if component in self._knowledge.systems else _labelled_alike(component, finding)
        if versions := tuple(text for text in alike if is_inside(text) and ends(text)):
            return versions
        sides = self._candidates(component)
        found = (next(filter(ends, islice(filter(is_inside, side), _TRIES)), "") for side in sides)
        return tuple(version for version in found if version)

    def _left_by(self, component: str, version: str) -> _Refusals:
        """Return the refusals that another version of a component leaves; many findings ask of the same."""
        if (component, version) not in self._left:
            other = replace(self._assignment[component][0], version=version)
            changed = {**self._assignment, component: (other,)}
            self._left[component, version] = _refusals(judge(changed, self._knowledge))
        return self._left[component, version]

    def _candidates(self, component: str) -> tuple[Iterator[str], Iterator[str]]:
        """Return known versions with the same label, those below and those above, each nearest first."""
        try:
            here = parse_version(self._assignment[component][0].version)
        except InvalidVersion:
            return iter(()), iter(())
        known = sorted(self._met(component).items())
        fitting = [(version, text) for version, text in known if (version.local or "") == (here.local or "")]
        below = (text for version, text in reversed(fitting) if version < here)
        above = (text for version, text in fitting if version > here)
        return below, above

    def _open_parts(self, fix: Fix, finding: Finding) -> str:
        """Return a range without its parts of which nothing known goes with the others of the finding."""
        parts = fix.range.split(" || ")
        if len(parts) == 1:
            return fix.range
        met = [text for _, text in sorted(self._met(fix.component).items())]

        def is_open(part: str) -> bool:
            inside = list(filter(Range.versions(part).contains, met))[:_TRIES_OF_A_PART]
            named = (_as_named({**finding.components, fix.component: text}) for text in inside)
            return not inside or not all(
                _refusals(judge(combination, self._knowledge)) for combination in named
            )

        return " || ".join(filter(is_open, parts)) or fix.range

    def _met(self, component: str) -> dict[Version, str]:
        """Return the releases that an index lists, or else the versions in the examples of facts.

        Unlike a bound these exist, but for a few that an example makes up for what is not out yet. An index
        has no builds with labels: those of listed releases count. Pre-releases solve nothing.
        """
        releases = {parse_version(text): text for text in self._listed.get(component, ())}
        found = {version: text for version, text in releases.items() if not version.is_prerelease}
        for fact in _speaking_of(component, self._knowledge):
            for example in (*fact.refuses, *fact.accepts):
                text = pins_of(example).get(component, "")
                if text and (not releases or parse_version(text.partition("+")[0]) in releases):
                    found[parse_version(text)] = text
        return found


def _what_may_stay(finding: Finding, before: _Refusals) -> Iterable[_Refusals]:
    """Return the refusals that a way out may leave: at best none of the same components, else all others."""
    met = frozenset(finding.components)
    of_others = frozenset(refusal for refusal in before if refusal[1] != met)
    return dict.fromkeys((of_others, before - {(finding.fact, met)}))


def _as_named(versions: Mapping[str, str]) -> Assignment:
    return {name: (Chosen(version=version),) for name, version in versions.items()}


def _refusals(judgement: Judgement) -> _Refusals:
    """Refusals by fact and components: another version of a component is not another refusal."""
    return frozenset(
        (finding.fact, frozenset(finding.components))
        for finding in judgement.findings
        if finding.severity is Severity.REFUSE
    )


def _labelled_alike(component: str, finding: Finding) -> Iterator[str]:
    """Yield the same release with the labels of the other components involved, or without a label."""
    version = finding.components.get(component, "")
    public = version.partition("+")[0]
    labels = dict.fromkeys(other.partition("+")[2] for other in finding.components.values())
    for label in labels:
        other = f"{public}+{label}" if label else public
        if version and other != version:
            yield other


def _speaking_of(component: str, knowledge: Knowledge) -> Iterator[Fact]:
    names = knowledge.names_in_facts(component)
    for fact in knowledge.facts:
        if any(condition.component in names for condition in (*fact.when, *fact.then)):
            yield fact
