"""Releases that a combination takes from source, but that cannot be built there.

A build environment contains what the sdist requires, in isolation (PEP 517). If none of the releases that it
admits can be had, that is known before anything is built, and so is C that an old Cython wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet

from envlock.judging.declared import markers_on
from envlock.judging.judge import joined, judge
from envlock.judging.metadata_findings import WHEELS
from envlock.judging.translations import TRANSLATED_SOURCES, outlived
from envlock.model.component import PYTHON, Range
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Chosen, Finding, Judgement
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.lower_bounds import first_version
from envlock.model.markers import marker_holds
from envlock.model.published.source_build import SourceBuild
from envlock.model.published.tree_words import CYTHON_SOURCES, TRANSLATED

NO_BOUND = "0"
"""Stands for the oldest release of what is asked for without a lower bound (``setuptools<65``)."""

BUILD_REQUIRES = "build-requires"
"""The identifier of these findings, after the field of ``pyproject.toml`` that they rest on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FromSource:
    """A release that has wheels, but none for the interpreter that is named.

    Attributes:
        component: the component.
        version: the version.
        warning: the earlier warning about it.
    """

    component: str
    version: str
    warning: Finding


def from_source(judgement: Judgement, assignment: Assignment, knowledge: Knowledge) -> tuple[FromSource, ...]:
    """Return the releases that would be built as their sdists say, for which no recipe of ours exists.

    Args:
        judgement: the judgement of the combination.
        assignment: the combination.
        knowledge: the recipes.
    """
    return tuple(
        FromSource(component=component, version=version, warning=finding)
        for finding in judgement.findings
        if finding.fact == WHEELS and finding.severity is Severity.WARN and PYTHON in finding.components
        for component, version in finding.components.items()
        if component in assignment and component != PYTHON and knowledge.recipe(component, version) is None
    )


def with_builds_judged(
    judgement: Judgement,
    built: Sequence[FromSource],
    builds: Mapping[str, SourceBuild],
    knowledge: Knowledge,
) -> Judgement:
    """Add refusals where an sdist asks for what the interpreter refuses, or has C that it does not compile.

    Args:
        judgement: the judgement of the combination.
        built: what would be built.
        builds: component -> what its sdist requires and contains.
        knowledge: what to judge by.
    """
    known = [(release, builds[release.component]) for release in built if release.component in builds]
    found = [
        finding
        for one, build in known
        for finding in _of_old_c(one, build.translated, knowledge) or tuple(_refused(one, build, knowledge))
    ]
    instead = {frozenset(finding.components) for finding in found}
    kept = tuple(f for f in judgement.findings if f.fact != WHEELS or frozenset(f.components) not in instead)
    return joined(replace(judgement, findings=kept), found, {})


def _of_old_c(source: FromSource, translated: Sequence[str], knowledge: Knowledge) -> tuple[Finding, ...]:
    python = source.warning.components[PYTHON]
    known = outlived(source.component, source.version, translated, python, knowledge)
    if known is None:
        return ()
    why, old = known
    refusal = Finding(
        fact=TRANSLATED_SOURCES,
        severity=Severity.REFUSE,
        components=source.warning.components,
        message=f"{source.warning.message}: {why}",
        cause=source.warning.cause,
        sources=(*source.warning.sources, *old.sources),
        fixes=source.warning.fixes,
    )
    return (refusal,)


def _refused(source: FromSource, build: SourceBuild, knowledge: Knowledge) -> Iterator[Finding]:
    python = source.warning.components[PYTHON]
    tree = {CYTHON_SOURCES: (Chosen(version=TRANSLATED),)} if build.translates else {}
    for name, specifiers in _asked(build.requires, python):
        component, oldest = knowledge.distribution(name), first_version(specifiers) or NO_BOUND
        taken = {component: (Chosen(version=oldest),), PYTHON: (Chosen(version=python),), **tree}
        for finding in judge(taken, knowledge).findings:
            if finding.severity is Severity.REFUSE and _leaves_none(finding, component, specifiers):
                why = f"with {name} {specifiers}, {_why(finding, component, oldest)}"
                yield Finding(
                    fact=BUILD_REQUIRES,
                    severity=Severity.REFUSE,
                    components=source.warning.components,
                    message=f"{source.warning.message}: {why}",
                    cause=finding.cause,
                    sources=(*source.warning.sources, *finding.sources),
                    fixes=source.warning.fixes,
                )
                return


def _asked(requirements: Sequence[str], python: str) -> Iterator[tuple[str, SpecifierSet]]:
    """Yield what is required in certain versions, on this interpreter."""
    markers = markers_on(python)
    for text in requirements:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        marker = requirement.marker
        if requirement.specifier and (marker is None or marker_holds(marker, markers)):
            yield requirement.name, requirement.specifier


def _why(finding: Finding, component: str, oldest: str) -> str:
    """Return what speaks against a release, without the number of one that only stands for all."""
    if oldest != NO_BOUND:
        return f"and {finding.message}"
    about = f"{component} {oldest} "
    return f"{'which' if finding.message.startswith(about) else 'and'} {finding.message.removeprefix(about)}"


def _leaves_none(finding: Finding, component: str, specifiers: SpecifierSet) -> bool:
    """Whether every version that is asked for lies outside those that would be fine."""
    fine = [fix.range for fix in finding.fixes if fix.component == component and fix.range]
    if not fine:
        return bool(Range.versions(str(specifiers)).pinned)
    parts = (part.specifiers for text in fine for part in Range.versions(text).parts)
    return all((specifiers & part).is_unsatisfiable() for part in parts)
