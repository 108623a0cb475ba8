"""The projects that share a store: what each of them holds in it, and how to forget one that is gone.

``projects/NAME.json`` notes whose links ``current/NAME`` are, because NAME has only a digest of the project's
folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from envlock.edges.files import write_error, write_text
from envlock.edges.store.holders import forget_promise, is_gone, promises_of
from envlock.edges.store.places import pointed
from envlock.model.published.holding import Holding

_DIGITS = 12
_PROJECTS = "projects"


def project_name(folder: Path) -> str:
    """Return the name of a project in a shared store, made from its folder, which need not exist."""
    whole = folder.resolve()
    return f"{hashlib.sha256(os.fsencode(whole)).hexdigest()[:_DIGITS]}-{whole.name}"


def note_project(root: Path, name: str, manifest: Path) -> None:
    """Note where a project's manifest is, unless that was noted before.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    path = _note(root, name)
    if not path.exists():
        write_text(path, json.dumps({"manifest": str(manifest)}) + "\n")


def holdings(root: Path) -> tuple[Holding, ...]:
    """Return what every project that shares a store holds there, including those that are gone.

    Raises:
        RequestError: ``holder-damaged``.
    """
    folders = {path.name for path in (root / "current").glob("[!.]*") if _is_of_a_project(path)}
    names = folders | {path.stem for path in (root / _PROJECTS).glob("[!.]*.json")}
    return tuple(_holding(root, name) for name in sorted(names))


def _is_of_a_project(folder: Path) -> bool:
    """Whether a folder has a project's links; the store's own project has links directly below targets."""
    return not any(path.is_symlink() for path in folder.glob("[!.]*"))


def _holding(root: Path, name: str) -> Holding:
    manifest = _noted(_note(root, name))
    links = sorted((root / "current" / name).glob("*/[!.]*"))
    return Holding(
        name=name,
        manifest=manifest,
        gone=manifest is not None and is_gone(manifest),
        current={f"{link.parent.name}/{link.name}": key for link in links if (key := pointed(link))},
        promised=promises_of(root / "holders", manifest) if manifest else {},
    )


def _noted(note: Path) -> Path | None:
    """Return the manifest that a note names; a damaged note counts as missing."""
    try:
        return Path(json.loads(note.read_bytes())["manifest"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def forget_project(root: Path, name: str, manifest: Path) -> None:
    """Make a store forget a project: its promises, links and reports, and its note last.

    If that is killed midway, doing it again removes the rest.

    Raises:
        RequestError: ``holder-damaged``.
        SurroundingsError: ``not-writable``.
    """
    for group in promises_of(root / "holders", manifest):
        forget_promise(root / "holders", manifest, group)
    for kind in ("current", "previous", "reports"):
        folder = root / kind / name
        try:
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(folder)
        except OSError as error:
            raise write_error(folder, error) from error
    note = _note(root, name)
    try:
        note.unlink(missing_ok=True)
    except OSError as error:
        raise write_error(note, error) from error


def _note(root: Path, name: str) -> Path:
    return root / _PROJECTS / f"{name}.json"


def groups_before(root: Path) -> Mapping[str, tuple[str, ...]]:
    """Map the keys of environments to the groups, of any project, whose previous environment they are.

    Args:
        root: that of the store.
    """
    folder = root.absolute() / "previous"
    found = dict[str, set[str]]()
    for link in (*folder.glob("*/*"), *folder.glob("*/*/*")):
        if key := pointed(link):
            found.setdefault(key, set()).add(link.name)
    return {key: tuple(sorted(groups)) for key, groups in found.items()}
