"""Archives on disk: a bag in a folder or in one tar file, made aside and then put in place."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from envlock.edges.archive_damage import damage_raised_as
from envlock.edges.bags import PAYLOAD, check_bag, payload_hashes
from envlock.edges.files import read_bytes, read_error, write_error
from envlock.model.command_line import as_word
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.locked.archive import RECORD, ArchiveFlaw, ArchiveRecord, decode_record
from envlock.model.published.catalogue import DistFile

TAR = ".tar"
_COMPRESSED = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".zip", ".7z")
_TOLD = 5
_UNPACKED = ".envlock-archive-"
_UNPACKED_S = 24 * 3600.0
"""No restore takes this long: an unpacked archive that is older was left by a killed process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """An archive whose files are all unchanged since it was made.

    Attributes:
        payload: the folder of its payload.
        record: what it holds.
    """

    payload: Path
    record: ArchiveRecord

    def local_file(self, file: DistFile) -> Path:
        """Return the path of a wheel or sdist in the archive, found by its hash.

        Raises:
            SurroundingsError: ``not-in-archive``.
        """
        return self.by_hash(file.sha256, file.filename)

    def by_hash(self, sha256: str, name: str) -> Path:
        """Return the path of a file in the archive, found by its hash; the name is for messages.

        Raises:
            SurroundingsError: ``not-in-archive``.
        """
        place = self.record.files.get(sha256)
        if place is None or not (self.payload / place).is_file():
            raise SurroundingsError(
                "not-in-archive",
                f"{name} is not in the archive",
                where=str(self.payload / RECORD),
                why=f"nothing has the sha256 {sha256}",
                hint="the archive is incomplete although nothing in it was changed: please report it",
            )
        return self.payload / place


@contextmanager
def opened_archive(path: Path, scratch: Path) -> Iterator[Archive]:
    """Open an archive, after hashing every file in it.

    Args:
        path: a folder, or a tar file.
        scratch: an existing folder where a tar file stays unpacked until the end of the block.

    Raises:
        RequestError: ``not-an-archive``, ``archive-newer``, or ``archive-damaged`` with files and hashes.
        SurroundingsError: the disk is full or not writable.
    """
    with _unpacked(path, scratch) as folder:
        record, flaws = _examined(folder, path)
        if record is None:
            raise _damaged(path, flaws)
        yield Archive(payload=folder / PAYLOAD, record=record)


def examine_archive(path: Path, scratch: Path) -> tuple[ArchiveRecord | None, tuple[ArchiveFlaw, ...]]:
    """Return an archive's record and the flaws of its files; the record is ``None`` if there are flaws.

    Raises:
        RequestError: ``not-an-archive``, ``archive-newer`` or ``archive-damaged`` (its manifests).
        SurroundingsError: the disk is full or not writable.
    """
    with _unpacked(path, scratch) as folder:
        return _examined(folder, path)


def _examined(folder: Path, shown: Path) -> tuple[ArchiveRecord | None, tuple[ArchiveFlaw, ...]]:
    """Return a bag's record, or its flaws: what the record says of hashes, as the lock does, has to hold."""
    if flaws := check_bag(folder, shown):
        return None, flaws
    record, listed = _read_record(folder, shown), payload_hashes(folder, shown)
    flaws = tuple(
        ArchiveFlaw(path=f"{PAYLOAD}/{place}", expected=sha256, found=listed.get(place, ""))
        for sha256, place in record.files.items()
        if listed.get(place) != sha256
    )
    return (None if flaws else record), flaws


def _read_record(folder: Path, shown: Path) -> ArchiveRecord:
    """Read the record of a bag in a folder; ``shown`` is the path that people know it by.

    Raises:
        RequestError: ``not-an-archive``, ``archive-newer``, or it is malformed.
        SurroundingsError: ``file-unreadable``.
    """
    path = folder / PAYLOAD / RECORD
    try:
        document = json.loads(read_bytes(path))
    except (ValueError, RecursionError, RequestError):
        document = None
    if not isinstance(document, dict):
        raise RequestError(
            "not-an-archive",
            "this is a bag, but envlock did not make it",
            where=str(shown),
            why=f"it has no {PAYLOAD}/{RECORD} that can be read",
            hint="name what envlock freeze --archive made",
        )
    return decode_record(document, str(shown / PAYLOAD / RECORD))


def refuse_compressed(path: Path) -> None:
    """Refuse a name by which people would take an archive for a compressed file, unless it is a folder's.

    Raises:
        RequestError: ``archive-compressed``.
    """
    name = path.name.lower()
    ending = next((suffix for suffix in _COMPRESSED if name.endswith(suffix)), "")
    if ending and not path.is_dir():
        raise RequestError(
            "archive-compressed",
            f"archives are not compressed, so none ends in {ending}",
            where=str(path),
            why="it is a folder, or one file that ends in .tar; the wheels and sdists in it are compressed",
            hint=f"--archive {as_word(path.with_name(path.name[: -len(ending)] + TAR))}",
        )


