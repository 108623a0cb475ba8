"""What a conda environment asks for, in a package index's names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from packaging.utils import canonicalize_name

from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.match_spec import MatchSpec, read_match_spec

_SERIES = re.compile(r"==(\d+\.\d+)\.\*")
_TOOLS = frozenset({"pip", "wheel"})
"""What each environment of conda has, asked for or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """Packages of conda as wishes of a group.

    Attributes:
        python: the interpreters, as a specifier; empty where none is named.
        requires: what a package index has.
        left_out: what it has not, or not by that name, and what to write in its place.
    """

    python: str = ""
    requires: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def translate(specs: Iterable[str], knowledge: Knowledge) -> Translated:
    """Translate what an environment file lists.

    Names that the knowledge base does not tell are taken to be the index's: most channels take those.
    """
    python, requires, left_out = "", [], []
    for text in specs:
        spec = read_match_spec(text)
        if spec is None:
            left_out.append(f"{text}: versions that only conda has")
        elif spec.name == "python":
            python = _SERIES.sub(r"\1", spec.specifier)
        elif spec.name not in _TOOLS:
            requirement, reason = _wish(spec, knowledge)
            if reason:
                left_out.append(f"{text}: {reason}")
            else:
                requires.append(requirement)
    # Parts of one distribution are packages of their own in conda: numpy and numpy-base.
    return Translated(python=python, requires=tuple(dict.fromkeys(requires)), left_out=tuple(left_out))


def _wish(spec: MatchSpec, knowledge: Knowledge) -> tuple[str, str]:
    """A requirement, or why there is none."""
    meant = knowledge.conda.get(spec.name)
    known = knowledge.component(spec.name) if meant is None else meant
    if known in knowledge.systems:
        wish = _system_wish(known, spec, knowledge)
        return "", f'of the machine or of wheels; to insist on it: system = ["{wish}"]'
    if not known or (meant is None and not spec.has_modules):
        return "", "no Python package; wheels bring such libraries, or the machine does"
    return f"{canonicalize_name(known)}{spec.specifier}", ""


def _system_wish(component: str, spec: MatchSpec, knowledge: Knowledge) -> str:
    """A wish for a system component; of a virtual one conda's version is none, and its build the member."""
    members = knowledge.systems[component].members
    if not members:
        return f"{component}{spec.specifier}"
    return spec.build if spec.build in members else component
