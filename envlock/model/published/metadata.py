"""The core metadata of a file: what a distribution needs, and what building it takes."""

from __future__ import annotations

import re
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.model.frozen import dataclass

_EXTRA = re.compile(r'extra == "([^"]+)"')


class Dependency(NamedTuple):
    """One dependency from metadata, split into parts; a file has dozens, most of which do not apply.

    Attributes:
        name: the distribution, as written.
        extras: the extras required of it, in order.
        specifier: the versions; empty for any.
        url: where to take it from; empty where none is given.
        marker: when it applies; empty for always.
        text: the whole requirement, normalised.
    """

    name: str
    extras: tuple[str, ...]
    specifier: str
    url: str
    marker: str
    text: str

    @classmethod
    def of(cls, requirement: Requirement) -> Dependency:
        """Split a requirement into its parts."""
        return cls(
            requirement.name,
            tuple(sorted(requirement.extras)),
            str(requirement.specifier),
            requirement.url or "",
            str(requirement.marker or ""),
            str(requirement),
        )

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The core metadata of a file, as far as solving needs it.

    Attributes:
        requires_dist: the dependencies, with their markers.
        requires_python: the interpreters it is for, as specifiers; empty for any.
        provides_extra: the extras it declares, canonical.
        build_requires: for an sdist, the build requirements of its ``pyproject.toml`` (PEP 518; the default
            of PEP 517 where it has none), and what its ``setup.py`` needs besides.
        notes: what could not be read and so does not count, for users.
        has_slips: whether some dependency is not written as the standard demands, so that later build tools
            refuse the source tree, and later installers the release.
        translated: for an sdist, the versions of Cython that wrote C in it which a build compiles as it is,
            each with the interpreter's fields that the C uses and that some other interpreter lacks.
        translates: for an sdist, whether a build has Cython translate sources in it.
    """

    requires_dist: tuple[Dependency, ...]
    requires_python: str
    provides_extra: frozenset[str]
    build_requires: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    has_slips: bool = False
    translated: tuple[str, ...] = ()
    translates: bool = False

    @property
    def extras(self) -> frozenset[str]:
        """The extras that it declares or mentions: old metadata only does the latter."""
        spoken = (extra for one in self.requires_dist for extra in _EXTRA.findall(one.marker))
        return self.provides_extra | frozenset(map(canonicalize_name, spoken))
