"""What a module's name says: sites put category, compiler, name and version in several orders.

``mpi/openmpi/4.1``, ``openmpi/gcc/64/4.1.2``, ``gcc/12.2.0/openmpi/4.1.4`` and ``openmpi/1.8/gcc/4.9.2`` all
load an Open MPI, ``hdf5/gcc/openmpi-4.1.6/1.14.4`` and ``fftw/gcc/3.3.9`` nothing that is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from envlock.model.frozen import dataclass
from envlock.model.knowing.detection import ModuleNames

_VERSION = re.compile(r"v?(\d+(?:\.\d+)*)")
_NUMBERED = re.compile(r"([A-Za-z_+.-]*[A-Za-z])[-_]?\d[\w.+-]*")
"""A name with a number of its own: ``openmpi4``, ``cuda11.8``, ``gcc-8.2``."""
_INTEL = "intelmpi"
_UPDATE = re.compile(r"v?(20\d\d)u(\d+)")
_CENTURY, _FIRST_YEAR, _LAST_YEAR = 2000, 17, 99
_COMPILER = "gcc"
"""The compiler that is a component: beside another name, that one is meant."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the parts of one name."""

    parts: Sequence[str]
    names: ModuleNames

    def meant(self) -> tuple[str, str] | None:
        """Return component and version."""
        compiler = None
        for number, part in enumerate(self.parts):
            if _VERSION.match(part) or part.lower() in self.names.categories:
                continue
            component = self._component(part)
            if component and component != _COMPILER:
                found = self._with_version(component, number + 1)
                if found or not self._has_number(part):
                    return found
            if not self._qualifies(part):
                return None
            compiler = number if component else compiler
        return None if compiler is None else self._with_version(_COMPILER, compiler + 1)

    def _with_version(self, component: str, begin: int) -> tuple[str, str] | None:
        """Return the version that follows at once, or behind what it was built with, as the last part."""
        rest = self.parts[begin:]
        if not rest:
            return None
        if _VERSION.match(rest[0]):
            foreign = any(
                _VERSION.match(behind) and not _VERSION.match(part) and not self._qualifies(part)
                for part, behind in pairwise(rest)
            )
            return None if foreign else (component, version(component, rest[0]))
        between = all(
            _VERSION.match(part) or self._has_number(part) or part.lower() in self.names.qualifiers
            for part in rest[:-1]
        )
        return (component, version(component, rest[-1])) if between and _VERSION.match(rest[-1]) else None

    def _has_number(self, part: str) -> bool:
        """Whether it is a name with a number, its own version, as of what something was built with."""
        return part.lower() not in self.names.components and self._qualifies(part)

    def _component(self, part: str) -> str:
        return next(filter(None, map(self.names.components.get, _forms(part))), "")

    def _qualifies(self, part: str) -> bool:
        """Whether a part says what something was built with, or for."""
        return bool(self._component(part)) or not self.names.qualifiers.isdisjoint(_forms(part))


def component_of(name: str, names: ModuleNames) -> tuple[str, str] | None:
    """Return the component that a module loads, and its version; ``None`` where its name does not say.

    Args:
        name: the module's whole name.
        names: the words of which such names consist.
    """
    return _Reader(name.split("/"), names).meant()


def version(component: str, text: str) -> str:
    """Return the version that a part of a name begins with.

    Intel MPI's releases were years: ``19.0.5`` and ``2019u5`` are 2019 Update 5, which calls itself 2019.5
    (see ``parse_launcher``).
    """
    if component == _INTEL and (match := _UPDATE.match(text)):
        return f"{match[1]}.{match[2]}"
    match = _VERSION.match(text)
    found = match[1] if match else ""
    year, *rest = found.split(".")
    if component == _INTEL and year.isdecimal() and _FIRST_YEAR <= int(year) <= _LAST_YEAR:
        update = rest[1:] if rest[:1] == ["0"] and rest[1:] else rest
        return ".".join([str(_CENTURY + int(year)), *update])
    return found


def _forms(part: str) -> Iterator[str]:
    """Yield a part in lower case, then without a number of its own."""
    yield part.lower()
    if match := _NUMBERED.fullmatch(part):
        yield match[1].lower()
