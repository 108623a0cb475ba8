"""Bags: folders in which every file is listed with its SHA-256 (BagIt 1.0, RFC 8493).

Files are hashed while they are copied, so that each is read once; the Library of Congress's own ``bagit``
changes the working directory, moves the files and reads them again. It does accept what is written here.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO

from envlock.edges.digests import file_sha256
from envlock.edges.files import write_error
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.locked.archive import ArchiveFlaw

PAYLOAD = "data"
_DECLARATION = "bagit.txt"
_MANIFEST, _TAGS = "manifest-sha256.txt", "tagmanifest-sha256.txt"
_VERSION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_LINE = re.compile(r"([0-9a-f]{64})[ \t]+(.+)")
_ENCODED = {"%": "%25", "\n": "%0A", "\r": "%0D"}
_CHUNK = 1 << 20


class BagWriter:
    """Create and fill a new folder, and make it a bag.

    Every method raises SurroundingsError (``disk-full``, ``not-writable``) if the disk fails.
    """

    __slots__ = ("_files", "_folder")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, tuple[str, int]] = {}
        try:
            (folder / PAYLOAD).mkdir(parents=True)
        except OSError as error:
            raise write_error(folder, error) from error

    @property
    def payload(self) -> Mapping[str, tuple[str, int]]:
        """The files so far: name in the payload -> sha256 and length in bytes."""
        return self._files

    def copy(self, source: Path, name: str, sha256: str = "") -> str:
        """Copy a file into the payload and return its hash, which must equal the given one, if any.

        Raises:
            SurroundingsError: ``hash-mismatch``; the file has changed since it was checked.
        """
        try:
            with source.open("rb") as content:
                found = self._put(content, name)
        except OSError as error:
            raise write_error(self._folder, error) from error
        if sha256 and found != sha256:
            raise SurroundingsError(
                "hash-mismatch",
                f"{source.name} changed while it was archived",
                where=str(source),
                why=f"sha256 {found}, expected {sha256}",
                hint="check the disk, and try again",
            )
        return found

    def write(self, name: str, content: str | bytes) -> str:
        """Write a file into the payload and return its hash."""
        encoded = content.encode() if isinstance(content, str) else content
        try:
            self._place(name).write_bytes(encoded)
        except OSError as error:
            raise write_error(self._folder, error) from error
        digest = hashlib.sha256(encoded).hexdigest()
        self._files[name] = digest, len(encoded)
        return digest

    def finish(self, information: Mapping[str, str]) -> None:
        """Write the declaration, the information for people, and the manifests."""
        total = sum(size for _, size in self._files.values())
        oxum = {"Payload-Oxum": f"{total}.{len(self._files)}"}
        lines = [f"{key}: {' '.join(value.split())}\n" for key, value in {**information, **oxum}.items()]
        payload = {f"{PAYLOAD}/{name}": digest for name, (digest, _) in self._files.items()}
        tags = {_DECLARATION: _VERSION, "bag-info.txt": "".join(lines), _MANIFEST: _manifest(payload)}
        digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in tags.items()}
        try:
            for name, text in {**tags, _TAGS: _manifest(digests)}.items():
                (self._folder / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise write_error(self._folder, error) from error

    def _put(self, content: IO[bytes], name: str) -> str:
        digest, size = hashlib.sha256(), 0
        with self._place(name).open("xb") as file:
            while chunk := content.read(_CHUNK):
                digest.update(chunk)
                size += file.write(chunk)
        self._files[name] = digest.hexdigest(), size
        return digest.hexdigest()

    def _place(self, name: str) -> Path:
        place = self._folder / PAYLOAD / name
        place.parent.mkdir(parents=True, exist_ok=True)
        return place


def check_bag(folder: Path, shown: Path) -> tuple[ArchiveFlaw, ...]:
    """Return every file that is missing, changed or not listed; none for an intact bag.

    Args:
        folder: the bag.
        shown: the path that people know it by.

    Raises:
        RequestError: ``not-an-archive`` or ``archive-damaged`` if the manifests cannot be read.
    """
    if not (folder / _DECLARATION).is_file() or not (folder / _TAGS).is_file():
        raise RequestError(
            "not-an-archive",
            "this is not an envlock archive",
            where=str(shown),
            why=f"it has no {_DECLARATION} with {_TAGS} beside it",
            hint="name what envlock freeze --archive made: a folder, or a file that ends in .tar",
        )
    listed = _read(folder / _TAGS, shown / _TAGS)
    flaws = [flaw for name, digest in listed.items() if (flaw := _flaw(folder, name, digest))]
    if _MANIFEST not in listed:  # for example, the list of tag files was cut short
        flaws.append(ArchiveFlaw(path=_MANIFEST, expected="", found=_sha256(folder / _MANIFEST)))
    if any(flaw.path == _MANIFEST for flaw in flaws):
        return tuple(flaws)  # its account of the payload cannot be trusted
    payload = _read(folder / _MANIFEST, shown / _MANIFEST)
    flaws += [flaw for name, digest in payload.items() if (flaw := _flaw(folder, name, digest))]
    known = {*listed, *payload, _TAGS}
    flaws += [
        ArchiveFlaw(path=name, expected="", found=_sha256(folder / name))
        for name in _names(folder)
        if name not in known
    ]
    return tuple(flaws)


def payload_hashes(folder: Path, shown: Path) -> dict[str, str]:
    """Return the files of a bag's payload, relative to it, with the sha256 that its manifest lists.

    Raises:
        RequestError: ``archive-damaged`` if the manifest cannot be read.
    """
    listed = _read(folder / _MANIFEST, shown / _MANIFEST)
    return {name.removeprefix(f"{PAYLOAD}/"): digest for name, digest in listed.items()}


def _manifest(digests: Mapping[str, str]) -> str:
    lines = (f"{digest}  {''.join(_ENCODED.get(c, c) for c in name)}\n" for name, digest in digests.items())
    return "".join(sorted(lines, key=lambda line: line[66:]))


def _read(path: Path, shown: Path) -> dict[str, str]:
    listed = {}
    # Not by splitlines, which also ends lines at characters that a name may have, such as U+2028.
    for number, line in enumerate(io.StringIO(path.read_text("utf-8", "replace")), 1):
        match = _LINE.fullmatch(line.removesuffix("\n"))
        if match is None or not _inside(match[2]):
            raise RequestError(
                "archive-damaged",
                "the archive was changed after it was made",
                where=f"{shown}, line {number}",
                why="not a line with a hash and a path inside the archive",
                hint="use another copy of the archive",
            )
        file = match[2]
        for plain, encoded in reversed(_ENCODED.items()):
            file = file.replace(encoded, plain)
        listed[file] = match[1]
    return listed


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\0" not in name


def _flaw(folder: Path, name: str, expected: str) -> ArchiveFlaw | None:
    found = _sha256(folder / name)
    return None if found == expected else ArchiveFlaw(path=name, expected=expected, found=found)


def _sha256(path: Path) -> str:
    """The hash of a file; empty if there is none, or for a link, which may lead anywhere."""
    return "" if os.path.islink(path) else file_sha256(path)  # noqa: PTH114 - this one never raises


def _names(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()
