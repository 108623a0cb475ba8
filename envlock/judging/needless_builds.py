"""Facts about how a release is built, where nobody has to build it.

PyYAML before 6.0.2 does not compile with Cython 3. Whoever has its wheel may have any Cython beside it, as
many lists of what is installed do. Where somebody names a compiler, MPI or CUDA, builds are asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from envlock.judging.judge import joined
from envlock.judging.published_files import Node, has_wheel, node_of
from envlock.model.component import PYTHON, Via
from envlock.model.knowing.finding import Assignment, Finding, Judgement
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration


def without_needless_builds(
    judgement: Judgement,
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    pythons: Sequence[str],
) -> Judgement:
    """Drop findings on builds of distributions that have a wheel for one of some interpreters.

    Args:
        judgement: the judgement of the combination.
        assignment: the combination.
        declarations: component -> its metadata, with its files.
        knowledge: the facts.
        pythons: the interpreters that may be meant.
    """
    named = [one for one, chosen in assignment.items() if any(version.via is None for version in chosen)]
    systems = [
        knowledge.systems[component]
        for component in named
        if component in knowledge.systems and component != PYTHON
    ]
    if not all(system.fixed for system in systems):
        return judgement
    node = node_of(assignment)
    kept = tuple(
        finding
        for finding in judgement.findings
        if not _is_needless(finding, assignment, declarations, knowledge, pythons, node)
    )
    return joined(replace(judgement, findings=kept), (), {})


def _is_needless(
    finding: Finding,
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    pythons: Sequence[str],
    node: Node,
) -> bool:
    fact = knowledge.facts.named(finding.fact)
    built = {condition.component for condition in fact.when if condition.via is Via.BUILD} if fact else set()
    return any(
        knowledge.flavour_of(component) in built
        and component in declarations
        and all(chosen.via is None for chosen in assignment.get(component, ()))
        and any(has_wheel(declarations[component], python, node) for python in pythons)
        for component in finding.components
    )
