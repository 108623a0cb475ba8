"""What a file or an environment lists as installed together, before its names are interpreted."""

from __future__ import annotations

from collections.abc import Iterable

from envlock.model.component import Via
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One entry with its version.

    Attributes:
        name: the name as written there.
        version: the version.
        via: how it came, if the source tells.
    """

    name: str
    version: str
    via: Via | None = None


def of_files(wheels: Iterable[object]) -> Via | None:
    """Return how a release comes of which a lock lists these wheels; not known if there are none."""
    return Via.WHEEL if any(True for _ in wheels) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A pin and a different requirement of the same source for the same distribution, which it violates.

    Attributes:
        name: the distribution, as written there.
        version: the pinned version; empty where only ranges are required.
        asked: one requirement.
        place: where it is.
        other: the other requirement.
        other_place: where it is.
    """

    name: str
    version: str
    asked: str
    place: str
    other: str
    other_place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Everything that one source lists.

    Attributes:
        kind: what it was read as, for users (``a uv.lock``).
        distributions: Python distributions.
        systems: system components; only envlock's own locks name them.
        name: the file's name, where it has requirements of its own; otherwise empty.
        ranges: what it requires without pinning it, as requirements without markers.
        requires_python: the interpreters that it is for, as a specifier; empty for any.
        passed_over: what was left out, as written: entries for other platforms, folders, addresses.
        read_for: the interpreter for which its markers were evaluated, if not the running one.
        solved: whether a resolver chose everything from what distributions declare, so that whatever
            contradicts that was deliberate.
        complete: whether nothing else is installed; a requirements file may leave requirements to pip.
        contradictions: requirements that nothing can meet together.
    """

    kind: str
    distributions: tuple[Listed, ...]
    systems: tuple[Listed, ...] = ()
    name: str = ""
    ranges: tuple[str, ...] = ()
    requires_python: str = ""
    passed_over: tuple[str, ...] = ()
    read_for: str = ""
    solved: bool = False
    complete: bool = True
    contradictions: tuple[Contradiction, ...] = ()
