"""``restore``: turn an archive into a lock and an environment again, on any machine, without a network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from envlock.app.keeping.repair import repair
from envlock.app.lock_state import unusable_wheels
from envlock.app.machine import detect_machine
from envlock.app.making.create import create_from_lock, wheel_maker
from envlock.app.manifest_file import MANIFEST
from envlock.app.nodes import need_node
from envlock.app.project import Options, Project, open_project, refuse_off_path
from envlock.app.verifying.launching import Placement
from envlock.app.verifying.verify import Verified, verify
from envlock.edges.archive_files import Archive, opened_archive
from envlock.edges.bags import PAYLOAD
from envlock.edges.cache import Cache, default_root
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.environments.wheel_contents import compare_with_wheels
from envlock.edges.files import read_bytes, write_bytes
from envlock.edges.host.interpreters import ask_interpreter
from envlock.edges.lock_files import LockFile, lock_path, read_lock
from envlock.edges.manifest_excerpt import parts_of_a_site
from envlock.edges.visible import is_file
from envlock.lifecycle.restoring import Lack, lacks, stand_in, way_to
from envlock.model.counting import number_of
from envlock.model.errors import RefusedError, RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.locked.archive import ArchiveRecord
from envlock.model.locked.lock import Lock
from envlock.model.progress import Progress
from envlock.model.project.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """An environment restored from an archive.

    Attributes:
        record: the archive's own description.
        folder: the project that it was restored into.
        lock: its lock.
        prefix: its environment.
        python: the version of its interpreter, of the lock's series.
        files: how many installed files were compared with the archived wheels; all were equal.
        verified: the new verification; ``None`` where none was wanted.
    """

    record: ArchiveRecord
    folder: Path
    lock: LockFile
    prefix: Path
    python: str
    files: int
    verified: Verified | None


def restore(archive: Path, into: Path | None, progress: Progress, *, verifying: bool) -> Restored:
    """Make the lock and the environment of an archive, compare every file with it, and verify.

    Nothing is asked of the network, of a cache or of the archive's old place. Another run finishes what one
    has begun; what is there already and equal is left as it is.

    Args:
        archive: a folder or a tar file.
        into: the folder of the new project; by default one of the group's name.
        progress: shows how far it is.
        verifying: whether the environment is verified at the end.

    Raises:
        RequestError: it is no archive, a damaged one or one of a newer envlock, or the folder holds another
            project; nothing was written.
        RefusedError: this machine lacks something that the lock needs; nothing was written.
        SurroundingsError: the disk failed, or what was installed is not what the archive holds.
    """
    scratch = _existing((into or Path()).absolute())
    with opened_archive(archive, scratch) as opened:
        with progress.task("looking at this machine"):
            record, file = opened.record, _lock(opened, archive)
            target, python = _with_python(file.lock, _machine(record))
        _admit(file.lock, target)
        folder = into or Path(record.group)
        refuse_off_path(folder.absolute(), "name another folder with --into")
        _refuse_inside(folder, archive)
        project = _project(opened, file, folder)
        maker = wheel_maker(project, file.lock, target, opened, progress)
        for key, digest in record.built.items():
            if project.store.wheels.find(key) is None:
                project.store.wheels.keep(key, opened.by_hash(digest, key))
        file = read_lock(project.lock_path(record.group))
        prefix = create_from_lock(project, file, target, opened, progress)
        repair(project, record.group, opened, progress, dry_run=False)
        with progress.task("comparing every file with the archive"):
            files, flaws = compare_with_wheels(prefix, maker.wheels(file.lock.distributions))
        if flaws:
            raise SurroundingsError(
                "restored-differs",
                "the environment is not what the archive holds",
                where=str(prefix / flaws[0].path),
                why=f"{number_of(len(flaws), 'file')}, the first of {flaws[0].distribution}: "
                f"{flaws[0].damage.value}",
                hint=f"remove {prefix} and restore again",
            )
    verified = verify(project, record.group, progress, place=Placement()) if verifying else None
    return Restored(
        record=record,
        folder=folder,
        lock=file,
        prefix=prefix,
        python=python,
        files=files,
        verified=verified,
    )


def _refuse_inside(folder: Path, archive: Path) -> None:
    """Refuse the archive's own folder: with a project in it, it would no longer be what was made."""
    place = archive.resolve()
    if place.is_dir() and folder.resolve().is_relative_to(place):
        raise RequestError(
            "into-archive",
            "an archive cannot be restored into itself",
            where=str(folder),
            why="with the new project in it, the archive would count as damaged",
            hint="name another folder with --into; nothing was written",
        )


