"""What an archived environment needs that a machine lacks, and how to get it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from packaging.version import Version

from envlock.lifecycle.drift import InterpreterGone, OfferGone, OfferMoved, mismatches
from envlock.model.component import PYTHON
from envlock.model.frozen import dataclass
from envlock.model.locked.lock import Lock
from envlock.model.project.target import Interpreter, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """One thing that is missing.

    Attributes:
        component: ``python``, or a system component.
        version: the version that the lock needs.
        found: what is there instead, for people.
        place: where the lock expects it; empty if any place would do.
    """

    component: str
    version: str
    found: str
    place: str = ""


def lacks(lock: Lock, target: Target) -> Iterator[Lack]:
    """Yield what the machine lacks: the interpreter, and components that were chosen from the site's.

    Those of the node (driver, GPU, C library) are left to the verification, since newer ones mostly work.
    """
    for one in mismatches(lock, target, ()):
        if isinstance(one, InterpreterGone):
            yield Lack(component=PYTHON, version=one.version, found=_here(one.found))
        elif isinstance(one, OfferGone):
            yield Lack(component=one.component, version=one.version, found=_here(one.offered))
        elif isinstance(one, OfferMoved):
            moved = f"it is at {', '.join(one.offered)}, not at {one.locked}"
            yield Lack(component=one.component, version=one.version, found=moved, place=one.locked)


def stand_in(lock: Lock, interpreters: Iterable[Interpreter]) -> Interpreter | None:
    """Return the interpreter to take where the lock's own patch release is not there; ``None`` for none.

    All final releases of a series load the same wheels and builds, whose tags name the series alone
    (PEP 425), and have the same language and library but for mended defects. The nearest later one has all
    that the lock's own had mended; pre-releases may have another interface for extension modules.

    Args:
        lock: the lock.
        interpreters: those that can use all of its wheels.
    """
    own = Version(lock.python)
    same = [(Version(interpreter.version), interpreter) for interpreter in interpreters]
    same = [(has, one) for has, one in same if has.release[:2] == own.release[:2]]
    if own.is_prerelease or any(has == own for has, _ in same):
        return None
    final = [(has < own, abs(has.micro - own.micro), one) for has, one in same if not has.is_prerelease]
    return min(final, key=lambda found: found[:2])[2] if final else None


def _here(versions: tuple[str, ...]) -> str:
    return f"here: {', '.join(versions) or 'none'}"


def way_to(lack: Lack) -> str:
    """Say what to do about it."""
    if lack.component == PYTHON:
        return f"install it: pyenv install {lack.version}, or uv python install {lack.version}"
    if lack.place:
        return "what was built looks for it at the old place: install it there, or link there"
    return "install that version, or load its module first"
