"""Reads from Pipenv's ``Pipfile.lock`` what is installed on one platform (https://pipenv.pypa.io)."""

from __future__ import annotations

import json
from pathlib import Path

from envlock.edges.files import read_text
from envlock.edges.listings.marker_environments import Reader
from envlock.edges.listings.pipfile_wishes import series_of
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.published.listing import Listed, Listing

PIPFILE_LOCK = "Pipfile.lock"
_META, _MAIN = "_meta", "default"


def read_pipfile_lock(path: Path, reader: Reader) -> Listing:
    """Return the packages of the main category on the reader's platform; those of others are named.

    Raises:
        RequestError: it is not there, or has another form.
    """
    root = Table(_document(path), file=str(path))
    required = root.table(_META).table("requires")
    python = required.text("python_full_version", "") or required.text("python_version", "")
    platform = reader.platform(series_of(python))
    listed, passed_over = [], []
    for category in (name for name in root.names() if name != _META):
        packages = root.table(category)
        for name in packages.names():
            entry = packages.table(name)
            pinned = entry.text("version", "")
            version = pinned.removeprefix("==")
            if category != _MAIN:
                passed_over.append(f"{name}{pinned} (of {category})")
            elif version == pinned:
                passed_over.append(f"{name} (no version)")
            elif not platform.meets_in(entry, entry.text("markers", ""), key="markers"):
                passed_over.append(f"{name} {version} (for other platforms)")
            else:
                listed.append(Listed(name=name, version=version))
    return Listing(
        solved=True,
        kind="a Pipfile.lock",
        distributions=tuple(listed),
        passed_over=tuple(passed_over),
        read_for=platform.python,
    )


def _document(path: Path) -> dict[str, object]:
    why = f"it has no {_META!r}"
    try:
        document = json.loads(read_text(path))
        if isinstance(document, dict) and _META in document:
            return document
    except (ValueError, RecursionError) as error:
        why = str(error)
    hint = "make it again: pipenv lock"
    raise RequestError("no-lock", "the file is not a Pipfile.lock", where=str(path), why=why, hint=hint)
