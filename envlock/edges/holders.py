"""Notes of files outside of a store that name an environment in it, such as module files.

The environment is in use as long as the file is there; nobody need tell the store when it is deleted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from envlock.edges.files import write_text
from envlock.model.errors import RequestError


def note_holder(folder: Path, key: str, holder: Path) -> None:
    """Note that a file names an environment; a file that named another one before names this one now.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    whole = str(holder.absolute())
    name = hashlib.sha256(whole.encode()).hexdigest()[:32]
    write_text(folder / f"{name}.json", json.dumps({"environment": key, "holder": whole}) + "\n")


def held(folder: Path) -> Iterator[str]:
    """The keys of environments that files outside still name.

    Raises:
        RequestError: ``holder-damaged``: a note does not tell what must stay.
    """
    for note in folder.glob("[!.]*.json"):
        try:
            document = json.loads(note.read_bytes())
            holder, key = Path(document["holder"]), str(document["environment"])
        except (ValueError, TypeError, KeyError):
            raise RequestError(
                "holder-damaged",
                "a note of a file that names an environment cannot be read",
                where=str(note),
                why="nobody knows which environment must stay",
                hint="delete it, then write that module file or archive again: envlock module GROUP",
            ) from None
        if holder.exists():
            yield key
