"""Read files that people wrote, and write files so that no reader ever sees half of one."""

from __future__ import annotations

import codecs
import contextlib
import errno
import fcntl
import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

from envlock.analysis.merges import refuse_both_sides
from envlock.edges.visible import is_folder
from envlock.model.errors import EnvlockError, RequestError, SurroundingsError
from envlock.model.near_names import near_names

_MARKS = (
    *((mark, "utf-32") for mark in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
    *((mark, "utf-16") for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
)
"""Byte order marks; that of UTF-32 begins as that of UTF-16 does."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The error numbers of a system without room for a file."""

_NO_PLACES = {
    errno.EISDIR: "name a file in that folder",
    errno.ENOTDIR: "a part of that path is a file: choose a place below folders",
    errno.EEXIST: "a part of that path is a file: choose a place below folders",
}
"""What to do where what is there already is of the wrong kind."""
WHOSE = "`namei -l` of that path shows whose it is, and who may enter it"
"""What to do about a file that may not be read."""

STANDARD_INPUT = Path("standard input")
"""Its name in messages; files that it includes are relative to the command's working directory."""

_ABANDONED_S = 600.0
"""No write takes this long from its last byte to its rename."""


def personal_path(text: str) -> Path:
    """Return a path as a person writes it, with ``~`` for a home; an unknown home is left as it is."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - Path.expanduser raises there


def straight(path: Path) -> Path:
    """Return a path without ``..``, since a recorded one would depend on every folder that it passes through.

    An environment's programs record theirs, and would break if one of those folders went away.
    """
    return path.resolve() if ".." in path.parts else path


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        RequestError: ``file-missing``, or ``file-unreadable`` for a folder.
        SurroundingsError: ``file-unreadable``: permissions, or the disk.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        near = near_names(path.name, _names_in(path.parent))
        hint = f"did you mean {path.parent / near[0]}?" if near else "name an existing file"
        raise RequestError("file-missing", "there is no such file", where=str(path), hint=hint) from None
    except OSError as error:
        raise read_error(path, error) from error


def read_error(path: Path, error: OSError) -> EnvlockError:
    """Return the error for a file that is there and cannot be read, ready to raise."""
    kind, hint = (RequestError, "name a file in it") if is_folder(path) else (SurroundingsError, WHOSE)
    why = error.strerror or str(error)
    return kind("file-unreadable", "the file cannot be read", where=str(path), why=why, hint=hint)


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - the names alone
    except OSError:
        return []


def read_standard_input() -> str:
    """Return the text on standard input, up to its end, decoded as that of a file.

    Raises:
        RequestError: ``file-encoding``.
    """
    return _decode(sys.stdin.buffer.read(), STANDARD_INPUT, marked=True)


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, or of one whose byte order mark tells UTF-16 or UTF-32.

    ``pip freeze > requirements.txt`` writes UTF-16 in Windows PowerShell, and pip reads it.

    Raises:
        RequestError: as ``read_bytes``; ``file-encoding``.
        SurroundingsError: ``file-unreadable``.
    """
    return _decode(read_bytes(path), path, marked=True)


def _decode(content: bytes, path: Path, hint: str = "", *, marked: bool = False) -> str:
    marks = _MARKS if marked else ()
    encoding = next((name for mark, name in marks if content.startswith(mark)), "utf-8-sig")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RequestError(
            "file-encoding",
            "the file is not UTF-8 text",
            where=f"{path}, line {line}",
            why=f"byte 0x{content[error.start]:02x} is not valid UTF-8 there",
            hint=hint or "save it with the encoding UTF-8",
        ) from None


def read_toml(path: Path) -> dict[str, object]:
    """Return the document in a TOML file.

    Raises:
        RequestError: as ``read_bytes``; ``file-encoding`` and ``toml-syntax`` name the line.
    """
    return parse_toml(read_bytes(path), path)


def parse_toml(content: bytes, path: Path, *, hint: str = "") -> dict[str, object]:
    """Return the document in a TOML file's bytes; the path, and the hint for a broken file, are for messages.

    Raises:
        RequestError: ``file-encoding``; ``toml-syntax`` names line and column; ``merge-conflict``.
    """
    text = _decode(content, path, hint)
    refuse_both_sides(text, str(path), hint)
    hint = hint or "fix it there: text stands in quotes, a list in [ ], and no key twice in a table"
    where = str(path)
    try:
        return tomllib.loads(text)
    except RecursionError:
        why = "its lists or tables are nested too deeply"
    except tomllib.TOMLDecodeError as error:
        # tomllib of Python 3.11 gives the place only in its message: "... (at line 3, column 7)".
        reason, _, place = str(error).rpartition(" (at ")
        where += f", {place.removesuffix(')')}" if place.startswith("line") else ", last line"
        why = reason or str(error)
    except ValueError:  # Python converts no integer with that many digits, and tomllib lets its error through
        why = "it has a number with more digits than Python accepts"
    raise RequestError("toml-syntax", "the file is not valid TOML", where=where, why=why, hint=hint)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file in one step, as ``write_bytes`` does."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step: readers see the old content or the new, even if the machine stops.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``; the old file is unchanged.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, content)
    except OSError as error:
        raise write_error(path, error) from error


def write_named(path: Path, text: str) -> None:
    """Write a UTF-8 file that a person named: links are followed, and pipes and devices are written into.

    Other files are written in one step, as by ``write_bytes``.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``; a file that was there is unchanged.
    """
    try:
        kind = path.stat().st_mode
    except OSError:  # not there yet, or else writing will say what is wrong
        kind = stat.S_IFREG
    if stat.S_ISREG(kind) or stat.S_ISDIR(kind):
        write_text(Path(os.path.realpath(path)), text)
        return
    try:
        path.write_bytes(text.encode())
    except OSError as error:
        raise write_error(path, error) from error


@contextmanager
def changed_alone(path: Path) -> Iterator[None]:
    """Make this the only envlock that reads a file and writes it back, so that no change is lost.

    Each write puts a new file in the old one's place, so a process that has waited for the old one asks for
    the new one. There is no waiting if the file cannot be opened, or its file system has no locks.
    """
    with ExitStack() as held:
        with contextlib.suppress(OSError):
            while True:
                file = held.enter_context(path.open("r+b"))
                fcntl.flock(file, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    break
                held.close()
        yield


def vanished(path: str | Path) -> SurroundingsError:
    """Return the error for a file of ours that something else removed while it was needed, ready to raise."""
    return SurroundingsError(
        "file-vanished",
        "a file that was there a moment ago is gone",
        where=str(path),
        why="something else removed it meanwhile: `envlock cache --prune`, or a clean-up of old files",
        hint="run the same command again: what is missing is fetched again",
    )


UNWRITTEN = frozenset({"disk-full", "not-writable"})
"""Codes of ``write_error``: whoever runs a program passes such an error of its log on as it is."""


def write_error(path: Path, error: OSError) -> SurroundingsError:
    """Return the error for a failed write to a file or into a folder, ready to raise.

    It may have been reading that failed: a file elsewhere, whose content was to be written, was removed.
    """
    if error.errno == errno.ENOENT and _is_elsewhere(error.filename, path):
        return vanished(error.filename)
    if error.errno in FULL:
        return SurroundingsError(
            "disk-full",
            "there is no space left to write to",
            where=str(path),
            hint="free some space there, or choose another folder; what was there before is unchanged",
        )
    hint = "make its folder writable for you, or choose another; what was there before is unchanged"
    return SurroundingsError(
        "not-writable",
        "the file cannot be written",
        where=str(path),
        why=error.strerror or str(error),
        hint=_NO_PLACES.get(error.errno or 0, hint),
    )


def _is_elsewhere(filename: object, path: Path) -> bool:
    """Whether the file that an error names is neither in the written path's folder nor one of its parents."""
    if not isinstance(filename, str):
        return False
    named = Path(filename)
    return named.is_absolute() and not named.is_relative_to(path.parent) and not path.is_relative_to(named)


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            written = os.fstat(file.fileno()).st_mtime  # by the file system's clock, like the others' times
        _sweep(path, written - _ABANDONED_S)
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sweep(path: Path, before: float) -> None:
    """Remove what killed processes left beside a file while writing it."""
    form = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{32}}")
    with contextlib.suppress(OSError):
        for other in path.parent.iterdir():
            if form.fullmatch(other.name) and other.lstat().st_mtime < before:
                other.unlink()
