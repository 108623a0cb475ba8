"""Findings that rest on a release's metadata."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.knowing.fact import Severity, Source
from envlock.model.knowing.finding import Finding, Fix
from envlock.model.published.declaration import Declaration

REQUIRES_DIST, REQUIRES_PYTHON, WHEELS = "requires-dist", "requires-python", "wheels"
"""Identifiers of these findings, after the fields of metadata that they rest on."""
DECLARED = frozenset({REQUIRES_DIST, REQUIRES_PYTHON, WHEELS})


def metadata_finding(
    fact: str,
    components: Mapping[str, str],
    message: str,
    declaration: Declaration,
    fixes: tuple[Fix, ...],
    severity: Severity = Severity.REFUSE,
) -> Finding:
    """Make a finding that rests on a release's metadata."""
    return Finding(
        fact=fact,
        severity=severity,
        components=components,
        message=message,
        cause="",
        sources=(metadata_source(declaration),),
        fixes=fixes,
    )


def metadata_source(declaration: Declaration) -> Source:
    """A release's metadata as a source of a finding."""
    title = f"metadata of {declaration.distribution} {declaration.version}"
    return Source(title=title, checked=declaration.read)
