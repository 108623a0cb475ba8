"""Notes about files outside a store for which an environment in it must stay.

A module file or an archive names an environment, which is in use for as long as that file exists; nobody need
tell the store when it is deleted. A manifest promises one through a day (``envlock freeze``), which needs a
note because other projects that share the store do not read that manifest. The promise holds until the day
has passed or the project is forgotten, even if the manifest is gone: its file system may just not be mounted.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from envlock.edges.clock import today
from envlock.edges.files import write_text
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass


def note_holder(folder: Path, key: str, holder: Path) -> None:
    """Note that a file names an environment, in place of any that it named before.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    whole = str(holder.absolute())
    _note(_place(folder, whole), {"environment": key, "holder": whole})


def note_promise(folder: Path, keys: Iterable[str], manifest: Path, group: str, until: dt.date) -> None:
    """Note that a manifest promises a group's environments through a day, in place of any earlier note.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    whole = str(manifest.absolute())
    document = {"environments": sorted(keys), "holder": whole, "group": group, "until": until.isoformat()}
    _note(_place(folder, whole, group), document)


def forget_promise(folder: Path, manifest: Path, group: str) -> None:
    """Remove the note of a promise, if there is one and we may.

    If we may not, the environments stay until the day has passed.
    """
    with contextlib.suppress(OSError):
        _place(folder, str(manifest.absolute()), group).unlink(missing_ok=True)


def _place(folder: Path, *names: str) -> Path:
    digest = hashlib.sha256("\n".join(names).encode()).hexdigest()
    return folder / f"{digest[:32]}.json"


def _note(path: Path, document: Mapping[str, object]) -> None:
    write_text(path, json.dumps(document) + "\n")


def held(folder: Path, *, without: Path | None = None) -> Iterator[str]:
    """Yield the keys of environments that files outside still name, or promise today.

    Args:
        folder: where the notes are.
        without: a manifest whose promises do not count.

    Raises:
        RequestError: ``holder-damaged``: a note does not say what must stay.
    """
    for note in _notes(folder):
        if note.until is None and not is_gone(note.holder):
            yield from note.keys
        if note.until is not None and note.until >= today() and note.holder != without:
            yield from note.keys


def promises_of(folder: Path, manifest: Path) -> dict[str, dt.date]:
    """Map each group of a manifest to the last day of its promise, if that has not passed.

    Raises:
        RequestError: ``holder-damaged``.
    """
    day = today()
    return {
        note.group: note.until
        for note in _notes(folder)
        if note.until is not None and note.until >= day and note.holder == manifest
    }


def is_gone(path: Path) -> bool:
    """Whether a file is surely gone: what lies in a folder that is closed to this user may still exist."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Note:
    """The content of a note: who needs which environments; a promise has a group and a day."""

    holder: Path
    keys: tuple[str, ...]
    group: str
    until: dt.date | None


def _notes(folder: Path) -> Iterator[_Note]:
    for path in folder.glob("[!.]*.json"):
        try:
            document = json.loads(path.read_bytes())
            until = document.get("until")
            yield _Note(
                holder=Path(document["holder"]),
                keys=tuple(map(str, document["environments"] if until else [document["environment"]])),
                group=str(document["group"]) if until else "",
                until=dt.date.fromisoformat(until) if until else None,
            )
        except FileNotFoundError:  # removed meanwhile
            continue
        except (ValueError, TypeError, KeyError, AttributeError):
            raise RequestError(
                "holder-damaged",
                "a note of a file that names an environment cannot be read",
                where=str(path),
                why="nobody knows which environment must stay",
                hint="delete it, then write that module file, archive or promise again",
            ) from None
