"""What a solve decided: pinned distributions and system components, with where each pin comes from."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from envlock.model.component import Layer
from envlock.model.frozen import dataclass
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.source_edit import SourceEdit
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import DistFile

YOU = "you"
"""Who asked, where it was the group itself."""
NODE = "the node"
"""Who asks for what is there whether anybody wants it or not."""
CONSTRAINT = "your constraint"
"""Who narrows, where it was a constraint of the group."""
ERA = "the time of your pins"
"""What keeps releases out, where ``as-of`` follows the pins."""
EXCLUSION = "your exclusion"
"""Who forbids, where the group excludes a distribution."""
NO_BINARY = "your no-binary"
"""Who forbids wheels of a distribution."""
ONLY_BINARY = "your only-binary"
"""Who forbids to build a distribution."""


class Origin(StrEnum):
    """Where a system component comes from; a choice is what a build or a run takes, whatever the node."""

    NODE = "node"
    SITE = "site"
    INDEX = "index"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan:
    """How a pin without a usable wheel is built.

    Attributes:
        requires: pins of the build environment, besides ``against`` (closed under their own dependencies).
        against: distributions of the environment itself that are compiled against, name -> version.
        systems: system components that are compiled against, name -> version.
        variables: environment variables of the build; ``{prefix}`` is the build environment's.
        edits: changes of the sources, made in this order.
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
        file: the one file to install, or to build from.
        requires_python: the interpreters it is for.
        extras: the extras asked for.
        dependencies: identifiers of the pins it depends on.
        asked_by: who asked: ``you`` for the group itself, identifiers and fact ids otherwise.
        facts: facts that narrowed its versions.
        build: how it is built, ``None`` for a wheel.
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
        origin: the node itself, a choice among the site's offers, or a wheel of the index.
        prefix: where it is installed; empty for one that comes in a wheel.
        distribution: the identifier of the distribution that carries it; empty for others.
        modules: modules to load for it.
        variables: environment that activates it; ``{prefix}`` is the environment's for one from a wheel.
        asked_by: who asked for it; empty for surroundings that merely are there.
        facts: facts that narrowed its versions.
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
class Solved:
    """An answer: everything that the environment consists of.

    Attributes:
        interpreter: its Python.
        distributions: pins, by name.
        systems: pins of system components, by name.
        as_of: the cut-off that applied.
        python_because: why it is not the newest interpreter that was open to the group; empty where it is,
            or where nothing was open.
        learned: facts that were found in files and code on the way to it -> the reason.
        spared: those of them that do not count: nothing goes with them, and they are about what nobody
            imports at once.
        warned: what facts warn of in the combination.
    """

    interpreter: Interpreter
    distributions: tuple[DistributionPin, ...]
    systems: tuple[SystemPin, ...]
    as_of: dt.date | None
    python_because: str = ""
    learned: Mapping[str, str] = field(default_factory=dict)
    spared: tuple[str, ...] = ()
    warned: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One requirement or fact that took part in a refusal.

    Attributes:
        asked_by: ``you``, a component with its version, or ``fact:ID``.
        wants: what it wants, readable (``horovod >=0.20.0``).
        component: the component that it wants something of.
        override: where an override of the group's wants this instead of metadata, its reason.
        own: whether it wants nothing of others and ``wants`` says what is the matter with itself.
    """

    asked_by: str
    wants: str
    component: str
    override: str = ""
    own: bool = False


class Amended(StrEnum):
    """What an amendment changes."""

    WISH = "wish"
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
    """One change of a request or of a target.

    Attributes:
        component: what changes.
        layer: who would have to change it; ``None`` for the group itself.
        before: what is now (``==0.19.0``, ``525.60``); empty for nothing.
        after: what would be instead; empty where a wish is dropped and nothing takes its place.
        of: what of the request or the target it changes.
    """

    component: str
    layer: Layer | None
    before: str
    after: str
    of: Amended = Amended.WISH


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Changes with which the request was solved again and had an answer."""

    amendments: tuple[Amendment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsolvable:
    """A refusal: requirements and facts that cannot hold together.

    Attributes:
        component: the component for which nothing is left.
        reasons: what it had to meet, the user's own wishes first.
        facts: identifiers of the facts among the reasons.
        excluded: candidates that were left out before any reason, with why (``no wheel for cp37``).
        remedies: what would end the refusal, fewest changes first; each was tried.
    """

    component: str
    reasons: tuple[Reason, ...]
    facts: tuple[str, ...]
    excluded: tuple[str, ...]
    remedies: tuple[Remedy, ...] = ()


Resolution = Solved | Unsolvable
