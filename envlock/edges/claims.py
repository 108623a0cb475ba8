"""Ensure that only one process works at a place, even if several hosts share the file system.

Two claims are held together. The operating system's lock ends with its process, so a killed process blocks
nobody; but on some network file systems other hosts do not see it. A lease is a file that is created
exclusively and touched while its owner lives; every host sees it, and others take it over once nobody has
touched it for a while.
"""

from __future__ import annotations

import contextlib
import errno
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

from envlock.edges.files import write_error
from envlock.model.errors import SurroundingsError

BUSY = "store-busy"
"""The error code of a place at which another process works."""

_WAIT_S = 13 * 3600.0
"""Longer than any build may take."""
_LEASE_S = 60.0
"""How long a living owner's touch may take to show on another host; an NFS client caches attributes for up to
60 s (nfs(5), acregmax)."""
_FORGOTTEN_S = 3 * _LEASE_S
"""A lease that looks older was touched by nobody, whatever a cache of attributes adds to its age."""
_LOOK_S = 0.5
_NO_LOCKS = frozenset({errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP})
"""What flock(2) answers on file systems without locks."""


@contextmanager
def claim(file: Path, place: Path, *, wait_s: float = _WAIT_S) -> Iterator[None]:
    """Make this the only process that works at a place.

    Args:
        file: the claim's file; the lease lies beside it. Its folder is created if missing.
        place: what is claimed, for messages.
        wait_s: how many seconds to wait for others.

    Raises:
        SurroundingsError: ``store-busy``, ``disk-full`` or ``not-writable``; ``claim-lost`` at the end if
            this process was out of reach for so long that another one may have taken over.
    """
    from filelock import SoftFileLease, Timeout  # noqa: PLC0415 - most commands claim nothing

    lost: list[str] = []
    with ExitStack() as held:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            _lock(file, wait_s, held)
            lease = file.with_name(file.name + ".lease")
            _outlive_forgotten(file, lease, wait_s)
            held.enter_context(
                SoftFileLease(
                    lease,
                    lease_duration=_LEASE_S,
                    timeout=wait_s,
                    on_compromise=lambda found: lost.append(found.reason),
                )
            )
        except Timeout:
            raise SurroundingsError(
                BUSY,
                "another envlock is making the same thing, and has not finished",
                where=str(place),
                hint="look for it on all hosts that share this store",
            ) from None
        except OSError as error:
            raise write_error(file, error) from error
        yield
    if lost:
        raise SurroundingsError(
            "claim-lost",
            "another envlock may have worked at the same place at the same time",
            where=str(place),
            why=f"this process could not renew its claim in time ({lost[0]})",
            hint="check that the file system responds, then: envlock repair GROUP",
        )


def _lock(file: Path, wait_s: float, held: ExitStack) -> None:
    """Take the operating system's lock, where the file system has any; else the lease has to do.

    Lustre has none without its mount option ``flock``, NFS none without its lock manager. What filelock
    puts in its place, a file that names its owner, stays for ever where that was killed on another host.

    Raises:
        Timeout: another process has it.
        OSError: the file cannot be written.
    """
    from filelock import FileLock  # noqa: PLC0415 - see claim

    try:
        held.enter_context(FileLock(file, timeout=wait_s, fallback_to_soft=False))
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def _outlive_forgotten(file: Path, lease: Path, wait_s: float) -> None:
    """Remove a lease whose owner is gone, by its age.

    An empty one is too old to be still in the course of being written: its owner was killed before writing
    who it is, and filelock takes such a lease as held as long as it exists. Of one whose owner was on another
    host, filelock finds out only by waiting that nobody touches it: who does not wait, such as a garbage
    collection, would take a job that a scheduler killed last month for running. Ages are measured by the file
    system's clock, which is read by touching the claim's own file.
    """
    end = time.monotonic() + wait_s
    while True:
        try:
            found = lease.stat()
        except FileNotFoundError:
            return
        file.touch()
        if file.stat().st_mtime - found.st_mtime > (_FORGOTTEN_S if found.st_size else _LEASE_S):
            break
        if found.st_size or time.monotonic() >= end:
            return
        time.sleep(_LOOK_S)
    aside = lease.with_name(f"{lease.name}.{uuid4().hex}")
    with contextlib.suppress(FileNotFoundError):  # another host was quicker
        lease.rename(aside)
        if aside.stat().st_ino != found.st_ino:
            with contextlib.suppress(FileExistsError):
                lease.hardlink_to(aside)
        aside.unlink()
