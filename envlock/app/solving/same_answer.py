"""Remembers solves that gave the same answer as the lock, so that they need not be repeated.

A lock stays as it is where newer knowledge, or a newer envlock, gives the same answer; so it does not itself
record that these were asked.
"""

from __future__ import annotations

from envlock import __version__
from envlock.app.project import Project
from envlock.edges.cache import Cache, default_root
from envlock.edges.lock_files import LockFile

_KIND = "same-answers"


def note_same_answer(project: Project, file: LockFile) -> None:
    """Remember that this envlock, with the project's knowledge, answers as the lock does."""
    Cache(default_root()).keep(_KIND, _key(project, file), True)  # noqa: FBT003 - the document


def has_same_answer(project: Project, file: LockFile) -> bool:
    """Whether the lock was made by this envlock and knowledge, or these are known to give the same answer."""
    made = (project.knowledge.digest, f"envlock {__version__}")
    if (file.lock.knowledge, file.lock.created_by) == made:
        return True
    return Cache(default_root()).read(_KIND, _key(project, file)) is True


def _key(project: Project, file: LockFile) -> str:
    return f"{file.sha256}|{project.knowledge.digest}|{__version__}"
