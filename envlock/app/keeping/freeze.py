"""``freeze`` and ``thaw``: promise that a group does not move, and take the promise back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from envlock.app.keeping.archive import Archived, ArchiveSource, make_archive
from envlock.app.keeping.tidy import environments_of
from envlock.app.project import Project
from envlock.app.solving.inputs import digest_of_inputs
from envlock.edges.clock import today
from envlock.edges.lock_files import LockFile, locked_targets, read_own_lock
from envlock.edges.manifest_files import remove_frozen, set_frozen
from envlock.lifecycle.freeze import admit_freeze, holds, not_frozen, wanted_freeze
from envlock.model.errors import RefusedError, RequestError
from envlock.model.frozen import dataclass
from envlock.model.locked.lock import Lock
from envlock.model.progress import Progress, Silent
from envlock.model.project.group import Freeze


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeOutcome:
    """A promise that was made.

    Attributes:
        group: the group's name.
        freeze: the promise.
        before: the promise that it replaces, if there was one.
        lock: the lock that now stays as it is.
        manifest: where the promise is written.
        archived: the archive that was made, or read through, along with it.
        outdated: whether the manifest asks for anything other than what the lock answers.
    """

    group: str
    freeze: Freeze
    before: Freeze | None
    lock: LockFile
    manifest: Path
    archived: Archived | None
    outdated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ThawOutcome:
    """A promise that was taken back.

    Attributes:
        group: the group's name.
        freeze: the former promise.
        reason: why it was taken back; the manifest keeps it as a comment.
        manifest: where the promise was written.
    """

    group: str
    freeze: Freeze
    reason: str
    manifest: Path


def freeze(
    project: Project,
    group: str,
    until: dt.date | None,
    reason: str | None,
    *,
    archive: Path | None = None,
    source: ArchiveSource | None = None,
    progress: Progress | None = None,
) -> FreezeOutcome:
    """Promise that a group's lock on the chosen target stays as it is through a day.

    The archive is made first, so that a promise never names one that does not exist.

    Args:
        project: the project.
        group: the group.
        until: the last day; ``None`` for that of the promise that holds.
        reason: who relies on it; ``None`` likewise.
        archive: where an archive is made; needs ``source``.
        source: where the archived files come from.
        progress: shows how far the archive is.

    Raises:
        RequestError: there is no such group, it has no lock, the day has passed, there is no reason, or
            something else is at the archive's place.
        RefusedError: the group is already promised for longer.
        SurroundingsError: the archive or the manifest could not be written.
    """
    day = today()
    asked = project.manifest.group(group)
    wanted = wanted_freeze(asked, until, reason, day)
    admit_freeze(asked, wanted, day)
    lock = read_own_lock(project.need_lock(group))
    _refuse_editable(lock.lock)
    archived = None
    if archive is not None and source is not None:
        archived = make_archive(project, lock, wanted, archive, source, progress or Silent())
        place = _told_place(archived.path, project.folder.absolute())
        archives = _by_target(wanted.archives, locked_targets(project.folder, group))
        wanted = replace(wanted, archives={**archives, lock.lock.target: place})
    manifest = Path(project.manifest.file)
    if project.store.closed is None:
        project.store.promise(environments_of(project, group), group, wanted.until)
    set_frozen(manifest, group, wanted, asked.frozen)
    return FreezeOutcome(
        group=group,
        freeze=wanted,
        before=asked.frozen,
        lock=lock,
        manifest=manifest,
        archived=archived,
        outdated=not holds(asked.frozen, day)
        and lock.lock.inputs != digest_of_inputs(asked, project.manifest),
    )


def _refuse_editable(lock: Lock) -> None:
    """Refuse to promise what nobody can keep: a folder of sources changes whenever somebody edits it."""
    folders = [f"{pin.name} ({pin.file.url})" for pin in lock.distributions if pin.file.editable]
    if folders:
        raise RefusedError(
            "editable",
            f"the group {lock.group!r} has editable distributions, which move with their sources",
            where=", ".join(folders),
            hint="remove editable = true and solve again: then the lock records what the folder holds",
        )


def _by_target(archives: Mapping[str, str], targets: Iterable[str]) -> dict[str, str]:
    """Return archives by target; one without a target's name is that of each target without its own."""
    whichever = {target: archives[""] for target in targets if "" in archives}
    return {**whichever, **{target: path for target, path in archives.items() if target}}


def _told_place(path: Path, folder: Path) -> str:
    """Return a path as the manifest has it: relative inside the project, so that both move together."""
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def thaw(project: Project, group: str, reason: str) -> ThawOutcome:
    """Take a promise back; the reason stays in the manifest as a comment.

    Raises:
        RequestError: there is no such group, it is not frozen, there is no reason, or somebody else changed
            the promise meanwhile.
        SurroundingsError: the manifest could not be written.
    """
    frozen = project.manifest.group(group).frozen
    if frozen is None:
        held = (name for name, known in project.manifest.groups.items() if known.frozen)
        raise not_frozen(group, held, project.manifest.file)
    if not reason.strip():
        raise RequestError(
            "reason-missing",
            "a thaw needs a reason",
            where="--reason",
            hint='say why it may move again: --reason "..."',
        )
    manifest = Path(project.manifest.file)
    was = f"(was frozen until {frozen.until}: {frozen.reason})"
    remove_frozen(manifest, group, frozen, note=f"thawed {today()}: {reason} {was}")
    project.store.release(group)
    return ThawOutcome(group=group, freeze=frozen, reason=reason, manifest=manifest)
