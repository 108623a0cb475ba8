"""An index's JSON page about one distribution (PEP 691, 700, 714)."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast
from urllib.parse import urljoin

from envlock.edges.index.page_rows import Page
from envlock.edges.index.refusals import no_listing
from envlock.model.published.project_status import ACTIVE, ProjectStatus

if TYPE_CHECKING:
    from msgspec import UnsetType
    from msgspec.json import Decoder

_WHOLE = ("https://", "http://")
_DISPENSABLE = {
    *("hashes", "size", "requires-python", "upload-time"),
    *("core-metadata", "data-dist-info-metadata", "dist-info-metadata"),
}
"""Fields without which a file is as one of an index that does not give them; not whether it was withdrawn."""


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
    files: Sequence[_File]
    project_status: object


class _Loose(_Head, Protocol):
    files: list[object]
    project_status: object


class _Decoders(NamedTuple):
    head: Decoder[_Head]
    page: Decoder[_Page]
    loose: Decoder[_Loose]
    file: type[_File]


_made: list[_Decoders] = []
_making = threading.Lock()


def read_json_index(content: memoryview, url: str) -> Page:
    """Read a page; each of its files becomes the fields of a ``Row``.

    A file whose description cannot be read costs that file alone, or only the field.

    Raises:
        SurroundingsError: it is not such a page, or is cut off.
    """
    import msgspec  # noqa: PLC0415 - pages are mostly in the cache

    decoders = _decoders()
    try:
        try:
            found = decoders.page.decode(content)
            files, status = found.files, found.project_status
        except msgspec.ValidationError as error:
            _refuse_others(decoders.head.decode(content), url)  # another API version may have another form
            loose = decoders.loose.decode(content)
            tried = (_readable(file, decoders.file) for file in loose.files)
            files, status = list(filter(None, tried)), loose.project_status
            if not files:
                raise no_listing(url, f"{type(error).__name__}: {error}") from error
        else:
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
            for file in files
        ]
    except (msgspec.MsgspecError, ValueError) as error:
        raise no_listing(url, f"{type(error).__name__}: {error}") from error
    return Page(rows, _status(status))


def _readable(file: object, form: type[_File]) -> _File | None:
    """Return a file without the fields that cannot be read, if it is one without them."""
    from msgspec import ValidationError, convert  # noqa: PLC0415 - as above

    while isinstance(file, dict):
        try:
            return convert(file, form)
        except ValidationError as error:
            # The message ends with the place of the first such field: "... - at `$.hashes.sha256`".
            field = re.split(r"[.\[`]", str(error).rpartition("`$.")[2])[0]
            if field not in _DISPENSABLE or field not in file:
                return None
            file = {key: value for key, value in file.items() if key != field}
    return None


def _refuse_others(head: _Head, url: str) -> None:
    version = str(head.meta.api_version)
    if version.partition(".")[0] != "1":
        raise no_listing(url, f"it speaks version {version} of the simple API")


def _status(status: object) -> ProjectStatus:
    """Read the status table (PEP 792); if nothing in it can be read, the project is active."""
    if not isinstance(status, dict) or status.get("status") in {None, "", "active"}:
        return ACTIVE
    return ProjectStatus(str(status["status"]), str(status.get("reason") or ""))


def _decoders() -> _Decoders:
    """Make the decoders once: the first pages arrive together, on as many threads."""
    if not _made:
        with _making:
            if not _made:
                _made.append(_make_decoders())
    return _made[0]


def _make_decoders() -> _Decoders:
    """Make decoders for the head of any simple API page, and for the fields of a file page that count.

    Fields that indexes leave empty may be ``null``.
    """
    from msgspec import UNSET, UnsetType, defstruct, field  # noqa: PLC0415 - as above
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
            ("hashes", hashes, field(default_factory=hashes)),
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
    loose = defstruct(
        "Loose", [("meta", meta), ("files", list[Any]), ("project_status", Any, None)], rename="kebab"
    )
    return _Decoders(
        cast("Decoder[_Head]", Decoder(head)),
        cast("Decoder[_Page]", Decoder(page)),
        cast("Decoder[_Loose]", Decoder(loose)),
        cast("type[_File]", file),
    )


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
