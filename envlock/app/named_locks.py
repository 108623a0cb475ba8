"""Locks as people name them: a group, a group on a target, a file, or any of these at a git revision."""

from __future__ import annotations

from pathlib import Path

from envlock.app.project import Project
from envlock.edges.files import parse_toml
from envlock.edges.git import read_at
from envlock.edges.lock_files import lock_path, read_lock
from envlock.edges.visible import may_be_file
from envlock.model.errors import RequestError
from envlock.model.locked.lock import Lock, decode_lock


def find_lock(text: str, project: Project) -> Lock:
    """Return the lock that a text names; a group comes before a file of the same name.

    Args:
        text: a group (its lock on the chosen target), ``GROUP@TARGET``, a lock file, or one of them at a git
            revision: ``REV:GROUP``, ``REV:GROUP@TARGET``, or ``REV:PATH`` with a path in the project.
        project: whose groups, target and repository are meant.

    Raises:
        RequestError: it names none.
        SurroundingsError: it names one that cannot be read.
    """
    if text in project.manifest.groups:
        return _group_lock(text, project)
    group, at, target = text.rpartition("@")
    if at and target and group in project.manifest.groups:
        return _group_lock(group, project.on(target))
    if text and may_be_file(Path(text)):
        return read_lock(Path(text)).lock
    revision, colon, rest = text.rpartition(":")
    if colon and revision and rest:
        return _lock_at(revision, rest, project)
    groups = ", ".join(project.manifest.groups) or "none yet"
    raise RequestError(
        "unknown-lock",
        f"{text!r} is not a group, a file, GROUP@TARGET or REVISION:GROUP",
        where=project.manifest.file,
        hint=f"groups: {groups}; or name a lock file, or a git revision of one such as HEAD~1:GROUP",
    )


def _group_lock(group: str, project: Project) -> Lock:
    if not project.lock_path(group).is_file():
        project.need_known_target(hint=f"; a git revision comes first: {project.options.target}:{group}")
    return read_lock(project.need_lock(group)).lock


def _lock_at(revision: str, name: str, project: Project) -> Lock:
    name, at, target = name.partition("@") if not name.endswith(".toml") else (name, "", "")
    project = project.on(target) if at else project
    path = Path(name)
    if not name.endswith(".toml"):  # no group's name has a dot; it need not be a group of today
        path = lock_path(Path(), project.options.target, name)
    content = read_at(project.folder, revision, path.as_posix())
    where = f"{revision}:{path}"
    return decode_lock(parse_toml(content, Path(where)), where)
