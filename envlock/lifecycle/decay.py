"""What a frozen environment needs that has changed since, and the nearest way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from packaging.version import Version

from envlock.lifecycle.drift import (
    FactRefuses,
    InterpreterGone,
    LockLost,
    Mismatch,
    NodeChanged,
    OfferChanged,
    OfferGone,
    OfferMoved,
)
from envlock.lifecycle.freeze import LOST_LOCK
from envlock.model.command_line import on_target
from envlock.model.component import InvalidVersion, parse_version
from envlock.model.frozen import dataclass
from envlock.model.knowing.finding import Finding
from envlock.model.locked.archive import ArchiveFlaw
from envlock.model.locked.lock import Lock


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveUnreadable:
    """The archive that the freeze records is missing, is no archive, or belongs to another lock."""

    code: ClassVar[str] = "archive-unreadable"
    path: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveDamaged:
    """Files of the archive are missing or changed, or do not belong to it."""

    code: ClassVar[str] = "archive-damaged"
    path: str
    flaws: tuple[ArchiveFlaw, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileGone:
    """No index offers a file any more; ``why`` says whether the release is gone or only the file."""

    code: ClassVar[str] = "file-gone"
    filename: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReplaced:
    """An index offers a different file under the same name."""

    code: ClassVar[str] = "file-replaced"
    filename: str
    locked: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileYanked:
    """A file was yanked (PEP 592): it can still be installed with an exact pin."""

    code: ClassVar[str] = "file-yanked"
    filename: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileElsewhere:
    """The manifest itself names a file, a folder or a repository, so no index is asked for it.

    ``there`` says whether the place exists, as far as this machine can see; an address is not tried.
    """

    code: ClassVar[str] = "file-elsewhere"
    filename: str
    place: str
    there: bool


_OfFile = FileGone | FileReplaced | FileYanked | FileElsewhere
Cause = Mismatch | LockLost | ArchiveUnreadable | ArchiveDamaged | _OfFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    """One thing that has changed.

    Attributes:
        cause: what changed.
        hurts: whether it keeps the environment from being made again or from being used.
        way: the nearest way out.
    """

    cause: Cause
    hurts: bool
    way: str


def decays(
    causes: Iterable[Cause], lock: Lock, findings: Iterable[Finding], *, archived: bool
) -> Iterator[Decay]:
    """Judge each cause: whether it hurts, and what to do about it.

    Args:
        causes: what was found.
        lock: the frozen lock.
        findings: the knowledge base's findings about the lock here, with their fixes.
        archived: whether an intact archive has all of the lock's files.
    """
    known = {finding.fact: finding for finding in findings}
    for cause in causes:
        hurts = not isinstance(cause, NodeChanged | OfferChanged | FileYanked)
        if isinstance(cause, FileElsewhere):
            hurts = not cause.there
        if isinstance(cause, FileGone | FileReplaced):
            hurts = not archived
        yield Decay(cause=cause, hurts=hurts, way=_way(cause, lock, known, archived=archived))


def decay_of_lost_lock(path: str) -> Decay:
    """Return the decay of a frozen group that has lost its lock: nothing else can be judged."""
    return Decay(cause=LockLost(path=path), hurts=True, way=LOST_LOCK)


def _way(cause: Cause, lock: Lock, findings: Mapping[str, Finding], *, archived: bool) -> str:
    if isinstance(cause, _OfFile):
        return "the archive has it" if archived else _archive(lock)
    if isinstance(cause, LockLost):
        return LOST_LOCK
    if isinstance(cause, ArchiveUnreadable | ArchiveDamaged):
        return f"copy it back from wherever else it is kept, or make it again: {_archive(lock)}"
    return _way_of_mismatch(cause, lock, findings, archived=archived)


def _way_of_mismatch(cause: Mismatch, lock: Lock, findings: Mapping[str, Finding], *, archived: bool) -> str:
    if isinstance(cause, InterpreterGone):
        return _interpreter(cause, lock, archived=archived)
    if isinstance(cause, OfferGone):
        return _other_version(cause, lock, archived=archived)
    if isinstance(cause, OfferMoved):
        return f"install it at {cause.locked} again, or let that lead there; {_again(cause.component, lock)}"
    if isinstance(cause, NodeChanged | OfferChanged):
        return f"see whether all still works: envlock verify {_named(lock)}"
    if isinstance(cause, FactRefuses) and (found := findings.get(cause.fact)):
        fine = [f"{fix.component} {', '.join(fix.versions) or fix.range}" for fix in found.fixes]
        return f"a node or site with one of: {'; '.join(fine)}" if fine else "another node or site"
    return "a node whose C library and processor it is for"


def _named(lock: Lock) -> str:
    return on_target(lock.group, lock.target)


def _archive(lock: Lock) -> str:
    return f"envlock freeze {_named(lock)} --archive PATH"


def _interpreter(gone: InterpreterGone, lock: Lock, *, archived: bool) -> str:
    """Install the same interpreter, or use another of the same minor release, which takes the same wheels."""
    install = f"install it: pyenv install {gone.version}, or uv python install {gone.version}"
    release = gone.version.rpartition(".")[0]
    near = next((one for one in gone.found if one.rpartition(".")[0] == release), "")
    restore = f"; or envlock restore its archive, with {near}, which is here" if archived else ""
    again = f"{install}{restore}; or solve again for {near}: {_solve_again(lock)}"
    return again if near else install


def _other_version(gone: OfferGone, lock: Lock, *, archived: bool) -> str:
    """Name the nearest version on offer, and what would have to be built for it."""
    if not gone.offered:
        return f"ask for {gone.component} {gone.version} to be installed again"
    near = min(gone.offered, key=lambda version: _distance(version, gone.version))
    sources = "its sources are in the archive; " if archived and _built(gone.component, lock) else ""
    return f"nearest here: {gone.component} {near}; {sources}{_again(gone.component, lock)}"


def _again(component: str, lock: Lock) -> str:
    built = _built(component, lock)
    what = f"{', '.join(built)} would be built again" if built else "nothing was built against it"
    return f"{what}: {_solve_again(lock)}"


def _solve_again(lock: Lock) -> str:
    return f'envlock thaw {lock.group} --reason "...", then envlock solve {_named(lock)}'


def _built(component: str, lock: Lock) -> list[str]:
    return [pin.name for pin in lock.distributions if pin.build and component in pin.build.systems]


def _distance(version: str, wanted: str) -> tuple[int, ...]:
    """Return how far apart two versions are: by the first number that differs, then by how much."""
    try:
        one, other = parse_version(version), parse_version(wanted)
    except InvalidVersion:
        return (99,)
    return _first_difference(one, other)


def _first_difference(one: Version, other: Version) -> tuple[int, ...]:
    pairs = list(zip(one.release, other.release, strict=False))
    same = next((at for at, (left, right) in enumerate(pairs) if left != right), len(pairs))
    return (-same, abs(pairs[same][0] - pairs[same][1])) if same < len(pairs) else (-same, 0)
