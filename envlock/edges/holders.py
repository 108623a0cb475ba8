"""Notes of files outside of a store that an environment in it must stay for.

A module file or an archive names one: it is in use as long as the file is there, and nobody need tell the
store when it is deleted. A manifest promises one through a day (``envlock freeze``): other projects that
share the store do not read it.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from envlock.edges.files import write_text
from envlock.model.errors import RequestError


def note_holder(folder: Path, key: str, holder: Path) -> None:
    """Note that a file names an environment; a file that named another one before names this one now.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    whole = str(holder.absolute())
    _note(_place(folder, whole), {"environment": key, "holder": whole})


def note_promise(folder: Path, keys: Iterable[str], manifest: Path, group: str, until: dt.date) -> None:
    """Note that a manifest promises the environments of a group through a day, in place of its note before.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    whole = str(manifest.absolute())
    document = {"environments": sorted(keys), "holder": whole, "group": group, "until": until.isoformat()}
    _note(_place(folder, whole, group), document)


def forget_promise(folder: Path, manifest: Path, group: str) -> None:
    """Take the note of a promise away, if there is one and one may.

    Where one may not, the environments stay until the day has passed.
    """
    with contextlib.suppress(OSError):
        _place(folder, str(manifest.absolute()), group).unlink(missing_ok=True)


def _place(folder: Path, *names: str) -> Path:
    digest = hashlib.sha256("\n".join(names).encode()).hexdigest()
    return folder / f"{digest[:32]}.json"


def _note(path: Path, document: Mapping[str, object]) -> None:
    write_text(path, json.dumps(document) + "\n")


def held(folder: Path) -> Iterator[str]:
    """The keys of environments that files outside still name, or promise today.

    Raises:
        RequestError: ``holder-damaged``: a note does not tell what must stay.
    """
    today = dt.datetime.now(dt.UTC).date()
    for note in folder.glob("[!.]*.json"):
        try:
            document = json.loads(note.read_bytes())
            holder, until = Path(document["holder"]), document.get("until")
            keys = document["environments"] if until else [document["environment"]]
            past = until is not None and dt.date.fromisoformat(until) < today
        except (ValueError, TypeError, KeyError):
            raise RequestError(
                "holder-damaged",
                "a note of a file that names an environment cannot be read",
                where=str(note),
                why="nobody knows which environment must stay",
                hint="delete it, then write that module file, archive or promise again",
            ) from None
        if holder.exists() and not past:
            yield from map(str, keys)