@contextmanager
def made_aside(path: Path) -> Iterator[Path]:
    """Give a place to make an archive at before it moves to its own.

    What a killed run left there is removed first, and what this one leaves if it fails or is interrupted.

    Raises:
        SurroundingsError: ``not-writable``.
    """
    aside = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if aside.exists():
            shutil.rmtree(aside)
    except OSError as error:
        raise write_error(aside, error) from error
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def put_in_place(aside: Path, path: Path) -> None:
    """Move a finished archive to its place; it replaces one that is there already.

    A file is replaced in one step. A folder cannot be: the old one is moved aside first, and a kill in
    between leaves nothing at the place, and the old one beside it.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``; what was there before is unchanged.
    """
    try:
        if path.suffix == TAR:
            packed = aside / f"packed{TAR}"
            _pack(aside, packed, path.stem)
            packed.replace(path)
            shutil.rmtree(aside)
            return
        old = path.with_name(f".{path.name}.old")  # maybe left by a killed run, too
        shutil.rmtree(old, ignore_errors=True)
        if path.is_dir():
            path.rename(old)
        aside.rename(path)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise write_error(path, error) from error


def _pack(folder: Path, packed: Path, name: str) -> None:
    """Pack a bag's files into one tar file; equal bags give equal bytes."""
    with packed.open("xb") as file:
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path != packed:
                    member = tarfile.TarInfo(f"{name}/{path.relative_to(folder).as_posix()}")
                    member.size, member.mode = path.stat().st_size, 0o644
                    with path.open("rb") as content:
                        tar.addfile(member, content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _unpacked(path: Path, scratch: Path) -> Iterator[Path]:
    if path.is_dir():
        yield path
        return
    if not path.exists():
        hint = "name what envlock freeze --archive made: a folder, or a file that ends in .tar"
        raise RequestError("file-missing", "there is no such archive", where=str(path), hint=hint)
    try:
        for left in scratch.glob(f"{_UNPACKED}*"):
            with suppress(FileNotFoundError):  # another restore has swept it away, or has ended
                if time.time() - left.stat().st_mtime > _UNPACKED_S:
                    shutil.rmtree(left, ignore_errors=True)
        folder = tempfile.mkdtemp(dir=scratch, prefix=_UNPACKED)
    except OSError as error:
        raise write_error(scratch, error) from error
    try:
        yield _unpack(path, Path(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unpack(path: Path, folder: Path) -> Path:
    """Unpack a tar file and return the bag in it; only regular files inside it are taken."""

    def damaged(why: str) -> RequestError:
        return RequestError(
            "not-an-archive",
            "this is not an envlock archive, or it was cut off",
            where=str(path),
            why=why,
            hint="name what envlock freeze --archive made: a folder, or a file that ends in .tar; "
            "unpack it first if somebody compressed it",
        )

    try:
        packed = path.open("rb")
    except OSError as error:
        raise read_error(path, error) from error
    try:
        with packed, damage_raised_as(damaged), tarfile.open(fileobj=packed, mode="r:") as tar:
            for member in tar:
                name = PurePosixPath(member.name)
                content = tar.extractfile(member) if member.isfile() else None
                if content is None or name.is_absolute() or ".." in name.parts:
                    continue
                place = folder / name
                place.parent.mkdir(parents=True, exist_ok=True)
                with place.open("xb") as file:
                    shutil.copyfileobj(content, file)
    except OSError as error:
        raise write_error(folder, error) from error
    inside = list(folder.iterdir())  # somebody may have packed the bag's files again without their folder
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _damaged(path: Path, flaws: tuple[ArchiveFlaw, ...]) -> RequestError:
    shown = [_flaw_text(flaw) for flaw in flaws[:_TOLD]]
    if len(flaws) > _TOLD:
        shown.append(f"and {len(flaws) - _TOLD} more")
    return RequestError(
        "archive-damaged",
        "the archive was changed after it was made",
        where=str(path / flaws[0].path),
        why="\n".join(shown),
        hint="use another copy of the archive; nothing was written",
    )


def _flaw_text(flaw: ArchiveFlaw) -> str:
    if not flaw.found:
        return f"{flaw.path} is missing, expected sha256 {flaw.expected}"
    if not flaw.expected:
        return f"{flaw.path} does not belong to this archive, sha256 {flaw.found}"
    return f"{flaw.path} has sha256 {flaw.found}, expected {flaw.expected}"
