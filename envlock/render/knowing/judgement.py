"""Views of a judgement: ``envlock check``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from envlock.app.checking.check import Checked
from envlock.model.counting import number_of
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Finding, Fix, Judgement, Verdict
from envlock.render.knowing.series import series

_STYLES = {Verdict.COMPATIBLE: "bold green", Verdict.INCOMPATIBLE: "bold red", Verdict.UNKNOWN: "bold yellow"}
_LABELS = {Severity.REFUSE: "refused", Severity.WARN: "warning", Severity.NOTE: "note"}


def checked_text(checked: Checked, console: Console) -> None:
    """Print what was judged besides what was named, then the judgement."""
    if checked.listing is not None:
        found = checked.listing
        reader = f", as for Python {found.read_for}" if found.read_for else ""
        line = f"read {number_of(len(found.distributions), 'distribution')} of {found.kind}{reader}"
        console.print(Text(line, style="dim"))
        for text in found.ranges:
            treatment = "a range, compared with what is pinned" if checked.ranges_compared else "not judged"
            console.print(Text(f"  {treatment}: {text}", style="yellow"), soft_wrap=True)
        for text in found.passed_over:
            console.print(Text(f"  not judged: {text}", style="yellow"), soft_wrap=True)
    if checked.target:
        parts = (
            ", ".join(f"{component} {version}" for component, version in checked.joined) or "nothing fixed"
        )
        console.print(Text(f"on the target {checked.target}: {parts}", style="dim"), soft_wrap=True)
    _judgement_text(checked.judgement, console)
    for why, components in _by_reason(checked.unread):
        line = f"metadata not read: {', '.join(components)} ({why})"
        console.print(Text(line, style="dim"), soft_wrap=True)


def _by_reason(unread: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    reasons: dict[str, list[str]] = {}
    for component, why in unread.items():
        reasons.setdefault(why, []).append(component)
    return list(reasons.items())


def checked_document(checked: Checked) -> dict[str, object]:
    """Return the same for programs, in the documented form of ``envlock check --json``."""
    document = _judgement_document(checked.judgement)
    if checked.target:
        components = [{"component": name, "version": version} for name, version in checked.joined]
        document["target"] = {"name": checked.target, "components": components}
    if checked.unread:
        document["unread"] = dict(checked.unread)
    if checked.listing is not None:
        document["read"] = {
            "kind": checked.listing.kind,
            "distributions": len(checked.listing.distributions),
            "ranges": list(checked.listing.ranges) if checked.ranges_compared else [],
            "not_judged": [
                *(() if checked.ranges_compared else checked.listing.ranges),
                *checked.listing.passed_over,
            ],
            "read_for": checked.listing.read_for,
        }
    return document


def _judgement_text(judgement: Judgement, console: Console) -> None:
    """Print the verdict and what it rests on."""
    console.print(Text(judgement.verdict.value, style=_STYLES[judgement.verdict]))
    _findings_text(judgement.findings, console)
    for component, why in judgement.uncovered.items():
        console.print(Text.assemble(("unknown: ", "yellow"), f"{component}: {why}"), soft_wrap=True)


def _findings_text(findings: Iterable[Finding], console: Console) -> None:
    """Print findings, each with its cause, ways out and sources; of those alike only the first."""
    for finding, *alike in series(findings, _said):
        label = _LABELS[finding.severity]
        console.print()
        console.print(Text.assemble((f"{label}: ", "red"), (finding.message, "bold")), soft_wrap=True)
        if finding.cause:
            console.print(Text.assemble(("  cause    ", "cyan"), finding.cause), soft_wrap=True)
        for fix in finding.fixes:
            text = _fine(replace(fix, range="") if alike and fix.versions else fix)
            console.print(Text.assemble(("  fine     ", "green"), text), soft_wrap=True)
        for source in finding.sources:
            console.print(Text.assemble(("  source   ", "cyan"), str(source)), soft_wrap=True)
        others = f"; alike: {', '.join(other.fact for other in alike)}" if alike else ""
        console.print(Text(f"  fact     {finding.fact}{others}", style="dim"), soft_wrap=True)


def _said(finding: Finding) -> tuple[Hashable, str]:
    """The components that met, with their versions, and the sentence on them."""
    return (finding.severity, tuple(finding.components.items())), finding.message


def _fine(fix: Fix) -> str:
    versions = f"{fix.component} {' or '.join(fix.versions)}"
    if not fix.versions:
        return f"{fix.component} beside them" if fix.range == "*" else f"{fix.component} {fix.range}"
    return f"{versions}  ({fix.range})" if fix.range else versions


def _judgement_document(judgement: Judgement) -> dict[str, object]:
    """Return the same for programs, in the documented form of ``envlock check --json``."""
    return {
        "schema": "envlock/check/1",
        "verdict": judgement.verdict.value,
        "findings": [_finding_document(finding) for finding in judgement.findings],
        "unknown": dict(judgement.uncovered),
    }


def _finding_document(finding: Finding) -> dict[str, object]:
    """Return one finding for programs."""
    return {
        "fact": finding.fact,
        "severity": finding.severity.value,
        "components": dict(finding.components),
        "message": finding.message,
        "cause": finding.cause,
        "sources": [source.document() for source in finding.sources],
        "fixes": [
            {"component": fix.component, "range": fix.range, "versions": list(fix.versions)}
            for fix in finding.fixes
        ],
    }
