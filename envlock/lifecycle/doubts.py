"""Why a lock's environment or evidence does not count: missing, of another lock, failed or expired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from envlock.model.frozen import dataclass
from envlock.model.proving.surroundings import Surroundings

if TYPE_CHECKING:  # costly to import for callers that ask about a lock alone
    from envlock.model.proving.report import Report

_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentMissing:
    """No environment was made from the lock, or it is no longer in the store."""

    code: ClassVar[str] = "environment-missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentOfAnotherLock:
    """The current environment was made from another lock; ``key`` is its name in the store."""

    code: ClassVar[str] = "environment-of-another-lock"
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesChanged:
    """An editable folder states other things than when the environment was made, or lies elsewhere."""

    code: ClassVar[str] = "sources-changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterLost:
    """The interpreter that the environment was made with is not visible here; ``path`` is where it was."""

    code: ClassVar[str] = "environment-without-python"
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMissing:
    """The environment was never verified."""

    code: ClassVar[str] = "evidence-missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceOfAnotherLock:
    """The last verification was of another lock."""

    code: ClassVar[str] = "evidence-of-another-lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFailed:
    """The last verification failed; ``checks`` names the checks that did."""

    code: ClassVar[str] = "evidence-failed"
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceExpired:
    """Something that the last verification depended on has changed.

    Attributes:
        what: ``kernel``, a system component, or the path of an MPI library.
        verified: what it was then.
        found: what it is now.
    """

    code: ClassVar[str] = "evidence-expired"
    what: str
    verified: str
    found: str


Doubt = (
    EnvironmentMissing
    | EnvironmentOfAnotherLock
    | SourcesChanged
    | InterpreterLost
    | EvidenceMissing
    | EvidenceOfAnotherLock
    | EvidenceFailed
    | EvidenceExpired
)
"""A reason to doubt a lock's environment or its evidence."""


def doubts(
    lock_sha256: str, key: str, current: str, report: Report | None, now: Surroundings | None
) -> Iterator[Doubt]:
    """Compare the environment and the evidence with the lock as it is; evidence counts only if both match.

    Args:
        lock_sha256: the digest of the lock's bytes.
        key: the store's name for the environment that the lock describes.
        current: the store's name for the group's current environment; empty for none.
        report: the last verification.
        now: today's surroundings; ``None`` if unknown.
    """
    if not current:
        yield EnvironmentMissing()
    elif current != key:
        yield EnvironmentOfAnotherLock(key=current)
    else:
        yield from doubts_of_evidence(lock_sha256, report, now)


def doubts_of_evidence(lock_sha256: str, report: Report | None, now: Surroundings | None) -> Iterator[Doubt]:
    """Yield why a report is no evidence for a lock; the arguments are those of ``doubts``."""
    if report is None:
        yield EvidenceMissing()
    elif report.lock_sha256 != lock_sha256:
        yield EvidenceOfAnotherLock()
    elif not report.passed:
        checks = tuple(check.name for check in report.checks if not check.outcome.good)
        yield EvidenceFailed(checks=checks)
    elif now is not None:
        yield from expired(report, now)


def expired(report: Report, now: Surroundings) -> Iterator[EvidenceExpired]:
    """Yield what has changed since a verification.

    Kernel and libraries belong to one host, so they are compared only on a host that took part.
    """
    then = report.surroundings
    for name in sorted(then.systems.keys() | now.systems.keys()):
        before, after = then.systems.get(name, "none"), now.systems.get(name, "none")
        if before != after:
            yield EvidenceExpired(what=name, verified=before, found=after)
    kernels = {rank.host: str(rank.facts.get("kernel", "")) for rank in report.ranks} | {
        then.host: then.kernel
    }
    if now.host not in kernels:
        return
    if kernels[now.host] not in ("", now.kernel):
        yield EvidenceExpired(what="kernel", verified=kernels[now.host], found=now.kernel)
    for path, digest in then.libraries.items():
        after = now.libraries.get(path, "")
        if after != digest:
            found = f"sha256 {after[:_SHOWN]}" if after else "none"
            yield EvidenceExpired(what=path, verified=f"sha256 {digest[:_SHOWN]}", found=found)
