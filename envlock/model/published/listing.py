"""What a file or an environment says is installed together, before names mean anything."""

from __future__ import annotations

from envlock.model.component import Via
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One thing with its version.

    Attributes:
        name: the name as written there.
        version: the version.
        via: how it came, where the source tells.
    """

    name: str
    version: str
    via: Via | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A pin, and what the same source asks of the same distribution besides, which the pin is not.

    Attributes:
        name: the distribution, as written there.
        version: the version that is pinned; empty where only ranges are asked for.
        asked: what is asked for.
        place: where.
        other: what else is asked.
        other_place: where.
    """

    name: str
    version: str
    asked: str
    place: str
    other: str
    other_place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All that one source lists.

    Attributes:
        kind: what it was read as, for people (``a uv.lock``).
        distributions: Python distributions.
        systems: system components; only locks of ours name them.
        name: the file's name, where it has requirements of its own; empty for others.
        ranges: what it asks for without pinning it, as requirements without markers.
        requires_python: the interpreters that it is for, as a specifier; empty for any.
        passed_over: what took no part, as written: what is for other platforms, folders, addresses.
        read_for: the interpreter that its markers were read for, where it is not the one that runs.
        solved: whether a resolver chose it all by what distributions say of themselves, so that what goes
            against that was asked for.
        complete: whether nothing is there beside it; a requirements file may leave what it asks for to pip.
        contradictions: where it asks for what nothing can be.
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
