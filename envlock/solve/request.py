"""The question to a solve: a group's wishes for one target, with the policy that applies."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cache

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.markers import marker_holds
from envlock.model.project.group import Wish
from envlock.model.project.package_sources import Direct
from envlock.model.project.policy import NO_POLICY, Policy
from envlock.model.project.target import Interpreter, Target

EVERYTHING = "*"
"""In place of a name: every distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to the solver.

    Attributes:
        wishes: what the group wants.
        target: where the environment will run.
        interpreter: its Python.
        as_of: only releases published up to the end of this day are candidates, except exactly pinned ones,
            owned ones and those that carry a system component; ``None`` for no cut-off.
        preferred: identifier -> version to keep where nothing speaks against it.
        raised: identifier -> the version that an upgrade of it alone takes, whatever has to move for that.
        held: identifier -> the only version allowed, if it is there at all.
        owned: identifier -> the version that the extended group has of what others own, which counts
            whatever its day, as pins do.
        waived: facts that do not count.
        policy: the group's rules for components, beyond its wishes.
        era_of_pins: whether ``as_of`` is the time of the pins, and so moves with them.
        withdrawn: distributions whose withdrawn releases count, after all others.
        reopened: distributions whose later releases count as well, where ``as_of`` is the time of the pins;
            ``EVERYTHING`` for all of them.
        building: for the build environment of a distribution, what is being built, outermost first.
        direct: identifier -> the file or folder that replaces all releases on indexes.
        stand_ins: identifier -> what replaces it where metadata requires it.
        extras: ``name[extra]`` -> the version of a release that has the extra, and is the best for one of the
            interpreters that the group leaves open.
        stated: what the group's own folders of sources state that they need: it tells a time and a Python.
        supposing: whether files whose dependencies only their build backends tell count as needing nothing.
    """

    wishes: tuple[Wish, ...]
    target: Target
    interpreter: Interpreter
    as_of: dt.date | None = None
    preferred: Mapping[str, str] = field(default_factory=dict)
    raised: Mapping[str, str] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    owned: Mapping[str, str] = field(default_factory=dict)
    waived: frozenset[str] = frozenset()
    policy: Policy = NO_POLICY
    era_of_pins: bool = False
    withdrawn: frozenset[str] = frozenset()
    reopened: frozenset[str] = frozenset()
    building: tuple[str, ...] = ()
    direct: Mapping[str, Direct] = field(default_factory=dict)
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    extras: Mapping[str, str] = field(default_factory=dict)
    stated: tuple[Wish, ...] = ()
    supposing: bool = False

    @property
    def dating(self) -> tuple[Wish, ...]:
        """The wishes that tell the group's time and which Pythons suit it."""
        return (*self.applying, *self.stated)

    @property
    def applying(self) -> tuple[Wish, ...]:
        """The wishes whose markers hold for the interpreter; the others require, pin and date nothing."""
        return applying(self.wishes, self.interpreter)

    def is_about(self, component: str, knowledge: Knowledge) -> bool:
        """Whether the group itself asks for a component or a flavour of it, or the node has it."""
        asked = {wish.component for wish in self.applying}
        asked.update(knowledge.flavour_of(name) for name in tuple(asked))
        return component in asked or bool(self.target.offered(component))

    def settled(self, condition: Condition) -> bool:
        """Whether the group itself asks for words that all meet it, or for what may be of any version."""
        asked = [wish.range.listed for wish in self.applying if wish.component == condition.component]
        if condition.range.text == "*":
            return bool(asked)
        return any(words and words <= condition.range.listed for words in asked)


def exact_version(specifiers: SpecifierSet) -> str:
    """Return the one version that a specifier set pins (``==1.4.0``), or an empty string."""
    for specifier in specifiers:
        if specifier.operator in {"==", "==="} and not specifier.version.endswith(".*"):
            return specifier.version
    return ""


def applies(requirement: Requirement, interpreter: Interpreter) -> bool:
    """Whether a requirement's marker holds for the target's interpreter, with no extra wanted."""
    environment = {**interpreter.markers, "extra": ""}
    return requirement.marker is None or marker_holds(requirement.marker, environment)


def applying(wishes: Iterable[Wish], interpreter: Interpreter) -> tuple[Wish, ...]:
    """Return the wishes whose markers hold for an interpreter."""
    return tuple(
        wish for wish in wishes if wish.requirement is None or applies(wish.requirement, interpreter)
    )


def holds(marker: str, interpreter: Interpreter, extra: str = "") -> bool:
    """Whether a marker holds for the target's interpreter; an empty one always does."""
    if not marker:
        return True
    if _of_another_extra(marker, extra):
        return False
    return marker_holds(_marker(marker), {**interpreter.markers, "extra": extra})


def _of_another_extra(marker: str, extra: str) -> bool:
    """Whether a marker is about another extra, as most are; then it need not be parsed."""
    _, found, rest = marker.rpartition('extra == "')
    if not found or " or " in marker:
        return False
    return canonicalize_name(rest.partition('"')[0]) != canonicalize_name(extra)


@cache
def _marker(text: str) -> Marker:
    return Marker(text)
