"""Reading files that people wrote, and writing files so that a reader never sees half of one."""

from __future__ import annotations

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

from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.near_names import near_names

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What a system says where there is no room for a file."""

WHOSE = "`namei -l` of that path shows whose it is, and who may enter it"
"""What to do where a file may not be read."""

STANDARD_INPUT = Path("standard input")
"""Its name in messages; what it includes lies in the folder that the command runs in."""

_ABANDONED_S = 600.0
"""No write takes so long from its last byte to its rename."""


def personal_path(text: str) -> Path:
    """A path as a person writes it, with ``~`` for a home; where nobody has that home it stays as it is."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - Path.expanduser fails for nobody's


def straight(path: Path) -> Path:
    """A path without ways up: what names one for good would need all that it passes through.

    An environment's programs do, and a folder that is gone would take them along.
    """
    return path.resolve() if ".." in path.parts else path


def read_bytes(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        RequestError: ``file-missing`` or ``file-unreadable``.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        near = near_names(path.name, _names_in(path.parent))
        hint = f"did you mean {path.parent / near[0]}?" if near else "name a file that is there"
        raise RequestError("file-missing", "there is no such file", where=str(path), hint=hint) from None
    except OSError as error:
        why, hint = error.strerror or str(error), "name a file in it" if path.is_dir() else WHOSE
        raise RequestError(
            "file-unreadable", "the file cannot be read", where=str(path), why=why, hint=hint
        ) from error


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - the names alone
    except OSError:
        return []


def read_standard_input() -> str:
    """The text that is written to standard input, up to its end.

    Raises:
        RequestError: ``file-encoding``.
    """
    return _decode(sys.stdin.buffer.read(), STANDARD_INPUT)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file; a byte order mark is dropped.

    Raises:
        RequestError: ``file-missing``, ``file-unreadable`` or ``file-encoding``.
    """
    return _decode(read_bytes(path), path)


def _decode(content: bytes, path: Path, hint: str = "") -> str:
    try:
        return content.decode("utf-8-sig")
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
    """The document in a TOML file.

    Raises:
        RequestError: as ``read_bytes``; ``file-encoding`` and ``toml-syntax`` name the line.
    """
    return parse_toml(read_bytes(path), path)


def parse_toml(content: bytes, path: Path, *, hint: str = "") -> dict[str, object]:
    """The document in the bytes of a TOML file; the path and what to do about a broken one are for messages.

    Raises:
        RequestError: ``file-encoding``; ``toml-syntax`` names line and column.
    """
    text = _decode(content, path, hint)
    hint = hint or "fix it there: text stands in quotes, a list in [ ], and no key twice in a table"
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        why = "its lists or tables are nested too deeply"
        raise RequestError(
            "toml-syntax", "the file is not valid TOML", where=str(path), why=why, hint=hint
        ) from error
    except tomllib.TOMLDecodeError as error:
        # tomllib of Python 3.11 tells the place only in its text: "... (at line 3, column 7)".
        reason, _, place = str(error).rpartition(" (at ")
        place = place.removesuffix(")")
        where = f"{path}, {place}" if place.startswith("line") else f"{path}, last line"
        raise RequestError(
            "toml-syntax", "the file is not valid TOML", where=where, why=reason or str(error), hint=hint
        ) from None
    except ValueError:  # Python makes no whole number of so many digits, and tomllib lets that through
        why = "it has a number with more digits than Python reads"
        raise RequestError(
            "toml-syntax", "the file is not valid TOML", where=str(path), why=why, hint=hint
        ) from None


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file in one step; as ``write_bytes``."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step: readers see the old content or the new, also when the machine stops.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``; the old file is as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, content)
    except OSError as error:
        raise write_error(path, error) from error


def write_named(path: Path, text: str) -> None:
    """Write a UTF-8 file that a person named: where a link leads, and into a pipe or a device as it is.

    Other files are written in one step, as by ``write_bytes``.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``; a file that was there is as it was.
    """
    try:
        kind = path.stat().st_mode
    except OSError:  # not there yet, or what is wrong is told when it is written
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
    """Be the only one of us who reads a file and writes what became of it, so that no change is lost.

    Each write puts another file in the old one's place: whoever waited for that asks for the new one. Where
    the file is not there, is not ours to open, or its file system has no locks, nobody is waited for.
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
    """A file of ours that something else removed while it was wanted, ready to raise."""
    return SurroundingsError(
        "file-vanished",
        "a file that was there a moment ago is gone",
        where=str(path),
        why="something else removed it meanwhile: `envlock cache --prune`, or a clean-up of old files",
        hint="run the same command again: what is missing is fetched again",
    )


def write_error(path: Path, error: OSError) -> SurroundingsError:
    """What a failed write to a file or into a folder means, ready to raise.

    What failed may have been to read what was to be written: a file elsewhere that was removed meanwhile.
    """
    if error.errno == errno.ENOENT and _is_elsewhere(error.filename, path):
        return vanished(error.filename)
    if error.errno in FULL:
        return SurroundingsError(
            "disk-full",
            "there is no space left to write to",
            where=str(path),
            hint="free some space there, or choose another folder; what was there before is as it was",
        )
    return SurroundingsError(
        "not-writable",
        "the file cannot be written",
        where=str(path),
        why=error.strerror or str(error),
        hint="let its folder be yours to write to, or choose another; what was there before is as it was",
    )


def _is_elsewhere(filename: object, path: Path) -> bool:
    """Whether the file that an error names lies neither where something was written nor on the way there."""
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
            written = os.fstat(file.fileno()).st_mtime  # by the clock of the file system, as the others'
        _sweep(path, written - _ABANDONED_S)
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sweep(path: Path, before: float) -> None:
    """Remove what killed processes left beside a file that they were writing."""
    form = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{32}}")
    with contextlib.suppress(OSError):
        for other in path.parent.iterdir():
            if form.fullmatch(other.name) and other.lstat().st_mtime < before:
                other.unlink()
