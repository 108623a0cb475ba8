"""Judging a combination by names that the code of one distribution reads and another does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from envlock.judging.index_sources import file_of, modules_on_index
from envlock.judging.learned_conflicts import learned_conflict
from envlock.model.component import Range, parse_version
from envlock.model.knowing.fact import Condition, Fact, Severity
from envlock.model.knowing.finding import Assignment, Finding
from envlock.model.published.code_reads import CodeReads

LACKING_NAMES = "lacking-names"
"""The identifier of these findings."""

_CALLED = ".__call__"
"""The ending of a name that is called."""


def lacking_findings(
    assignment: Assignment,
    reads: Mapping[str, CodeReads],
    lacking: Mapping[tuple[str, str], tuple[str, ...]],
    earlier: Collection[Finding],
) -> Iterator[Finding]:
    """Yield one refusal for each pair that was not refused before.

    Args:
        assignment: the combination.
        reads: component -> what its code reads on import.
        lacking: (reader, holder) -> names that the holder should have but has not.
        earlier: earlier findings, such as those on names that are known to be removed.
    """
    pairs = {frozenset(finding.components) for finding in earlier if finding.severity is Severity.REFUSE}
    for (reader, holder), names in sorted(lacking.items()):
        if {reader, holder} not in pairs:
            yield _finding(reads[reader], reader, holder, assignment[holder][0].version, names[0])


def _finding(code: CodeReads, reader: str, holder: str, version: str, name: str) -> Finding:
    where = code.on_import[name]
    called = name.removesuffix(_CALLED)
    does = f"looks for {name}" if called == name else f"calls {called}"
    but = "does not have" if called == name else "has as a module alone"
    return Finding(
        fact=LACKING_NAMES,
        severity=Severity.REFUSE,
        components={reader: code.version, holder: version},
        message=(
            f"{reader} {code.version} {does} when it is imported ({where}), which {holder} {version} {but}"
        ),
        cause="",
        sources=(file_of(code, where), modules_on_index(f"{holder} {version}", code.read)),
        fixes=(),
    )


def as_learned_conflict(finding: Finding) -> Fact:
    """Return a fact to solve around: who reads a name excludes the release that lacks it, and all before."""
    (reader, version), (holder, last) = finding.components.items()
    return learned_conflict(
        f"{LACKING_NAMES}:{reader}-{version}+{holder}-{last}",
        (
            Condition(component=reader, range=Range.only(version)),
            Condition(component=holder, range=Range.versions(f"<={parse_version(last).public}")),
        ),
        reason=finding.message,
        sources=finding.sources,
    )
