"""The permanent cache: documents by kind and key, and downloaded files by their hash.

Every write is a temporary file and a rename, so that processes may share the folder; every document carries
its own checksum, so that a cut-off or altered one is as if it were not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import platformdirs

from envlock.model.errors import SurroundingsError

FORMAT = "v1"
"""Names the folder of the present formats; another number starts afresh beside it."""


def default_root() -> Path:
    """``ENVLOCK_CACHE_DIR``, or the user's cache folder."""
    chosen = os.environ.get("ENVLOCK_CACHE_DIR", "")
    return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("envlock")


class Cache:
    """A folder of JSON documents and downloaded files.

    Attributes:
        root: the folder of the present format.
    """

    __slots__ = ("root",)

    def __init__(self, folder: Path) -> None:
        self.root = folder / FORMAT

    def read(self, kind: str, key: str) -> object | None:
        """The document of a key; ``None`` if there is none that is whole."""
        try:
            content = self._document(kind, key).read_bytes()
        except OSError:
            return None
        checksum, _, body = content.partition(b"\n")
        if checksum != _checksum(key, body):
            return None
        document: object = json.loads(body)
        return document

    def write(self, kind: str, key: str, document: object) -> None:
        """Keep a document.

        Raises:
            SurroundingsError: the folder cannot be written to.
        """
        body = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
        with self.writing(self._document(kind, key)) as file:
            file.write(_checksum(key, body) + b"\n" + body)

    def file(self, sha256: str, filename: str) -> Path:
        """Where a downloaded file of that hash lies, or would."""
        return self.root / "files" / sha256[:2] / sha256 / filename

    @contextmanager
    def writing(self, path: Path) -> Iterator[IO[bytes]]:
        """A temporary file that becomes ``path`` when the block ends well, and vanishes when it does not.

        Raises:
            SurroundingsError: the folder cannot be written to.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        except OSError as error:
            raise _unwritable(path, error) from error
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            part.replace(path)
        except OSError as error:
            raise _unwritable(path, error) from error
        finally:
            part.unlink(missing_ok=True)

    def _document(self, kind: str, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.root / kind / name[:2] / f"{name[2:]}.json"


def _checksum(key: str, body: bytes) -> bytes:
    """Covers the key as well: a document moved to another's place is no answer either."""
    digest = hashlib.blake2b(key.encode() + b"\0", digest_size=16)
    digest.update(body)
    return digest.hexdigest().encode()


def _unwritable(path: Path, error: OSError) -> SurroundingsError:
    return SurroundingsError(
        "cache-unwritable",
        "the cache cannot be written to",
        where=str(path.parent),
        why=error.strerror or str(error),
        hint="free some space, or point ENVLOCK_CACHE_DIR to a folder with room",
    )
