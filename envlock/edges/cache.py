"""The permanent cache: documents by kind and key, and downloaded files by their hash.

Every write is a temporary file and a rename, so that processes may share the folder; every document carries
its own checksum, so that a cut-off or altered one is as if it were not there. So is one of somebody else, for
what is kept of pages decides what is locked, and others may be able to write to the folder.
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
"""Names the folder of the present formats; another number starts afresh beside it."""

_CHECKSUM = 8
"""Bytes at the beginning of a document that are the checksum of the rest."""
_LENGTH = 8
"""Bytes behind the checksum that are the length of a document which has something attached."""
_MAPPED = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)  # which Linux alone has
"""All of a document is looked through for its checksum, so that its pages are best had at once."""
_MARSHAL = 4
"""The form of marshal that every supported Python reads; several times as fast as JSON."""


def default_root() -> Path:
    """``ENVLOCK_CACHE_DIR``, or the user's cache folder.

    Raises:
        RequestError: there is neither: the user has no home, as in containers.
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
            hint="point ENVLOCK_CACHE_DIR to a folder that is yours to write to",
        ) from error


Form = type | UnionType | tuple["Form", ...] | list["Form"] | dict[str, "Form"]
"""What a document looks like: a type; a tuple of just these forms; a list of one form; a table of these keys,
where the key ``*`` stands for all."""


def has_form(document: object, form: Form) -> bool:
    """Whether a document has a form."""
    if isinstance(form, tuple):
        return (
            isinstance(document, tuple) and len(document) == len(form) and all(map(has_form, document, form))
        )
    if isinstance(form, list):
        return isinstance(document, list) and _all_have(document, form[0])
    if isinstance(form, dict):
        if not isinstance(document, dict):
            return False
        if "*" in form:
            return _all_have(document, str) and _all_have(document.values(), form["*"])
        return document.keys() == form.keys() and all(has_form(document[key], form[key]) for key in form)
    return isinstance(document, form)


def _all_have(documents: Collection[object], form: Form) -> bool:
    """Whether all of many documents have a form; in the loops of the interpreter where that can be."""
    kinds = set(map(type, documents))
    if isinstance(form, type | UnionType):
        return all(issubclass(kind, form) for kind in kinds)
    if isinstance(form, tuple) and kinds == {tuple}:
        rows = cast("Collection[tuple[object, ...]]", documents)
        if set(map(len, rows)) != {len(form)}:
            return False
        return all(_all_have(column, one) for column, one in zip(zip(*rows, strict=True), form, strict=True))
    return all(has_form(one, form) for one in documents)


class Cache:
    """A folder of documents and downloaded files.

    Attributes:
        root: the folder of the present format.
    """

    __slots__ = ("_mode", "_owners", "root")

    def __init__(self, folder: Path, *, mode: int = 0o600) -> None:
        """A cache in a folder; ``mode`` is who may read its documents, within the umask."""
        self.root = folder / FORMAT
        self._mode = mode
        self._owners = trusted_owners(folder)

    def read(self, kind: str, key: str) -> object | None:
        """The document of a key; ``None`` if there is none that is whole."""
        try:
            with open(self._document(kind, key), "rb", buffering=0) as file:  # noqa: PTH123 - hundreds of times
                if os.fstat(file.fileno()).st_uid not in self._owners:
                    return None
                content = memoryview(file.read())
        except OSError:
            return None
        return _loaded(content[_CHECKSUM:]) if _whole(key, content) else None

    def read_as(self, kind: str, key: str, form: Form) -> Any | None:
        """The document of a key if it has a form; ``None`` where another version wrote it in another one.

        Folders of caches outlive the programs that wrote them, and several versions may share one.
        """
        document = self.read(kind, key)
        return document if has_form(document, form) else None

    def read_attached(self, kind: str, key: str, form: Form) -> tuple[Any, memoryview] | None:
        """The document of a key that ``write_attached`` wrote, if it has a form, and what is attached to it.

        What is attached is mapped and not copied, as of its megabytes few bytes are asked for. Documents are
        replaced and never changed, so that what is mapped stays as it was checked.
        """
        try:
            with open(self._document(kind, key), "rb", buffering=0) as file:  # noqa: PTH123 - hundreds of times
                if os.fstat(file.fileno()).st_uid not in self._owners:
                    return None
                content = memoryview(mmap.mmap(file.fileno(), 0, _MAPPED, mmap.PROT_READ))
        except (OSError, ValueError):  # nothing can be mapped of an empty file
            return None
        if not _whole(key, content):
            return None
        end = _CHECKSUM + _LENGTH + int.from_bytes(content[_CHECKSUM : _CHECKSUM + _LENGTH], "big")
        document = _loaded(content[_CHECKSUM + _LENGTH : end])
        return (document, content[end:]) if has_form(document, form) else None

    def write(self, kind: str, key: str, document: object) -> None:
        """Keep a document of plain values (tables, lists, tuples, texts, bytes, numbers, ``None``).

        Raises:
            SurroundingsError: the folder cannot be written to.
        """
        self._write(kind, key, marshal.dumps(cast("Any", document), _MARSHAL))

    def write_attached(self, kind: str, key: str, document: object, attached: bytes | memoryview) -> None:
        """Keep a document of plain values and bytes that are read a few at a time.

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
            os.replace(part, path)  # noqa: PTH105 - a cold solve keeps hundreds of documents
        except BaseException as error:
            with suppress(OSError):
                os.unlink(part)  # noqa: PTH108 - likewise
            if isinstance(error, OSError):
                raise _unwritable(Path(path), error) from error
            raise

    def file(self, sha256: str, filename: str) -> Path:
        """Where a downloaded file of that hash lies, or would."""
        return self.root / "files" / sha256[:2] / sha256 / filename

    @contextmanager
    def writing(self, path: Path) -> Iterator[IO[bytes]]:
        """A temporary file that becomes ``path`` when the block ends well, and vanishes when it does not.

        Raises:
            SurroundingsError: the folder cannot be written to, or a file vanished that the block reads.
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
            raise  # of another file, which was read to be kept
        finally:
            part.unlink(missing_ok=True)

    def _document(self, kind: str, key: str) -> str:
        """Where a document lies: sixteen folders of each kind, as a first solve makes all that it needs."""
        name = hashlib.sha256(key.encode()).hexdigest()
        return f"{self.root}/{kind}/{name[0]}/{name[1:]}"


def trusted_owners(folder: Path) -> frozenset[int]:
    """Whose files in a cache count: ours, root's, and those of its owner, who decides what is in it.

    Where a file system knows no users, or other ones than this machine, all in it are one stranger's.
    """
    with suppress(OSError):
        return frozenset((os.geteuid(), 0, os.stat(folder).st_uid))  # noqa: PTH116 - at every start
    return frozenset((os.geteuid(), 0))


def _opened(path: str, mode: int) -> IO[bytes]:
    """A new file; its folder is made where it is not there."""
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
        document: object = marshal.loads(body)  # noqa: S302 - our own bytes, as their checksum says
    except (EOFError, TypeError, ValueError):
        return None  # another Python's form
    return document


def _checksum(key: str, body: bytes | memoryview) -> bytes:
    """Covers the key as well: a document moved to another's place is no answer either."""
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
