"""Decoding of what a group requires of the machine, ``system = [...]``, with hints for mistakes."""

from __future__ import annotations

import re

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from envlock.model.component import DISTRIBUTION_PREFIX, PYTHON, Range
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.near_names import near_names
from envlock.model.project.group import Wish

_CONDAS = r"(?P<name>[\w.-]+)\s*=\s*(?P<version>\d[\w.]*)"
"""A version after a single ``=``, as conda writes a series."""
_VERSION = r"(?<=[=<>~!\s])[^\s,=<>~!]+"


def system_wish(table: Table, text: str, group: str, knowledge: Knowledge) -> Wish:
    """Decode a wish for a system component.

    Raises:
        RequestError: it is none, or asks for something that such a component cannot have.
    """
    if (wish := _word_wish(table, text, group, knowledge)) is not None:
        return wish
    if text.startswith(DISTRIBUTION_PREFIX):
        raise table.error(
            f"{text!r} is a distribution, not a system component",
            key="system",
            hint=f'write requires = ["{text}"]',
        )
    if (spelt := _spelt(text, knowledge)) != text:
        raise table.error(
            f"{text!r} is not a valid requirement", key="system", hint=f'write system = ["{spelt}"]'
        )
    try:
        requirement = Requirement(text)
        versions = Range.versions(str(requirement.specifier))
    except InvalidRequirement:
        series = re.fullmatch(_CONDAS, text.strip())
        meant = f"{series['name']}=={series['version']}.*" if series else "openmpi>=3.1"
        raise table.error(
            f"{text!r} is not a valid requirement", key="system", hint=f'write system = ["{meant}"]'
        ) from None
    component = knowledge.component(requirement.name)
    if component == PYTHON:
        raise python_elsewhere(table, "system", requirement)
    if component not in knowledge.systems:
        raise table.error(
            f"{requirement.name!r} is not a system component",
            key="system",
            hint=_meant_by(requirement, text, knowledge),
        )
    if requirement.extras or requirement.marker or requirement.url:
        raise table.error(
            f"{requirement.name} is a system component, which has no extras, markers or addresses: {text!r}",
            key="system",
            hint=f'write system = ["{requirement.name}{requirement.specifier}"]',
        )
    return Wish(component=component, range=versions, requirement=None, text=text, group=group)


def _spelt(text: str, knowledge: Knowledge) -> str:
    """Return a requirement with versions as the component has them: ``gpu_cc>=9.0`` for ``gpu_cc>=sm_90``."""
    name = re.match(r"[\w.-]*", text)
    system = knowledge.systems.get(knowledge.component(name[0])) if name and name[0] else None
    if system is None or not system.spellings:
        return text
    return re.sub(_VERSION, lambda found: system.spelling(found[0]), text)


def python_elsewhere(table: Table, key: str, requirement: Requirement) -> RequestError:
    """Return the error that the interpreter is not requested like other components."""
    wanted = str(requirement.specifier).removeprefix("==") or "3.12"
    return table.error("Python has a key of its own", key=key, hint=f'write python = "{wanted}"')


def _meant_by(requirement: Requirement, text: str, knowledge: Knowledge) -> str:
    """Suggest what a name may have meant that is no system component's."""
    name = canonicalize_name(requirement.name)
    others = [one.component for one in knowledge.called.get(name, ()) if not one.values]
    others += [one for one in (knowledge.conda.get(name, ""),) if one in knowledge.systems]
    known = knowledge.covered(name) is not None or any(knowledge.facts.of(name))
    if known and not others:
        return f'it is a distribution: requires = ["{text}"]'
    near = others[:1] or near_names(requirement.name, knowledge.systems, most=2)
    meant = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    return f"{meant}envlock kb show lists what there is; distributions belong in requires = [...]"


def _word_wish(table: Table, text: str, group: str, knowledge: Knowledge) -> Wish | None:
    """Decode ``launcher==aprun|srun``, which is no requirement because a word is not a version."""
    name, separator, words = (part.strip() for part in text.partition("=="))
    component = knowledge.component(name)
    if not separator or component not in knowledge.systems or not knowledge.systems[component].words:
        return None
    system = knowledge.systems[component]
    if unknown := system.unknown_words(words):
        raise table.error(
            f"{unknown[0]!r} is not a value of {name}",
            key="system",
            hint=f"it is one of {', '.join(system.vocabulary)}",
        )
    return Wish(component=component, range=Range.words(words), requirement=None, text=text, group=group)
