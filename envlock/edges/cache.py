"""The permanent cache: documents by kind and key, and downloaded files by their hash.

Every write goes to a temporary file that is then renamed, so that processes may share the folder; every
document carries its own checksum, so that a truncated or altered one counts as missing. So does one that
belongs to somebody else, because cached pages decide what is locked, and others may be able to write there.
"""

from __future__ import annotations

import errno
import hashlib
import marshal
import mmap
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import UnionType
from typing import IO, Any, cast

from xxhash import xxh64

from envlock.edges.files import personal_path, vanished, write_error
from envlock.model.errors import RequestError, SurroundingsError

FORMAT = "v3"
"""Names the folder of the current formats; another number starts an empty one beside it."""

_CHECKSUM = 8
"""Bytes at the beginning of a document that hold the checksum of the rest."""
_LENGTH = 8
"""Bytes after the checksum that hold the length of a document with an attachment."""
_MAPPED = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)  # Linux only
"""Verifying the checksum reads the whole document, so its pages are best loaded at once."""
_MARSHAL = 4
"""The version of marshal's format that every supported Python reads; several times as fast as JSON."""


def default_root() -> Path:
    """Return ``ENVLOCK_CACHE_DIR``, or else the user's cache folder.

    Raises:
        RequestError: there is neither: the user has no home, as happens in containers.
    """
    chosen = os.environ.get("ENVLOCK_CACHE_DIR", "")
    if chosen:
        return personal_path(chosen)
    import platformdirs  # noqa: PLC0415 - not needed where the folder is chosen

    try:
        return platformdirs.user_cache_path("envlock")
    except RuntimeError as error:
        raise RequestError(
            "no-cache-folder",
            "there is no folder for the cache",
            why=str(error),
            hint="point ENVLOCK_CACHE_DIR to a folder that you may write to",
        ) from error


Form = type | UnionType | tuple["Form", ...] | list["Form"] | dict[str, "Form"]
"""The shape of a document: a type; a tuple of exactly these forms; a list of one form; a table of these keys,
where the key ``*`` stands for any."""


def _has_form(document: object, form: Form) -> bool:
    """Whether a document has a form."""
    if isinstance(form, tuple):
        return (
            isinstance(document, tuple) and len(document) == len(form) and all(map(_has_form, document, form))
        )
    if isinstance(form, list):
        return isinstance(document, list) and _all_have(document, form[0])
    if isinstance(form, dict):
        if not isinstance(document, dict):
            return False
        if "*" in form:
            return _all_have(document, str) and _all_have(document.values(), form["*"])
        return document.keys() == form.keys() and all(_has_form(document[key], form[key]) for key in form)
    return isinstance(document, form)


def _all_have(documents: Collection[object], form: Form) -> bool:
    """Whether all of many documents have a form; checked in the interpreter's own C loops where possible."""
    kinds = set(map(type, documents))
    if isinstance(form, type | UnionType):
        return all(issubclass(kind, form) for kind in kinds)
    if isinstance(form, tuple) and kinds == {tuple}:
        rows = cast("Collection[tuple[object, ...]]", documents)
        if set(map(len, rows)) != {len(form)}:
            return False
        return all(
            _all_have(column, inner) for column, inner in zip(zip(*rows, strict=True), form, strict=True)
        )
    return all(_has_form(document, form) for document in documents)


