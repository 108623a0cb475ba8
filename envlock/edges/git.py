"""Run git, and read from it a folder's files as of a revision, and its source files."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from envlock.edges.subprocesses import Finished, run
from envlock.model.errors import RequestError, SurroundingsError

_PATIENCE_S = 30.0
_OF_ONE_REPOSITORY = frozenset(
    {
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX"),
        *("GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"),
        *("GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_INTERNAL_SUPER_PREFIX"),
    }
)
"""Variables that select a repository (``git rev-parse --local-env-vars``), whatever folder git is run in.

Git sets them in hooks (githooks(5)): there, a command meant for a folder's repository would read, or write
to, the hook's own.
"""


def read_at(folder: Path, revision: str, path: str) -> bytes:
    """Return the content of a file at a revision.

    Args:
        folder: a folder of the repository.
        revision: a commit, tag or branch, as git understands it.
        path: the file, relative to the folder.

    Raises:
        RequestError: ``no-repository``, ``unknown-revision`` or ``not-in-revision``.
        SurroundingsError: there is no git, or it does not answer.
    """
    _check_revision(folder, revision)
    blob = _git(folder, "cat-file", "blob", f"{revision}:./{path}")  # unlike git show, never filters
    if blob.status != 0:
        raise RequestError(
            "not-in-revision",
            f"there is no file {path} at {revision}",
            where=str(folder),
            why=blob.stderr.strip(),
            hint=f"git log -- {path} shows the revisions that have changed it",
        )
    return blob.written


def list_at(folder: Path, revision: str, path: str) -> tuple[str, ...]:
    """Return the files below a path at a revision, relative to the path; none if there is no such path.

    Args:
        folder: a folder of the repository.
        revision: a commit, tag or branch, as git understands it.
        path: a folder, relative to the folder.

    Raises:
        RequestError: ``no-repository`` or ``unknown-revision``.
        SurroundingsError: there is no git, or it does not answer.
    """
    _check_revision(folder, revision)
    listed = _git(folder, "ls-tree", "-r", "-z", "--name-only", f"{revision}:./{path}")
    return tuple(name for name in listed.stdout.split("\0") if name) if listed.status == 0 else ()


def sources_in(folder: Path) -> list[str]:
    """Return the files that git has or would add below a folder, relative and sorted; submodules as a whole.

    There are none without git or a repository, or if the whole folder is ignored.
    """
    try:
        listed = _git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    except SurroundingsError:
        return []
    names = os.fsdecode(listed.written).split("\0")  # as they are: a name may be no text at all
    return sorted({name for name in names if name}) if listed.status == 0 else []


def _check_revision(folder: Path, revision: str) -> None:
    inside = _git(folder, "rev-parse", "--is-inside-work-tree")
    if inside.stdout.strip() != "true":
        raise RequestError(
            "no-repository",
            "the folder is not in a git repository",
            where=str(folder),
            why=inside.stderr.strip(),
            hint="name a file or a folder instead of a revision",
        )
    known = not revision.startswith("-") and (
        _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").status == 0
    )
    if not known:
        raise RequestError(
            "unknown-revision",
            f"git knows no revision {revision!r}",
            where=str(folder),
            hint="git log --oneline shows those of this branch; a shallow clone has few",
        )


def run_git(folder: Path | None, *arguments: str, patience_s: float) -> Finished:
    """Run git for the repository of a folder, or for none; any exit status is an answer.

    Its messages are in English, and it never asks for a password, which would block a job for ever.

    Raises:
        SurroundingsError: there is no git, or it does not answer.
    """
    ours = {name: value for name, value in os.environ.items() if name not in _OF_ONE_REPOSITORY}
    variables = {**ours, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    return run(["git", *arguments], env=variables, cwd=folder, timeout_s=patience_s)


_git = partial(run_git, patience_s=_PATIENCE_S)
