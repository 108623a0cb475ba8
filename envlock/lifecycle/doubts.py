"""Why what was made of a lock does not count: no environment of it, no evidence, or one that expired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from envlock.model.frozen import dataclass
from envlock.model.proving.surroundings import Surroundings

if TYPE_CHECKING:  # much to import for whoever asks for doubts about a lock alone
    from envlock.model.proving.report import Report

_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentMissing:
    """Nothing was made of the lock, or it is no longer in the store."""

    code: ClassVar[str] = "environment-missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentOfAnotherLock:
    """The current environment was made from another lock; ``key`` is its name in the store."""

    code: ClassVar[str] = "environment-of-another-lock"
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterLost:
    """The interpreter that the environment was made with is not to be seen here; ``path`` is where it was."""

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
    """The last verification said no; ``checks`` are the names of those that did."""

    code: ClassVar[str] = "evidence-failed"
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceExpired:
    """Something that the last verification rested on is no longer as it was.

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
    | InterpreterLost
    | EvidenceMissing
    | EvidenceOfAnotherLock
    | EvidenceFailed
    | EvidenceExpired
)
"""What speaks against what was made of a lock."""


def doubts(
    lock_sha256: str, key: str, current: str, report: Report | None, now: Surroundings | None
) -> Iterator[Doubt]:
    """Compare what was made of a lock with the lock as it is; evidence counts only where both fit.

    Args:
        lock_sha256: the digest of the lock's bytes.
        key: the name in the store of the environment that the lock becomes.
        current: the name of the group's current environment; empty for none.
        report: the last verification.
        now: the surroundings of today; ``None`` where nothing is known of them.
    """
    if not current:
        yield EnvironmentMissing()
    elif current != key:
        yield EnvironmentOfAnotherLock(key=current)
    else:
        yield from doubts_of_evidence(lock_sha256, report, now)


def doubts_of_evidence(lock_sha256: str, report: Report | None, now: Surroundings | None) -> Iterator[Doubt]:
    """Whether a report still speaks for a lock; likewise."""
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
    """What is no longer as a verification found it.

    Kernel and libraries are those of one host, so they are compared only on a host that took part.
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
