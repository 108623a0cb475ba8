"""The record of an archive: what a frozen environment consists of and where in the archive it is."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping

from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.path_parts import is_file_name, is_group_name, is_place_inside, is_target_name
from envlock.model.project.group import Freeze

SCHEMA = "envlock/archive/1"
RECORD = "envlock-archive.json"
"""The record's file name at the top of an archive's payload."""
_SCHEMA = re.compile(r"envlock/archive/(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveFlaw:
    """A file of an archive that is not as its manifests say.

    Attributes:
        path: the file, relative to the archive.
        expected: the sha256 that it should have; empty for a file that should not be there.
        found: the one that it has; empty for a file that is missing.
    """

    path: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterOrigin:
    """The interpreter of an environment, and what one needs to know to get the same one.

    Attributes:
        version: its full version.
        path: where it was.
        kind: who installed it: ``uv``, ``pyenv``, ``system`` or ``other``.
        build: what it reports about its own build (``sys.version``).
    """

    version: str
    path: str
    kind: str
    build: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveRecord:
    """What an archive holds.

    Attributes:
        group: the group.
        target: the target that its lock is for.
        created: when the archive was made, UTC.
        envlock: the version that made it.
        lock: the lock's name in the payload.
        lock_sha256: the digest of its bytes.
        frozen: the promise for which it was made.
        python: the interpreter; it is not in the archive.
        files: sha256 of a wheel or sdist -> its path in the payload.
        built: a build's key -> sha256 of its wheel.
    """

    group: str
    target: str
    created: dt.datetime
    envlock: str
    lock: str
    lock_sha256: str
    frozen: Freeze
    python: InterpreterOrigin
    files: Mapping[str, str]
    built: Mapping[str, str]


def encode_record(record: ArchiveRecord) -> dict[str, object]:
    """Encode a record."""
    python = record.python
    return {
        "schema": SCHEMA,
        "group": record.group,
        "target": record.target,
        "created": record.created.isoformat(timespec="seconds"),
        "envlock": record.envlock,
        "lock": record.lock,
        "lock_sha256": record.lock_sha256,
        "frozen": {"until": record.frozen.until.isoformat(), "reason": record.frozen.reason},
        "python": {
            "version": python.version,
            "path": python.path,
            "kind": python.kind,
            "build": python.build,
        },
        "files": dict(sorted(record.files.items())),
        "built": dict(sorted(record.built.items())),
    }


def decode_record(document: Mapping[str, object], file: str) -> ArchiveRecord:
    """Decode a record.

    Raises:
        RequestError: ``archive-newer`` for a later schema; otherwise a part is missing or malformed.
    """
    table = Table(document, file=file)
    schema = table.text("schema")
    if schema != SCHEMA:
        if not _SCHEMA.fullmatch(schema):
            raise table.error(f"not the record of an archive ({SCHEMA})", key="schema")
        raise RequestError(
            "archive-newer",
            "the archive was made by another envlock, in a form that this one does not know",
            where=f"{file}, schema",
            why=f"it is {schema}, made by envlock {table.text('envlock', '?')}; this one reads {SCHEMA}",
            hint="restore it with that envlock; the archive's README says how to use it without envlock",
        )
    python, frozen = table.table("python"), table.table("frozen")
    record = ArchiveRecord(
        group=_checked(table, "group", is_group_name),
        target=_checked(table, "target", is_target_name),
        created=table.moment("created"),
        envlock=table.text("envlock"),
        lock=_checked(table, "lock", is_file_name),
        lock_sha256=table.text("lock_sha256"),
        frozen=Freeze(until=frozen.date("until"), reason=frozen.text("reason")),
        python=InterpreterOrigin(
            version=python.text("version"),
            path=python.text("path"),
            kind=python.text("kind"),
            build=python.text("build"),
        ),
        files=_places(table.table("files")),
        built=_keys(table.table("built")),
    )
    table.done()
    return record


def _checked(table: Table, key: str, is_one: Callable[[str], bool]) -> str:
    """Read a text that becomes part of a path, which must be checked as archives come from elsewhere."""
    text = table.text(key)
    if not is_one(text):
        raise table.error(f"{text!r} would lead out of its folder", key=key)
    return text


def _places(table: Table) -> dict[str, str]:
    return {sha256: _checked(table, sha256, is_place_inside) for sha256 in table.names()}


def _keys(table: Table) -> dict[str, str]:
    """Read digests of built wheels by their keys, which name folders of a store."""
    for key in table.names():
        if not is_file_name(key) or key.startswith("."):
            raise table.error(f"{key!r} is not a build's key", key=key)
    return {key: table.text(key) for key in table.names()}
