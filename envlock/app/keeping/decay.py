"""``freeze --check``: whether the promises made to frozen groups can still be kept here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from envlock.app.lock_state import lost_lock, mismatches_of
from envlock.app.project import Project
from envlock.app.solving.waivers import waived
from envlock.edges.archive_files import examine_archive
from envlock.edges.clock import today
from envlock.edges.lock_files import LockFile, read_lock
from envlock.edges.visible import is_writable
from envlock.judging.judge import judge
from envlock.lifecycle.decay import (
    ArchiveDamaged,
    ArchiveUnreadable,
    Cause,
    Decay,
    FileElsewhere,
    FileGone,
    FileReplaced,
    FileYanked,
    decay_of_lost_lock,
    decays,
)
from envlock.lifecycle.freeze import holds, not_frozen
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import assignment_on
from envlock.model.locked.pins import DistributionPin
from envlock.model.progress import Progress
from envlock.model.project.group import Freeze
from envlock.model.project.package_sources import is_url
from envlock.model.project.target import Target
from envlock.model.published.catalogue import DistFile, Release, Releases


class Indexes(Protocol):
    """What the package indexes offer."""

    def prefetch(self, distributions: Iterable[str]) -> None:
        """Begin to read the pages of distributions."""

    def releases(self, distribution: str) -> Releases:
        """Return all releases of a distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a frozen group's promise stands.

    Attributes:
        group: the group.
        freeze: its promise.
        lock: the lock that was promised; ``None`` where it is lost.
        archive: its archive; ``None`` where it has none.
        unasked: why the indexes were not asked; empty where they were.
        decayed: what is not as it was, most harmful first.
    """

    group: str
    freeze: Freeze
    lock: LockFile | None
    archive: Path | None
    unasked: str
    decayed: tuple[Decay, ...]

    @property
    def hurt(self) -> bool:
        """Whether the promise cannot be kept here as it is."""
        return any(decay.hurts for decay in self.decayed)


def check_frozen(project: Project, group: str, indexes: Indexes, progress: Progress) -> tuple[Health, ...]:
    """Return the state of the promises of one frozen group, or of all on the chosen target.

    Args:
        project: the project.
        group: the group; empty for all.
        indexes: are asked for every pinned file, unless out of reach.
        progress: shows how far it is.

    Raises:
        RequestError: the group is missing, not frozen or not locked on the target, or a lock is unreadable.
        SurroundingsError: an archive could not be unpacked here.
    """
    day = today()
    frozen = {
        name: known.frozen
        for name, known in project.manifest.groups.items()
        if known.frozen is not None and holds(known.frozen, day)
    }
    if group and project.manifest.group(group).name not in frozen:
        raise not_frozen(group, frozen, project.manifest.file)
    target = project.target()
    names = [group] if group else list(frozen)
    return tuple(
        _lost(project, name, frozen[name])
        if lost_lock(project, name)
        else _health(
            project, read_lock(project.need_lock(name)), frozen[name], target, indexes, progress, day
        )
        for name in names
        if group or project.lock_path(name).is_file() or lost_lock(project, name)
    )


def _lost(project: Project, group: str, freeze: Freeze) -> Health:
    archive = freeze.archive(project.options.target)
    return Health(
        group=group,
        freeze=freeze,
        lock=None,
        archive=project.folder / archive if archive else None,
        unasked="it has no lock",
        decayed=(decay_of_lost_lock(str(project.lock_path(group))),),
    )


def _health(
    project: Project,
    file: LockFile,
    freeze: Freeze,
    target: Target,
    indexes: Indexes,
    progress: Progress,
    day: dt.date,
) -> Health:
    lock = file.lock
    facts = waived(project, lock.group, target, day).facts
    findings = judge(assignment_on(lock, target, project.knowledge), project.knowledge, waived=facts).findings
    causes: list[Cause] = list(mismatches_of(lock, target, project.knowledge, facts))
    stated = freeze.archive(lock.target)
    archive = project.folder / stated if stated else None
    if archive is not None:
        with progress.task(f"reading {archive.name}"):
            causes += _of_archive(archive, file, project.folder)
    archived = archive is not None and not any(
        isinstance(cause, ArchiveDamaged | ArchiveUnreadable) for cause in causes
    )
    if not archived:
        causes += [
            FileElsewhere(
                filename=pin.file.filename,
                place=pin.file.url,
                there=is_url(pin.file.url) or (project.folder / pin.file.url).exists(),
            )
            for pin in lock.distributions
            if pin.file.direct
        ]
    unasked = "--offline" if project.options.offline else ""
    if not unasked:
        try:
            with progress.task("asking the indexes"):
                causes += _of_indexes(lock, indexes)
        except SurroundingsError as error:
            unasked = str(error)
    found = decays(causes, lock, findings, archived=archived)
    return Health(
        group=lock.group,
        freeze=freeze,
        lock=file,
        archive=archive,
        unasked=unasked,
        decayed=tuple(sorted(found, key=lambda decay: not decay.hurts)),
    )


def _of_archive(archive: Path, file: LockFile, folder: Path) -> Iterator[ArchiveDamaged | ArchiveUnreadable]:
    """Yield what is wrong with an archive; where its place is read-only, it is unpacked in another folder."""
    try:
        record, flaws = examine_archive(archive, archive.parent if is_writable(archive.parent) else folder)
    except RequestError as error:
        yield ArchiveUnreadable(path=str(archive), message=error.message)
        return
    if flaws:
        yield ArchiveDamaged(path=str(archive), flaws=flaws)
    elif record is not None and record.lock_sha256 != file.sha256:
        message = f"it belongs to another lock, of {record.group!r}, sha256 {record.lock_sha256}"
        yield ArchiveUnreadable(path=str(archive), message=message)


def _of_indexes(lock: Lock, indexes: Indexes) -> list[FileGone | FileReplaced | FileYanked]:
    pins = [pin for pin in _all_pins(lock.distributions) if not pin.file.direct]
    indexes.prefetch({pin.name for pin in pins})
    found = (_on_index(pin, indexes.releases(pin.name)) for pin in pins)
    return list(dict.fromkeys(change for change in found if change is not None))


def _all_pins(pins: Iterable[DistributionPin]) -> Iterator[DistributionPin]:
    """Yield pins with everything that their builds need."""
    for pin in pins:
        yield pin
        yield from _all_pins(pin.build.requires if pin.build else ())


def _on_index(pin: DistributionPin, releases: Releases) -> FileGone | FileReplaced | FileYanked | None:
    name = pin.file.filename
    files = [file for release in releases for file in _files(release, pin.version)]
    same = [file for file in files if file.filename == name]
    if not same:
        why = "the release is there without this file" if files else "the whole release is gone"
        return FileGone(filename=name, why=why)
    hashes = {file.sha256 for file in same if file.sha256}
    if hashes and pin.file.sha256 not in hashes:
        return FileReplaced(filename=name, locked=pin.file.sha256, found=", ".join(sorted(hashes)))
    reasons = [file.yanked for file in same]
    if None in reasons:
        return None
    return FileYanked(filename=name, why=", ".join(filter(None, reasons)) or "no reason is given")


def _files(release: Release, version: str) -> tuple[DistFile, ...]:
    return release.files if release.text == version else ()
