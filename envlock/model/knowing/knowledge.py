"""The knowledge base: what is known of components and builds, with its facts and recipes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import field
from fnmatch import fnmatchcase

from packaging.utils import canonicalize_name

from envlock.model.component import (
    DISTRIBUTION_PREFIX,
    InvalidVersion,
    Layer,
    parse_version,
)
from envlock.model.frozen import dataclass
from envlock.model.knowing.carried import Bundle, Carrier, Provider
from envlock.model.knowing.change import Change
from envlock.model.knowing.detection import Detection
from envlock.model.knowing.fact import Lapsed, Source
from envlock.model.knowing.facts import Facts
from envlock.model.knowing.need import Need
from envlock.model.knowing.other_name import CondaAlone, OtherName, spelt
from envlock.model.knowing.recipe import BuildFailure, BuildVariable, OldTool, OldTranslation, Recipe
from envlock.model.knowing.removal import Removal
from envlock.model.knowing.running import Running


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComponent:
    """A component outside the Python world, whose name is reserved.

    Attributes:
        name: the name as people write it (``gpu_cc``).
        title: what it is, in words.
        layer: who owns it.
        fixed: whether the node decides it (driver, glibc, GPU) rather than a choice.
        words: whether its values are words (``launcher``) rather than versions.
        choices: words that a build or a run may take on any node, in the order in which to try them
            (``gloo``).
        vocabulary: all words that it can ever be; empty where any word may come (``launcher``).
        members: for a virtual component (``mpi``), the components exactly one of which takes its place.
        spellings: other ways to write its versions, as patterns -> the version, as ``re.Match.expand`` takes
            it (``sm_90`` -> ``9.0``).
    """

    name: str
    title: str
    layer: Layer
    fixed: bool
    words: bool
    members: tuple[str, ...]
    choices: tuple[str, ...] = ()
    vocabulary: tuple[str, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict)

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Return those of some words (``avx|avx2``) that it can never be."""
        if not self.vocabulary:
            return ()
        return tuple(word for word in map(str.strip, text.split("|")) if word not in self.vocabulary)

    def spelling(self, text: str) -> str:
        """Return a word as the vocabulary spells it (``Omni-Path`` -> ``omni-path``), a version as a number.

        Anything else is returned unchanged.
        """
        for pattern, version in self.spellings.items():
            if found := re.fullmatch(pattern, text, re.IGNORECASE):
                return found.expand(version)
        return next((known for known in self.vocabulary if spelt(known) == spelt(text)), text)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """A distribution that provides the same modules as others and can take their place.

    Attributes:
        distribution: what can take their place.
        replaces: what it can replace.
        numbered_alike: whether equal version numbers mean the same, so that what is asked of one holds for
            the other.
        reason: why.
        sources: where this was read.
    """

    distribution: str
    replaces: tuple[str, ...]
    numbered_alike: bool = True
    reason: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAt:
    """Where the publishers of a distribution keep releases that they took off the package index.

    Attributes:
        distribution: whose releases.
        address: a public page on which they link to the files, for pip's ``find-links``.
        more_files: whether it also has files of releases that the package index lists without them.
        sources: where this was read.
    """

    distribution: str
    address: str
    more_files: bool = False
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFor:
    """Distributions whose names tell by their form what they are, or are made for.

    Attributes:
        patterns: forms of names (``*-cu12``), matched as a shell matches file names.
        without: forms of names to leave out (``nvidia-*``).
        literals: the longest text of each pattern that a name must contain, since matching patterns takes
            longer.
        address: the public page on which they are published, if that is not the package index.
    """

    patterns: tuple[str, ...]
    without: tuple[str, ...] = ()
    literals: tuple[str, ...] = ()
    address: str = ""

    def takes(self, name: str) -> bool:
        """Whether a distribution's name has one of the forms."""
        for pattern, literal in zip(self.patterns, self.literals, strict=True):  # a generator takes longer
            if literal in name and fnmatchcase(name, pattern):
                return not any(fnmatchcase(name, one) for one in self.without)
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """The version up to which a component has been checked, and when."""

    component: str
    version: str
    checked: dt.date

    def is_before(self, version: str) -> bool:
        """Whether a version is beyond what was checked, which covers all releases that begin with it."""
        try:
            parsed, limit = parse_version(version), parse_version(self.version)
        except InvalidVersion:
            return False
        return parsed.release[: len(limit.release)] > limit.release


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """The whole knowledge base, indexed by component.

    ``bundles`` holds what published builds of a distribution bundle, in order; ``changes`` what it changed;
    ``secondhand`` the beginnings of addresses at which people collect what others wrote;
    ``interpreters`` the day on which each minor version of Python was released;
    ``conda`` what conda's differently named packages are here, empty for what no package index has;
    ``conda_alone`` further ones that none has;
    ``modules`` the distributions that provide a module, the usual one first, for modules that many import;
    ``called`` what people mean by names of their own, in canonical spelling;
    ``kept_at`` where releases are that left the package index, by distribution;
    ``named_for`` what the form of a name (``*-cu12``) tells, by what facts call it;
    ``by_build`` what builds of one release require differently: the labels (``rocm*``) by distribution;
    ``detection`` the signs of components on a node;
    ``removals`` what each component removed.
    """

    systems: Mapping[str, SystemComponent]
    facts: Facts
    providers: tuple[Provider, ...]
    bundles: Mapping[str, tuple[Bundle, ...]]
    changes: Mapping[str, tuple[Change, ...]]
    recipes: tuple[Recipe, ...]
    needs: tuple[Need, ...]
    flavours: Mapping[str, str]
    coverage: Mapping[str, Covered]
    digest: str
    _reserved: Mapping[str, str] = field(repr=False)
    carriers: tuple[Carrier, ...] = ()
    secondhand: tuple[str, ...] = ()
    stand_ins: tuple[StandIn, ...] = ()
    interpreters: Mapping[str, dt.date] = field(default_factory=dict)
    conda: Mapping[str, str] = field(default_factory=dict)
    conda_alone: CondaAlone = field(default=CondaAlone(), repr=False)
    modules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    called: Mapping[str, tuple[OtherName, ...]] = field(default_factory=dict)
    kept_at: Mapping[str, KeptAt] = field(default_factory=dict)
    by_build: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    named_for: Mapping[str, NamedFor] = field(default_factory=dict)
    lapsed: tuple[Lapsed, ...] = ()
    variables: tuple[BuildVariable, ...] = ()
    old_tools: tuple[OldTool, ...] = ()
    old_translations: tuple[OldTranslation, ...] = ()
    failures: tuple[BuildFailure, ...] = ()
    running: Running = field(default_factory=Running)
    detection: Detection = field(default_factory=Detection)
    removals: Mapping[str, tuple[Removal, ...]] = field(default_factory=dict)

    def component(self, text: str) -> str:
        """Return the identifier for a name as a user wrote it: a system component's or a distribution's."""
        return identifier(text, self._reserved)

    def distribution(self, name: str) -> str:
        """Return the identifier for a distribution's name as package metadata writes it."""
        return identifier(DISTRIBUTION_PREFIX + name, self._reserved)

    def flavour_of(self, component: str) -> str:
        """The distribution of which this is a flavour (``tensorflow-gpu`` -> ``tensorflow``), or itself."""
        return self.flavours.get(component, component)

    def distributed_as(self, name: str) -> str:
        """Return the distribution that people mean by another name, which is canonical; empty for others.

        It is what conda calls so (``pytorch``), what brings a module of that name (``cv2``), or that of which
        this is a flavour (``tensorflow-gpu``).
        """
        modules = {str(canonicalize_name(module)): by for module, by in self.modules.items()}
        bringing = modules.get(name, ())
        meant = self.conda.get(name) or next(iter(bringing if name not in bringing else ()), "")
        meant = meant or self.flavour_of(name)
        return "" if meant == name or meant in self.systems else meant

    def names_in_facts(self, component: str) -> set[str]:
        """The names under which facts may cover a component: its own, its base's, what it is named for."""
        named_for = (name for name, one in self.named_for.items() if one.takes(component))
        return {component, self.flavour_of(component), *named_for}

    def covered(self, component: str) -> Covered | None:
        """Up to which version a component, or the distribution it is a flavour of, has been checked."""
        return self.coverage.get(component) or self.coverage.get(self.flavour_of(component))

    def layer(self, component: str) -> Layer:
        """Who owns a component; a distribution of which nothing is known is a group's add-on."""
        if component in self.systems:
            return self.systems[component].layer
        return Layer.FRAMEWORK if component in self.coverage else Layer.DISCIPLINE

    def recipe(self, distribution: str, version: str) -> Recipe | None:
        """The recipe to build a distribution; ``None`` where it needs nothing special."""
        return next(
            (r for r in self.recipes if r.distribution == distribution and r.range.contains(version)), None
        )

    def carriers_of(self, distribution: str) -> tuple[Carrier, ...]:
        """The system components whose libraries a distribution carries."""
        return tuple(carrier for carrier in self.carriers if carrier.distribution == distribution)

    def differs_by_build(self, distribution: str, label: str) -> bool:
        """Whether a labelled build may require another version of this than the index's build, or none."""
        patterns = self.by_build.get(distribution, ())
        return bool(self.carriers_of(distribution)) or any(
            fnmatchcase(label, pattern) for pattern in patterns
        )

    def bundle(self, distribution: str, version: str, machine: str) -> Bundle | None:
        """What is known of the build of a version for an architecture; its label selects among several.

        A pre-release is built as the release that it leads to.
        """
        public, _, label = version.partition("+")
        fitting = [
            bundle
            for bundle in self.bundles.get(distribution, ())
            if bundle.label == label and bundle.machine == machine
        ]
        if not fitting:
            return None
        parsed = parse_version(public)
        final = parsed.base_version if parsed.is_prerelease else public
        return next((one for one in fitting if one.range.contains(final)), None)


def identifier(text: str, reserved: Mapping[str, str]) -> str:
    """Return the identifier for a name: a system component's, or a distribution's.

    Args:
        text: the name; ``pypi:`` before it means a distribution.
        reserved: canonical spelling -> name of a system component.
    """
    canonical = str(canonicalize_name(text.removeprefix(DISTRIBUTION_PREFIX)))
    if canonical not in reserved:
        return canonical
    return DISTRIBUTION_PREFIX + canonical if text.startswith(DISTRIBUTION_PREFIX) else reserved[canonical]


def index_name(component: str) -> str:
    """Return a distribution's name on the index from its identifier."""
    return component.removeprefix(DISTRIBUTION_PREFIX)
