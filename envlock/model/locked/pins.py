"""What a solve decided: pinned distributions and system components, each with its reasons."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from envlock.model.component import Layer
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition, Source
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.source_edit import SourceEdit
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import DistFile

YOU = "you"
"""The requester, where it is the group itself."""
NODE = "the node"
"""The requester of what is there whether or not anybody wants it."""
CONSTRAINT = "your constraint"
"""What narrows the versions, where it is a constraint of the group."""
ERA = "the time of your pins"
"""What keeps releases out, where ``as-of`` follows the pins."""
EXCLUSION = "your exclusion"
"""What forbids a distribution that the group excludes."""
NO_BINARY = "your no-binary"
"""What forbids wheels of a distribution."""
ONLY_BINARY = "your only-binary"
"""What forbids building a distribution."""


class Origin(StrEnum):
    """Where a system component comes from; a choice is what a build or a run takes, on any node."""

    NODE = "node"
    SITE = "site"
    INDEX = "index"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan:
    """How to build a pin that has no usable wheel.

    Attributes:
        requires: pins of the build environment besides ``against`` (closed under their own dependencies).
        against: distributions of the environment that it is compiled against, name -> version.
        systems: system components that it is compiled against, name -> version.
        variables: environment variables of the build; ``{prefix}`` is the build environment's.
        edits: changes to the sources, in the order in which to make them.
    """

    requires: tuple[DistributionPin, ...]
    against: Mapping[str, str]
    systems: Mapping[str, str]
    variables: Mapping[str, str]
    edits: tuple[SourceEdit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionPin:
    """One distribution of the environment.

    Attributes:
        component: its identifier.
        name: its name on the index, canonical.
        version: its version.
        file: the one file to install or build from.
        requires_python: the interpreters it is for.
        extras: the extras required of it.
        dependencies: identifiers of the pins it depends on.
        asked_by: who requires it: ``you`` for the group itself, otherwise identifiers and fact ids.
        facts: the facts that narrowed its versions.
        build: how to build it; ``None`` for a wheel.
    """

    component: str
    name: str
    version: str
    file: DistFile
    requires_python: str
    extras: tuple[str, ...]
    dependencies: tuple[str, ...]
    asked_by: tuple[str, ...]
    facts: tuple[str, ...]
    build: BuildPlan | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPin:
    """One system component of the environment.

    Attributes:
        component: its name.
        version: its version.
        origin: the node itself, an offer of the site, a wheel of the index, or a choice.
        prefix: where it is installed; empty if it comes in a wheel.
        distribution: the identifier of the distribution that carries it; otherwise empty.
        modules: the modules to load for it.
        variables: what activates it; in those of a wheel, ``{prefix}`` is the environment's prefix.
        asked_by: who requires it; empty for surroundings that are merely there.
        facts: the facts that narrowed its versions.
    """

    component: str
    version: str
    origin: Origin
    prefix: str
    distribution: str
    modules: tuple[str, ...]
    variables: Mapping[str, str]
    asked_by: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BetterRelease:
    """A release that was not taken.

    Attributes:
        version: its version.
        file: the file that would have been taken.
        kept_out: what of the group's other wishes keeps it out by its own metadata, and what that requires;
            empty where none does, or only a wish that fell back itself.
    """

    version: str
    file: DistFile
    kept_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """The answer to a request: everything that makes up the environment.

    Attributes:
        interpreter: its Python.
        distributions: pins, by name.
        systems: pins of system components, by name.
        as_of: the cut-off date that applied.
        python_because: why it is not the newest interpreter that the group allows; empty where it is, or
            where the group left no choice.
        learned: facts found in files and code during the solve -> the reason.
        conflicts: those of them that a later solve would not come to again by itself, where it keeps the
            pins to which they led -> the conditions that exclude each other.
        spared: those of them that are set aside, because they concern what nobody imports at once -> what an
            answer that agrees with them costs; empty where there is none.
        warned: the facts that warn about the combination.
        fallen_back: component that the group asks for -> the release that it admits, is more than a year
            newer than the pin, and that something keeps out.
    """

    interpreter: Interpreter
    distributions: tuple[DistributionPin, ...]
    systems: tuple[SystemPin, ...]
    as_of: dt.date | None
    python_because: str = ""
    learned: Mapping[str, str] = field(default_factory=dict)
    conflicts: Mapping[str, tuple[Condition, ...]] = field(default_factory=dict)
    spared: Mapping[str, str] = field(default_factory=dict)
    warned: tuple[Finding, ...] = ()
    fallen_back: Mapping[str, BetterRelease] = field(default_factory=dict)

    @property
    def shaping(self) -> frozenset[str]:
        """The facts that shaped it: without them another version would have been chosen."""
        of_systems = (fact for pin in self.systems for fact in pin.facts)
        return frozenset((*of_systems, *(fact for pin in self.distributions for fact in pin.facts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A requirement or fact that took part in a refusal.

    Attributes:
        asked_by: ``you``, a component with its version, or ``fact:ID``.
        wants: what it requires, in readable form (``horovod >=0.20.0``).
        component: the component of which it requires this.
        override: the reason of the group's override, where that requires this instead of metadata.
        own: whether it requires nothing of others, and ``wants`` says what is wrong with itself.
        because: why the knowledge base has it require this; empty where metadata does, without a reason.
    """

    asked_by: str
    wants: str
    component: str
    override: str = ""
    own: bool = False
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What a distribution brings along of which a fact speaks.

    Attributes:
        distribution: the distribution with its version (``torch 2.11.0``).
        component: what it carries or was compiled for (``cuda``).
        version: its version.
        sources: where that was read; none where the distribution is the component itself.
    """

    distribution: str
    component: str
    version: str
    sources: tuple[Source, ...]


class Amended(StrEnum):
    """What an amendment changes."""

    WISH = "wish"
    NAME = "name"
    EXTRAS = "extras"
    PRERELEASES = "prereleases"
    CONSTRAINT = "constraint"
    OVERRIDE = "override"
    EXCLUSION = "exclusion"
    NO_BINARY = "no-binary"
    ONLY_BINARY = "only-binary"
    AS_OF = "as-of"
    PYTHON = "python"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """One change to a request or to a target.

    Attributes:
        component: what changes.
        layer: who would have to make it; ``None`` for the group itself.
        before: the present value (``==0.19.0``, ``525.60``); empty for nothing.
        after: the value instead; empty where a wish is dropped and nothing replaces it.
        of: the part of the request or target that it changes.
    """

    component: str
    layer: Layer | None
    before: str
    after: str
    of: Amended = Amended.WISH


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Changes with which the request was solved again and succeeded.

    Attributes:
        amendments: the changes.
        behind: what refused the request once the first of them were made, and the others end.
    """

    amendments: tuple[Amendment, ...]
    behind: tuple[Unsolvable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsolvable:
    """A refusal: requirements and facts that cannot hold together.

    Attributes:
        component: the component for which no candidate is left.
        reasons: what it had to satisfy, the user's own wishes first.
        facts: identifiers of the facts among the reasons.
        excluded: candidates ruled out before any reason, with why (``no wheel for cp37``).
        carried: what joins the wishes to the facts: what the wanted distributions carry.
        remedies: what would resolve the refusal, fewest changes first; each was tried.
    """

    component: str
    reasons: tuple[Reason, ...]
    facts: tuple[str, ...]
    excluded: tuple[str, ...]
    carried: tuple[Carried, ...] = ()
    remedies: tuple[Remedy, ...] = ()


Resolution = Solved | Unsolvable
