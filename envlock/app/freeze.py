"""``freeze`` and ``thaw``: promise that a group does not move, and take the promise back."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from envlock.app.project import Project
from envlock.edges.lock_files import LockFile, read_lock
from envlock.edges.manifest_files import remove_frozen, set_frozen
from envlock.lifecycle.freeze import admit_freeze
from envlock.model.errors import RequestError
from envlock.model.manifest import Freeze


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeOutcome:
    """A promise made.

    Attributes:
        group: the group's name.
        freeze: the promise.
        before: the promise that it takes the place of, if there was one.
        lock: the lock that now stays as it is.
        manifest: where the promise is written.
    """

    group: str
    freeze: Freeze
    before: Freeze | None
    lock: LockFile
    manifest: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ThawOutcome:
    """A promise taken back.

    Attributes:
        group: the group's name.
        freeze: the promise that was.
        reason: why it was taken back; the manifest keeps it as a comment.
        manifest: where the promise was written.
    """

    group: str
    freeze: Freeze
    reason: str
    manifest: Path


def freeze(
    project: Project, group: str, until: dt.date, reason: str, *, today: dt.date | None = None
) -> FreezeOutcome:
    """Promise that a group's lock on the chosen target stays as it is through a day.

    Raises:
        RequestError: there is no such group, it has no lock, the day has passed or there is no reason.
        RefusedError: the group is already promised for longer.
        SurroundingsError: the manifest could not be written.
    """
    asked = project.manifest.group(group)
    wanted = Freeze(until=until, reason=" ".join(reason.split()))
    admit_freeze(asked, wanted, today or _today())
    path = project.lock_path(group)
    if not path.is_file():
        raise RequestError(
            "not-locked",
            f"the group {group!r} has no lock on the target {project.options.target!r} to freeze",
            where=str(path),
            hint=f"lock it first: envlock solve {group} --lock-only",
        )
    lock = read_lock(path)
    manifest = Path(project.manifest.file)
    set_frozen(manifest, group, wanted)
    return FreezeOutcome(group=group, freeze=wanted, before=asked.frozen, lock=lock, manifest=manifest)


def thaw(project: Project, group: str, reason: str, *, today: dt.date | None = None) -> ThawOutcome:
    """Take the promise back; the reason stays in the manifest as a comment.

    Raises:
        RequestError: there is no such group, it is not frozen, or there is no reason.
        SurroundingsError: the manifest could not be written.
    """
    frozen = project.manifest.group(group).frozen
    if frozen is None:
        held = [name for name, one in project.manifest.groups.items() if one.frozen]
        raise RequestError(
            "not-frozen",
            f"the group {group!r} is not frozen",
            where=project.manifest.file,
            hint=f"frozen groups: {', '.join(held) or 'none'}",
        )
    if not reason.strip():
        raise RequestError(
            "reason-missing", "a thaw needs a reason", hint='say why it may move again: --reason "..."'
        )
    manifest = Path(project.manifest.file)
    was = f"(was frozen until {frozen.until}: {frozen.reason})"
    remove_frozen(manifest, group, note=f"thawed {today or _today()}: {reason} {was}")
    return ThawOutcome(group=group, freeze=frozen, reason=reason, manifest=manifest)


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()
