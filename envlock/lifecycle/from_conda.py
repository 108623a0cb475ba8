"""What a conda environment file asks for, under the names of the package index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from packaging.utils import canonicalize_name

from envlock.model.component import PYTHON
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.match_spec import MatchSpec, read_match_spec

_SERIES = re.compile(r"==(\d+\.\d+)(?:\.\*)?")
"""A series of Python; no release has two numbers alone."""
_PATCH = re.compile(r"==(?P<series>\d+\.\d+)\.\d+(?:\.\*)?")
_NO_PACKAGE = "no package of the index; wheels bring such libraries, or the machine does"
_CHOSEN = "of wheels those are chosen that suit the nodes, and sources are built for their MPI"
_TOOLS = frozenset({"pip", "wheel"})
"""Packages that every conda environment has, asked for or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """Conda packages as wishes of a group.

    Attributes:
        python: the interpreters, as a specifier; empty if none is named.
        requires: what the package index has.
        left_out: what it does not have, or not under that name, and what to write instead.
    """

    python: str = ""
    requires: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One conda package, under the name of a distribution or of a component.

    Attributes:
        text: as written.
        distribution: its name on the index; empty if the index does not have it.
        component: the interpreter, or a component of the machine; empty for others.
        specifier: the versions.
        reason: what of it the index does not have, and what to write instead; of a distribution its build.
        is_library: whether it is a library without Python modules.
        cuda: the series of CUDA for which its build is; empty if the build names none.
    """

    text: str
    distribution: str = ""
    component: str = ""
    specifier: str = ""
    reason: str = ""
    is_library: bool = False
    cuda: str = ""


def translate(specs: Iterable[str], knowledge: Knowledge) -> Translated:
    """Translate what an environment file lists.

    Names that the knowledge base does not know are taken as the index's: most channels use those.
    """
    python, requires, left_out = "", [], []
    libraries: list[str] = []
    for wish in wishes_of(specs, knowledge):
        if wish.component == PYTHON:
            series = _SERIES.fullmatch(wish.specifier)
            python = series[1] if series else wish.specifier
            if patch := _PATCH.fullmatch(python):
                python = patch["series"]
                left_out.append(f"{wish.text}: its patch; all patches of {python} take the same packages")
        elif wish.is_library:
            libraries.append(wish.text)
        elif wish.distribution:
            requires.append(f"{wish.distribution}{wish.specifier}")
        if wish.reason and not wish.is_library:
            left_out.append(f"{wish.text}: {wish.reason}")
    if libraries:
        left_out.append(f"{', '.join(libraries)}: {_NO_PACKAGE}")
    # Conda may split one distribution into several packages: numpy and numpy-base.
    return Translated(python=python, requires=tuple(dict.fromkeys(requires)), left_out=tuple(left_out))


def wishes_of(specs: Iterable[str], knowledge: Knowledge) -> Iterator[Wish]:
    """Yield what an environment file lists, except what every conda environment has."""
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
    alone = meant is None and (not spec.has_modules or spec.name in knowledge.conda_alone)
    if (
        not known or alone or spec.name.startswith("_")
    ):  # as switches of conda are called, and no distribution
        return Wish(text=text, reason=_NO_PACKAGE, is_library=True)
    build = ""
    if spec.is_variant:
        instead = f'to insist on its CUDA: system = ["cuda=={spec.cuda}.*"]' if spec.cuda else _CHOSEN
        build = f"its build is one of conda's; {instead}"
    name = canonicalize_name(known)
    return Wish(text=text, distribution=name, specifier=spec.specifier, reason=build, cuda=spec.cuda)


def _of_the_machine(component: str, spec: MatchSpec, knowledge: Knowledge) -> tuple[str, str]:
    """Return a system component and its specifier; for a virtual one, conda's build names the member."""
    members = knowledge.systems[component].members
    if not members:
        return component, spec.specifier
    return (spec.build if spec.build in members else component), ""
