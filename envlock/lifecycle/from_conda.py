"""What a conda environment asks for, in a package index's names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from packaging.utils import canonicalize_name

from envlock.model.component import PYTHON
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One package of conda, in a package index's name or in that of a component.

    Attributes:
        text: as it is written.
        distribution: what an index has; empty for what it has not.
        component: the interpreter, or what is of the machine; empty for others.
        specifier: the versions.
        reason: why it is no distribution, and what to write in its place.
        is_library: whether it is a library without modules of Python.
    """

    text: str
    distribution: str = ""
    component: str = ""
    specifier: str = ""
    reason: str = ""
    is_library: bool = False


def translate(specs: Iterable[str], knowledge: Knowledge) -> Translated:
    """Translate what an environment file lists.

    Names that the knowledge base does not tell are taken to be the index's: most channels take those.
    """
    python, requires, left_out = "", [], []
    for wish in wishes_of(specs, knowledge):
        if wish.component == PYTHON:
            python = _SERIES.sub(r"\1", wish.specifier)
        elif wish.distribution:
            requires.append(f"{wish.distribution}{wish.specifier}")
        else:
            left_out.append(f"{wish.text}: {wish.reason}")
    # Parts of one distribution are packages of their own in conda: numpy and numpy-base.
    return Translated(python=python, requires=tuple(dict.fromkeys(requires)), left_out=tuple(left_out))


def wishes_of(specs: Iterable[str], knowledge: Knowledge) -> Iterator[Wish]:
    """What an environment file lists, but for what each environment of conda's has."""
    for text in specs:
        spec = read_match_spec(text)
        if spec is None:
            yield Wish(text=text, reason="versions that only conda has")
        elif spec.name == PYTHON:
            yield Wish(text=text, component=PYTHON, specifier=spec.specifier)
        elif spec.name not in _TOOLS:
            yield _wish(text, spec, knowledge)


def _wish(text: str, spec: MatchSpec, knowledge: Knowledge) -> Wish:
    meant = knowledge.conda.get(spec.name)
    known = knowledge.component(spec.name) if meant is None else meant
    if known in knowledge.systems:
        component, specifier = _of_the_machine(known, spec, knowledge)
        reason = f'of the machine or of wheels; to insist on it: system = ["{component}{specifier}"]'
        return Wish(text=text, component=component, specifier=specifier, reason=reason)
    if not known or (meant is None and not spec.has_modules):
        reason = "no Python package; wheels bring such libraries, or the machine does"
        return Wish(text=text, reason=reason, is_library=True)
    return Wish(text=text, distribution=canonicalize_name(known), specifier=spec.specifier)


def _of_the_machine(component: str, spec: MatchSpec, knowledge: Knowledge) -> tuple[str, str]:
    """A system component; of a virtual one conda's version is none, and its build the member."""
    members = knowledge.systems[component].members
    if not members:
        return component, spec.specifier
    return (spec.build if spec.build in members else component), ""