def _lock(opened: Archive, archive: Path) -> LockFile:
    try:
        file = read_lock(opened.payload / opened.record.lock)
    except RequestError as error:  # its hint is for locks of a project
        made_by = f"restore it with envlock {opened.record.envlock}, which made it"
        error.where = str(archive / PAYLOAD / opened.record.lock)
        error.hint = f"{made_by}; the archive's README says how to use it without envlock"
        raise
    if file.sha256 != opened.record.lock_sha256:
        raise RequestError(
            "archive-damaged",
            "the archive's lock is not the one that it was made from",
            where=str(archive / opened.record.lock),
            why=f"sha256 {file.sha256}, expected {opened.record.lock_sha256}",
            hint="use another copy of the archive; nothing was written",
        )
    return file


def _machine(record: ArchiveRecord) -> Target:
    """Return this machine as the lock's target, with the interpreter at its old place if it is there."""
    need_node(f"restoring {record.group!r} on this machine", instead="restore it on a node")
    here = detect_machine(load_decoded(Cache(default_root())), record.target)
    there = Path(record.python.path)
    same = ask_interpreter(there) if is_file(there) else None
    known = {interpreter.version for interpreter in here.interpreters}
    more = (same,) if same is not None and same.version not in known else ()
    return replace(here, interpreters=(*here.interpreters, *more))


def _with_python(lock: Lock, target: Target) -> tuple[Target, str]:
    """Let another patch release stand in for the lock's interpreter where that is not there.

    Returns the machine, and the version of the interpreter that is used.
    """
    able = (
        interpreter
        for interpreter in target.interpreters
        if not any(unusable_wheels(lock, target, interpreter))
    )
    other = stand_in(lock, able)
    if other is None:
        return target, lock.python
    # Under the lock's version it is found, and so are the archived builds, whose keys hold the version.
    used = replace(other, version=lock.python)
    return replace(target, interpreters=(*target.interpreters, used)), other.version


def _admit(lock: Lock, target: Target) -> None:
    missing = tuple(lacks(lock, target))
    if missing:
        raise RefusedError(
            "machine-lacks",
            "this machine lacks what the archived environment needs; nothing was written",
            where=target.os,
            why="\n".join(_lacking(missing)),
            hint="provide that, and restore again",
        )


def _lacking(missing: tuple[Lack, ...]) -> Iterator[str]:
    for lack in missing:
        yield f"{lack.component} {lack.version}: {lack.found}; {way_to(lack)}"


def _project(opened: Archive, file: LockFile, folder: Path) -> Project:
    """Write the archive's project into its folder, which must hold nothing else or the same already."""
    manifest = read_bytes(opened.payload / MANIFEST)
    if foreign := parts_of_a_site(opened.payload / MANIFEST):
        raise RequestError(
            "archive-damaged",
            "the archive's manifest is not one that envlock wrote",
            where=str(opened.payload / MANIFEST),
            why=f"it has [{foreign[0]}], which describes a site and would write to this one",
            hint="use another copy of the archive; nothing was written",
        )
    place = lock_path(folder, file.lock.target, file.lock.group)
    for path, content in ((folder / MANIFEST, manifest), (place, read_bytes(file.path))):
        if path.exists() and read_bytes(path) != content:
            raise RequestError(
                "into-occupied",
                "there is another project in the folder to restore into",
                where=str(path),
                why="it is not the file of the archive",
                hint="name another folder with --into; nothing was written",
            )
    write_bytes(place, read_bytes(file.path))
    write_bytes(folder / MANIFEST, manifest)
    return open_project(Options(project=folder, target=file.lock.target, offline=True))


def _existing(folder: Path) -> Path:
    """Return the nearest existing folder, this one or above, so as to unpack on the disk it is for."""
    return next(parent for parent in (folder, *folder.parents) if parent.is_dir())
