"""Releases whose requirements are not as the standard demands, beside a named tool that refuses that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from envlock.judging.judge import judge
from envlock.judging.metadata_findings import metadata_source
from envlock.model.knowing.finding import Assignment, Chosen, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration
from envlock.model.published.tree_words import SLIPS, STATED_REQUIREMENTS

_SLIPS = (Chosen(version=SLIPS),)
_INSTALLER = "pip"
_BUILDERS = ("setuptools", "wheel")


def malformed_findings(
    assignment: Assignment, declarations: Mapping[str, Declaration], knowledge: Knowledge
) -> Iterator[Finding]:
    """Yield a finding for each release with slips and each named tool that does not accept them.

    An installer reads the requirements of any file, a build tool only those of sources: a release with a
    wheel is not built.

    Args:
        assignment: the combination, of which nothing is installed yet.
        declarations: component -> its declaration.
        knowledge: which tools accept slips.
    """
    for component, one in declarations.items():
        has_wheel = any(file.filename.endswith(".whl") for file in one.files)
        for tool in (_INSTALLER,) if has_wheel else (_INSTALLER, *_BUILDERS):
            if one.has_slips and component in assignment and tool in assignment:
                for finding in judge(
                    {STATED_REQUIREMENTS: _SLIPS, tool: assignment[tool]}, knowledge
                ).findings:
                    if STATED_REQUIREMENTS in finding.components:
                        yield _of_release(finding, component, one, tool, assignment[tool][0].version)


def _of_release(
    finding: Finding, component: str, declaration: Declaration, tool: str, version: str
) -> Finding:
    _, _, why = finding.message.partition(": ")
    release = f"{component} {declaration.version}"
    refusal = f"{release} states requirements in a form that {tool} {version} does not accept"
    return replace(
        finding,
        components={component: declaration.version, tool: version},
        message=f"{refusal}: {why}",
        sources=(metadata_source(declaration), *finding.sources),
    )
