"""Judging a combination by what fails inside the functions of one distribution beside another."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping

from envlock.judging.index_sources import file_on_index, modules_on_index
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Finding
from envlock.model.published.failing_use import FailingUse

FAILING_USES = "failing-uses"
"""The identifier of these findings."""


def failing_findings(
    assignment: Assignment,
    failing: Mapping[tuple[str, str], tuple[FailingUse, ...]],
    earlier: Collection[Finding],
    read: dt.date,
    asked: Mapping[str, Collection[str]],
) -> Iterator[Finding]:
    """Yield one finding for each pair about which nothing as serious was reported before.

    It is a refusal if the use fails for everyone who imports the reader or calls what it is made for. If
    another function has to be called for it to fail, it is a warning, because many never call that one. It is
    a refusal, too, if the reader requires the holder, and none of the modules that import it can be imported.
    A known warning about the pair may concern something else, and so does not suppress a refusal.

    Args:
        assignment: the combination.
        failing: (reader, holder) -> the uses that fail, surest first.
        earlier: earlier findings: the same may be known as a fact, or fail earlier.
        read: the day to record in the sources.
        asked: reader -> what it requires, whatever is wanted of it.
    """
    known = {Severity.WARN: set[frozenset[str]](), Severity.REFUSE: set[frozenset[str]]()}
    for finding in earlier:
        if finding.severity in known:
            known[finding.severity].add(frozenset(finding.components))
    for (reader, holder), uses in sorted(failing.items()):
        pair = frozenset((reader, holder))
        severity = _severity(uses[0], is_asked=holder in asked.get(reader, ()))
        spares = (Severity.REFUSE,) if severity is Severity.REFUSE else tuple(known)
        if all(pair not in known[known_severity] for known_severity in spares):
            versions = {component: assignment[component][0].version for component in (reader, holder)}
            yield _finding(reader, holder, versions, uses[0], severity, read)


def _severity(first: FailingUse, *, is_asked: bool) -> Severity:
    ends_import = first.on_import or first.is_central or (first.ends_all and is_asked)
    return Severity.REFUSE if ends_import else Severity.WARN


def _finding(
    reader: str,
    holder: str,
    versions: Mapping[str, str],
    first: FailingUse,
    severity: Severity,
    read: dt.date,
) -> Finding:
    who, other = (f"{component} {versions[component]}" for component in (reader, holder))
    if first.fault:
        done = f"calls {first.name} of {other} {first.fault}"
    else:
        done = f"looks for {first.name}, which {other} does not have"
    return Finding(
        fact=FAILING_USES,
        severity=severity,
        components=versions,
        message=f"{who} {done} ({first.where}): {_when(first, reader, holder)}",
        cause="",
        sources=(file_on_index(first.where, who, read), modules_on_index(other, read)),
        fixes=(),
    )


def _when(use: FailingUse, reader: str, holder: str) -> str:
    if use.on_import:
        return "it fails when it is imported"
    if use.is_central and not use.function:
        return f"that module fails when it is imported, and with it much of what {reader} has"
    if use.ends_all:
        return f"that module fails when it is imported, and with it all that {reader} has for {holder}"
    if use.is_central:
        return f"{use.function} fails when it is called, and with it much of what {reader} exports"
    if not use.function:
        return "that module fails when it is imported"
    return f"{use.function} {'fails when it is called' if use.is_sure else 'fails where it comes to that'}"