class Cache:
    """A folder of documents and downloaded files.

    Attributes:
        root: the folder of the present format.
    """

    __slots__ = ("_mode", "_owners", "root")

    def __init__(self, folder: Path, *, mode: int = 0o600) -> None:
        """Open the cache in a folder; ``mode`` is the file mode of its documents, within the umask."""
        self.root = folder / FORMAT
        self._mode = mode
        self._owners = trusted_owners(folder)

    def read(self, kind: str, key: str) -> object | None:
        """Return the document of a key; ``None`` if there is no intact one."""
        try:
            with open(self._document(kind, key), "rb", buffering=0) as file:  # noqa: PTH123 - hundreds of times
                if os.fstat(file.fileno()).st_uid not in self._owners:
                    return None
                content = memoryview(file.read())
        except OSError:
            return None
        return _loaded(content[_CHECKSUM:]) if _whole(key, content) else None

    def read_as(self, kind: str, key: str, form: Form) -> Any | None:
        """Return the document of a key if it has a form; ``None`` if another version wrote it in another one.

        Cache folders outlive the programs that wrote them, and several versions may share one.
        """
        document = self.read(kind, key)
        return document if _has_form(document, form) else None

    def read_attached(self, kind: str, key: str, form: Form) -> tuple[Any, memoryview] | None:
        """Return a key's document from ``write_attached``, if it has a form, and its attachment.

        The attachment is mapped and not copied, because few bytes of its megabytes are needed. Documents are
        replaced and never changed, so what is mapped stays as it was when it was checked.
        """
        try:
            with open(self._document(kind, key), "rb", buffering=0) as file:  # noqa: PTH123 - hundreds of times
                if os.fstat(file.fileno()).st_uid not in self._owners:
                    return None
                content = memoryview(mmap.mmap(file.fileno(), 0, _MAPPED, mmap.PROT_READ))
        except (OSError, ValueError):  # an empty file cannot be mapped
            return None
        if not _whole(key, content):
            return None
        end = _CHECKSUM + _LENGTH + int.from_bytes(content[_CHECKSUM : _CHECKSUM + _LENGTH], "big")
        document = _loaded(content[_CHECKSUM + _LENGTH : end])
        return (document, content[end:]) if _has_form(document, form) else None

    def write(self, kind: str, key: str, document: object) -> None:
        """Store a document of plain values (tables, lists, tuples, texts, bytes, numbers, ``None``).

        Raises:
            SurroundingsError: the folder cannot be written to.
        """
        self._write(kind, key, marshal.dumps(cast("Any", document), _MARSHAL))

    def keep(self, kind: str, key: str, document: object) -> None:
        """Store a document like ``write``, if possible: without a writable cache, all is only slower."""
        with suppress(SurroundingsError):
            self.write(kind, key, document)

    def write_attached(self, kind: str, key: str, document: object, attached: bytes | memoryview) -> None:
        """Store a document of plain values, and attached bytes that will be read a few at a time.

        Raises:
            SurroundingsError: the folder cannot be written to.
        """
        head = marshal.dumps(cast("Any", document), _MARSHAL)
        self._write(kind, key, b"".join((len(head).to_bytes(_LENGTH, "big"), head, attached)))

    def _write(self, kind: str, key: str, body: bytes) -> None:
        path = self._document(kind, key)
        part = f"{path}.{os.urandom(8).hex()}.part"
        try:
            with _opened(part, self._mode) as file:
                file.write(_checksum(key, body))
                file.write(body)
            os.replace(part, path)  # noqa: PTH105 - a cold solve stores hundreds of documents
        except BaseException as error:
            with suppress(OSError):
                os.unlink(part)  # noqa: PTH108 - likewise
            if isinstance(error, OSError):
                raise _unwritable(Path(path), error) from error
            raise

    def file(self, sha256: str, filename: str) -> Path:
        """Return where a downloaded file of that hash lies, or would lie."""
        return self.root / "files" / sha256[:2] / sha256 / filename

    @contextmanager
    def writing(self, path: Path) -> Iterator[IO[bytes]]:
        """Open a temporary file that becomes ``path`` if the block succeeds, and is removed if it does not.

        Raises:
            SurroundingsError: the folder cannot be written to, or a file that the block reads has vanished.
        """
        import tempfile  # noqa: PLC0415 - most commands download nothing

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        except OSError as error:
            raise _unwritable(path, error) from error
        part = Path(name)
        try:
            with os.fdopen(handle, "w+b") as file:
                yield file
            part.replace(path)
        except OSError as error:
            if error.filename in (None, name):
                raise _unwritable(path, error) from error
            if error.errno == errno.ENOENT:
                raise vanished(error.filename) from error
            raise  # about another file, which was being read
        finally:
            part.unlink(missing_ok=True)

    def _document(self, kind: str, key: str) -> str:
        """Return a document's path: only sixteen folders per kind, because a first solve creates them all."""
        name = hashlib.sha256(key.encode()).hexdigest()
        return f"{self.root}/{kind}/{name[0]}/{name[1:]}"


def trusted_owners(folder: Path) -> frozenset[int]:
    """Return whose files in a cache count: ours, root's, and those of its owner, who decides what is in it.

    On a file system without users, or with others than this machine's, every file belongs to one stranger.
    """
    with suppress(OSError):
        return frozenset((os.geteuid(), 0, os.stat(folder).st_uid))  # noqa: PTH116 - at every start
    return frozenset((os.geteuid(), 0))


def _opened(path: str, mode: int) -> IO[bytes]:
    """Create a file, and its folder if missing."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        handle = os.open(path, flags, mode)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, flags, mode)
    return os.fdopen(handle, "wb")


def _whole(key: str, content: memoryview) -> bool:
    return content[:_CHECKSUM] == _checksum(key, content[_CHECKSUM:])


def _loaded(body: memoryview) -> object | None:
    try:
        document: object = marshal.loads(body)  # noqa: S302 - our own bytes, by their checksum
    except (EOFError, TypeError, ValueError):
        return None  # another Python's format
    return document


def _checksum(key: str, body: bytes | memoryview) -> bytes:
    """Return a checksum that covers the key, too: a document in another one's place does not count either."""
    digest = xxh64(key.encode() + b"\0")
    digest.update(body)
    return digest.digest()


def _unwritable(path: Path, error: OSError) -> SurroundingsError:
    full = write_error(path, error).code == "disk-full"
    return SurroundingsError(
        "disk-full" if full else "cache-unwritable",
        "the cache cannot be written to",
        where=str(path.parent),
        why=error.strerror or str(error),
        hint="free some space, or point ENVLOCK_CACHE_DIR to a folder with room",
    )
