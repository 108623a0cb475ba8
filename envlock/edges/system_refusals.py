"""What Python and the system refuse, and nobody met on its way: told as what it is, and not as a bug."""

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
"""What a system says of a file for reasons of its own: rights, disks, file servers and limits."""

_NO_TEXT = r"[^\s'\"]*[\udc80-\udcff][^\s'\"]*"
"""A word in which Python keeps bytes that the locale gives no meaning."""
_TOO_MANY_DIGITS = "for integer string conversion"
"""In what Python says of a whole number beyond 4,300 digits, for which its reading would take long."""


def refusal_of_the_system(error: Exception) -> EnvlockError | None:
    """An error that nobody met on its way, where it is the system's or Python's and no bug; else ``None``."""
    if isinstance(error, OSError):
        return _of_a_file(error)
    if isinstance(error, UnicodeEncodeError) and (word := re.search(_NO_TEXT, error.object)):
        return _no_text(word[0].encode(errors="surrogateescape"))
    if isinstance(error, ValueError) and _TOO_MANY_DIGITS in str(error):
        return RequestError(
            "number-too-long",
            "a number has more digits than Python reads",
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
        hint=WHOSE if error.filename else "",
    )


def _no_text(name: bytes) -> RequestError:
    """A path or an argument that what was to be written, all of it UTF-8, cannot name."""
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
