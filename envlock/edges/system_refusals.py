"""Errors of Python and the system that nothing has caught: report them as what they are, not as bugs."""

from __future__ import annotations

import errno
import re

from envlock.edges.files import FULL, WHOSE
from envlock.model.errors import EnvlockError, RequestError, SurroundingsError

_REFUSALS = FULL | {
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EIO,
    errno.ESTALE,
    errno.ELOOP,
    errno.EMFILE,
    errno.ENFILE,
}
"""The error numbers that a file gets for the system's own reasons: rights, disks, file servers and limits."""

_FREE = "free some space there, or write to another place"
_NO_TEXT = r"[^\s'\"]*[\udc80-\udcff][^\s'\"]*"
"""A word in which Python keeps bytes that the locale cannot decode, as surrogates."""
_TOO_MANY_DIGITS = "for integer string conversion"
"""Part of Python's message about an integer of more than 4,300 digits, which would take long to convert."""


def refusal_of_the_system(error: Exception) -> EnvlockError | None:
    """Return what to report for an uncaught exception of the system or of Python; ``None`` for a bug."""
    if isinstance(error, OSError):
        return _of_a_file(error)
    if isinstance(error, UnicodeEncodeError) and (word := re.search(_NO_TEXT, error.object)):
        return _no_text(word[0].encode(errors="surrogateescape"))
    if isinstance(error, ValueError) and _TOO_MANY_DIGITS in str(error):
        return RequestError(
            "number-too-long",
            "a number has more digits than Python accepts",
            why=str(error).partition(";")[0],
            hint="look for it in what the command was given: its arguments, and the files that it reads",
        )
    return None


def _of_a_file(error: OSError) -> EnvlockError | None:
    if error.errno == errno.ENAMETOOLONG:
        return RequestError(
            "name-too-long",
            "a file's name is longer than the file system takes",
            where=str(error.filename or ""),
            hint="give the file or folder a shorter name, or mend the argument that was taken for one",
        )
    if error.errno not in _REFUSALS:
        return None
    return SurroundingsError(
        "system-refuses",
        "the operating system refuses what envlock wanted to do",
        where=str(error.filename or ""),
        why=error.strerror or str(error),
        hint=_FREE if error.errno in FULL else WHOSE if error.filename else "",
    )


def _no_text(name: bytes) -> RequestError:
    """Return the error for a path or argument that cannot be written as UTF-8, which all our output is."""
    try:
        name.decode()
    except UnicodeDecodeError:
        why, hint = "what envlock writes is UTF-8", "give the file or folder another name"
    else:
        why, hint = "the locale here has no such letters", "export LC_ALL=C.UTF-8"
    where = name.decode(errors="backslashreplace")
    return RequestError(
        "name-not-utf8", "this name cannot be written as UTF-8", where=where, why=why, hint=hint
    )
