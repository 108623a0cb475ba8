"""The platform for which a list of distributions is read: its marker values decide what counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName, default_environment
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from envlock.model.component import USUAL_MACHINE
from envlock.model.cpython import cpython_markers
from envlock.model.decode import Table
from envlock.model.frozen import dataclass
from envlock.model.lower_bounds import first_version
from envlock.model.markers import marker_holds
from envlock.model.project.target import Interpreter


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The interpreter for which a list is read: a named one, one of a target, or the running one.

    Attributes:
        python: the version that was named; empty for none.
        interpreters: those of the target that was named, newest first.
    """

    python: str = ""
    interpreters: Sequence[Interpreter] = ()

    def platform(self, declared: str = "") -> Platform:
        """Return the platform for a list that declares its interpreters (``>=3.9``, or nothing).

        The named interpreter comes first, then the target's newest that is declared, then the running one if
        it is declared, then the oldest that is.
        """
        running = default_environment()["python_full_version"]
        if self.python:
            return Platform(markers=_markers(self.python, self._like(self.python)), python=self.python)
        for interpreter in self.interpreters:
            if _admits(declared, interpreter.version):
                return Platform(markers=interpreter.markers, python=interpreter.version)
        if _admits(declared, running) or not (oldest := _oldest(declared)):
            return Platform(markers=_markers(running, {}), python="")
        return Platform(markers=_markers(oldest, self._like(oldest)), python=oldest)

    def _like(self, python: str) -> Mapping[str, str]:
        """Return the markers of the target's interpreter of that series, or of any of its interpreters."""
        same = [
            interpreter
            for interpreter in self.interpreters
            if _series(interpreter.version) == _series(python)
        ]
        return next((interpreter.markers for interpreter in (*same, *self.interpreters)), {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """Values of environment markers (PEP 508).

    Attributes:
        markers: name -> value.
        python: the interpreter's version, unless it is just the running one.
    """

    markers: Mapping[str, str]
    python: str

    def meets_in(self, table: Table, marker: str, *, key: str = "") -> bool:
        """Whether a marker in a table of a lock holds.

        Raises:
            RequestError: it is invalid.
        """
        try:
            return self.meets(marker)
        except InvalidMarker as error:
            message, hint = f"{marker!r} is not an environment marker", str(error).splitlines()[0]
            raise table.error(message, key=key, hint=hint) from None

    def meets(self, marker: str) -> bool:
        """Whether a marker holds; one about anything but the platform always does."""
        try:
            return marker_holds(Marker(marker), {**self.markers, "extra": ""}) if marker else True
        except UndefinedEnvironmentName:
            return True


def _markers(python: str, like: Mapping[str, str]) -> Mapping[str, str]:
    """Return an interpreter's markers on a node like this machine, or a usual one if this is not Linux."""
    full = ".".join([*python.split("."), "0", "0"][:3])
    own = {"python_version": _series(python), "python_full_version": full, "implementation_version": full}
    here = {key: str(value) for key, value in default_environment().items()}
    if here["sys_platform"] != "linux":
        here = cpython_markers(full, (*map(int, _series(full).split(".")),), USUAL_MACHINE)
    return {**here, **like, **own}


def _series(python: str) -> str:
    return ".".join(python.split(".")[:2])


def _admits(declared: str, python: str) -> bool:
    try:
        return SpecifierSet(declared).contains(python, prereleases=True)
    except InvalidSpecifier:
        return True


def _oldest(declared: str) -> str:
    """Return the oldest declared interpreter, as far as its lower bounds tell."""
    return first_version(SpecifierSet(declared))
