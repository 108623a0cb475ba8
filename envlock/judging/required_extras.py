"""Extras that releases require of each other: ``jax[cuda12]`` requires its plug-in with what that runs on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from envlock.judging.declared import applying
from envlock.judging.published_files import admitted_pythons
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration


def with_required_extras(
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    python: str,
    machine: str,
) -> dict[str, Declaration]:
    """Return declarations with the extras that others among them require, directly or indirectly.

    Only what is required on every interpreter in question counts.

    Args:
        declarations: component -> its declaration, with the extras that somebody named.
        knowledge: the meaning of names.
        python: the interpreter that is named; empty for all that a release has files for.
        machine: the architecture of the nodes.
    """
    found = dict(declarations)
    queue = list(found)
    while queue:
        component = queue.pop()
        for other, extras in _extras_required_by(found[component], knowledge, python, machine).items():
            known = found.get(other)
            if known is not None and not extras <= known.extras:
                found[other] = replace(known, extras=known.extras | extras)
                queue.append(other)
    return found


def _extras_required_by(
    declaration: Declaration, knowledge: Knowledge, python: str, machine: str
) -> dict[str, frozenset[str]]:
    """Return the extras of others that a release requires on every interpreter in question."""
    if not any("[" in requirement for requirement in declaration.requires_dist):
        return {}
    required = [
        {
            (knowledge.distribution(requirement.name), extra)
            for requirement in applying(declaration.requires_dist, declaration.extras, name, machine)
            for extra in requirement.extras
        }
        for name in ([python] if python else admitted_pythons(declaration))
    ]
    found: dict[str, frozenset[str]] = {}
    for other, extra in sorted(set.intersection(*required)) if required else ():
        found[other] = found.get(other, frozenset()) | {extra}
    return found
