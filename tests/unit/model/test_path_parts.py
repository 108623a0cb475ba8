"""Documents from elsewhere whose texts become parts of paths: none leads out of its folder."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envlock.model.errors import RequestError
from envlock.model.locked.archive import ArchiveRecord, InterpreterOrigin, decode_record, encode_record
from envlock.model.locked.lock import decode_lock, encode_lock
from envlock.model.project.group import Freeze
from tests.locks import distribution, lock

OUTSIDE = ("../../x", "/etc/x", "..", "", "a/../../x")
SHA = "ab" * 32
RECORD = ArchiveRecord(
    group="stack",
    target="gpu-node.1",
    created=dt.datetime(2026, 11, 20, tzinfo=dt.UTC),
    envlock="0.1.0",
    lock="pylock.stack.toml",
    lock_sha256=SHA,
    frozen=Freeze(until=dt.date(2027, 6, 30), reason="thesis"),
    python=InterpreterOrigin(version="3.11.2", path="/usr/bin/python3.11", kind="system", build=""),
    files={SHA: "wheels/foo-1.0-py3-none-any.whl"},
    built={"foo-1.0-abc": SHA},
)


def test_a_record_is_read_as_it_was_written() -> None:
    assert decode_record(encode_record(RECORD), "record") == RECORD


@pytest.mark.parametrize("text", OUTSIDE)
@pytest.mark.parametrize("key", ["group", "target", "lock", "files", "built"])
def test_an_archive_names_nothing_outside_of_it(key: str, text: str) -> None:
    document = encode_record(RECORD)
    document[key] = {"files": {SHA: text}, "built": {text: SHA}}.get(key, text)
    with pytest.raises(RequestError) as caught:
        decode_record(document, "record")
    assert caught.value.where.startswith(f"record, {key}")


@pytest.mark.parametrize("text", OUTSIDE)
@pytest.mark.parametrize("key", ["group", "target", "name", "sha256"])
def test_a_lock_names_nothing_outside_of_its_places(key: str, text: str) -> None:
    document: dict[str, Any] = encode_lock(lock(distribution("foo", "1.0", filename="foo-1.0.tar.gz")))
    sdist = document["packages"][0]["sdist"]
    if key == "name":
        sdist["name"] = text
    elif key == "sha256":
        sdist["hashes"]["sha256"] = text
    else:
        document["tool"]["envlock"][key] = text
    with pytest.raises(RequestError):
        decode_lock(document, "lock")
