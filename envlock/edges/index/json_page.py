"""An index's page about one distribution in JSON (PEP 691, 700, 714)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast
from urllib.parse import urljoin

from envlock.edges.index.listing import Row
from envlock.model.errors import SurroundingsError


def read_json_index(content: bytes, url: str) -> tuple[Row, ...]:
    """The files of a page.

    Raises:
        SurroundingsError: it is no such page, or only a part of one.
    """
    try:
        document = json.loads(content)
        version = str(document["meta"]["api-version"])
        if version.partition(".")[0] != "1":
            raise _no_listing(url, f"it speaks version {version} of the simple API")
        return tuple(_row(file, url) for file in document["files"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _no_listing(url, f"{type(error).__name__}: {error}") from error


def _row(file: Mapping[str, object], root: str) -> Row:
    return Row(
        filename=str(file["filename"]),
        url=_absolute(str(file["url"]), root),
        sha256=_sha256(file["hashes"]).lower(),
        size=cast("int", file.get("size") or 0),
        requires_python=str(file.get("requires-python") or ""),
        upload_time=str(file.get("upload-time") or ""),
        yanked=_yanked(file.get("yanked", False)),
        sidecar=_sidecar(file),
    )


def _absolute(address: str, root: str) -> str:
    """Most indexes tell whole addresses, and joining takes four times as long as all the rest."""
    return address if address.startswith(("https://", "http://")) else urljoin(root, address)


def _yanked(value: object) -> str | None:
    """``false``, ``true`` or the reason."""
    if isinstance(value, str):
        return value
    return "" if value else None


def _sidecar(file: Mapping[str, object]) -> str | None:
    """PEP 714's key before its elder ones; a boolean or a table of hashes."""
    for key in ("core-metadata", "data-dist-info-metadata", "dist-info-metadata"):
        if key in file:
            value = file[key]
            return (_sha256(value) if isinstance(value, Mapping) else "") if value else None
    return None


def _sha256(hashes: object) -> str:
    return str(cast("Mapping[str, object]", hashes).get("sha256", ""))


def _no_listing(url: str, why: str) -> SurroundingsError:
    return SurroundingsError(
        "index-error",
        "the index's answer is no listing of files",
        where=url,
        why=why,
        hint="`pip config list` shows which indexes are set up",
    )
