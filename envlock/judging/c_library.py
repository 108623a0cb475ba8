"""Judging a combination by the C library that compiled modules need without their wheel's tags saying so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envlock.judging.implied import machine_of
from envlock.judging.index_sources import file_of
from envlock.model.component import USUAL_MACHINE, parse_version
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Finding, Fix
from envlock.model.published.code_reads import GLIBC, CodeReads

UNTOLD_GLIBC = "untold-glibc"
"""The identifier of these findings."""


def glibc_findings(assignment: Assignment, reads: Mapping[str, CodeReads]) -> Iterator[Finding]:
    """Yield a refusal for each distribution whose import needs a newer C library than the nodes have.

    Args:
        assignment: the combination; nothing is known of nodes other than x86_64, whose wheels are read.
        reads: component -> what its code reads on import.
    """
    if machine_of(assignment) != USUAL_MACHINE:
        return
    for chosen in assignment.get("glibc", ()):
        for component, code in reads.items():
            needed = {
                _release(name): where for name, where in code.on_import.items() if name.startswith(GLIBC)
            }
            newest = max(needed, key=parse_version, default="0")
            if parse_version(newest) > parse_version(chosen.version):
                yield _finding(component, code, chosen.version, newest, needed[newest])


def _release(name: str) -> str:
    return name.removeprefix(GLIBC).replace("_", ".")


def _finding(component: str, code: CodeReads, present: str, needed: str, where: str) -> Finding:
    needs = f"{component} {code.version} needs glibc {needed} when it is imported ({where})"
    return Finding(
        fact=UNTOLD_GLIBC,
        severity=Severity.REFUSE,
        components={component: code.version, "glibc": present},
        message=f"{needs}, not {present}, although the tags of its wheel allow that",
        cause="",
        sources=(file_of(code, where),),
        fixes=(Fix(component="glibc", range=f">={needed}"),),
    )
