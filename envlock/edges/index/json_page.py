"""An index's JSON page about one distribution (PEP 691, 700, 714)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast
from urllib.parse import urljoin

from envlock.edges.index.listing import Page
from envlock.edges.index.refusals import no_listing
from envlock.model.published.project_status import ACTIVE, ProjectStatus

if TYPE_CHECKING:
    from msgspec import UnsetType
    from msgspec.json import Decoder

_WHOLE = ("https://", "http://")


class _Hashes(Protocol):
    sha256: str


_Sidecar = bool | _Hashes | None


class _File(Protocol):
    filename: str
    url: str
    hashes: _Hashes
    size: int | None
    requires_python: str | None
    upload_time: str | None
    yanked: bool | str | None
    core_metadata: _Sidecar | UnsetType
    data_dist_info_metadata: _Sidecar | UnsetType
    dist_info_metadata: _Sidecar | UnsetType


class _Meta(Protocol):
    api_version: str | float


class _Head(Protocol):
    meta: _Meta


class _Page(_Head, Protocol):
    files: list[_File]
    project_status: object


_Decoders: TypeAlias = "tuple[Decoder[_Head], Decoder[_Page]]"

_made: list[_Decoders] = []
_making = threading.Lock()


def read_json_index(content: memoryview, url: str) -> Page:
    """Read a page; each of its files becomes the fields of a ``Row``.

    Raises:
        SurroundingsError: it is not such a page, or is cut off.
    """
    import msgspec  # noqa: PLC0415 - pages are mostly in the cache

    head, page = _decoders()
    try:
        try:
            found = page.decode(content)
        except msgspec.MsgspecError:
            _refuse_others(head.decode(content), url)  # another API version may have another form
            raise
        _refuse_others(found, url)
        unset = msgspec.UNSET
        rows = [
            (
                file.filename,
                # Most indexes give absolute URLs, and joining takes longer than all the rest.
                file.url if file.url.startswith(_WHOLE) else urljoin(url, file.url),
                file.hashes.sha256.lower(),
                file.size or 0,
                file.requires_python or "",
                file.upload_time or "",
                None if file.yanked is False else _reason(file.yanked),
                # Many indexes have no sidecars, and a page has thousands of files.
                None
                if file.core_metadata is unset
                and file.dist_info_metadata is unset
                and file.data_dist_info_metadata is unset
                else _sidecar(file, unset),
            )
            for file in found.files
        ]
    except (msgspec.MsgspecError, ValueError) as error:
        raise no_listing(url, f"{type(error).__name__}: {error}") from error
    return Page(rows, _status(found.project_status))


def _refuse_others(head: _Head, url: str) -> None:
    version = str(head.meta.api_version)
    if version.partition(".")[0] != "1":
        raise no_listing(url, f"it speaks version {version} of the simple API")


def _status(told: object) -> ProjectStatus:
    """Read the status table (PEP 792); if nothing in it can be read, the project is active."""
    if not isinstance(told, dict) or told.get("status") in {None, "", "active"}:
        return ACTIVE
    return ProjectStatus(str(told["status"]), str(told.get("reason") or ""))


def _decoders() -> _Decoders:
    """Make the decoders once: the first pages arrive together, on as many threads."""
    if not _made:
        with _making:
            if not _made:
                _made.append(_make_decoders())
    return _made[0]


def _make_decoders() -> _Decoders:
    """Make decoders for the head of any simple API page, and for the fields of a file page that count.

    Fields that indexes leave empty may be ``null``; any other wrong type means that it is no listing.
    """
    from msgspec import UNSET, UnsetType, defstruct  # noqa: PLC0415 - as above
    from msgspec.json import Decoder  # noqa: PLC0415

    meta = defstruct("Meta", [("api_version", str | float)], rename="kebab")
    head = defstruct("Head", [("meta", meta)])
    hashes = defstruct("Hashes", [("sha256", str, "")], gc=False)
    sidecar = bool | hashes | UnsetType | None
    file = defstruct(
        "File",
        [
            ("filename", str),
            ("url", str),
            ("hashes", hashes),
            ("size", int | None, None),
            ("requires_python", str | None, None),
            ("upload_time", str | None, None),
            ("yanked", bool | str | None, False),
            ("core_metadata", sidecar, UNSET),
            ("data_dist_info_metadata", sidecar, UNSET),
            ("dist_info_metadata", sidecar, UNSET),
        ],
        rename="kebab",
        gc=False,
    )
    page = defstruct(
        "Page",
        [("meta", meta), ("files", list[file]), ("project_status", Any, None)],  # type: ignore[valid-type]
        rename="kebab",
    )
    return cast("Decoder[_Head]", Decoder(head)), cast("Decoder[_Page]", Decoder(page))


def _reason(yanked: bool | str | None) -> str | None:  # noqa: FBT001 - as the page has it
    """Decode ``yanked``: ``false``, ``true`` or the reason."""
    if isinstance(yanked, str):
        return yanked
    return "" if yanked else None


def _sidecar(file: _File, unset: UnsetType) -> str | None:
    """Read PEP 714's key before the older ones; its value is a boolean or a table of hashes."""
    for value in (file.core_metadata, file.data_dist_info_metadata, file.dist_info_metadata):
        if value is not unset:
            return None if not value else "" if value is True else value.sha256.lower()
    return None
