"""Pages of remote indexes: fetched, kept in decoded form, asked again when they are no longer fresh."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast

from envlock.edges.cache import Cache
from envlock.edges.index.credentials import without_credentials
from envlock.edges.index.html_page import read_html_index, read_link_page
from envlock.edges.index.http import Answer, Http, refusal
from envlock.edges.index.json_page import read_json_index
from envlock.edges.index.listing import Row

_KIND = "pages"

_ACCEPT = (
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, "
    "text/html;q=0.1, */*;q=0.01"
)

_FRESH_S = 600
"""Seconds that a page counts as fresh whose server does not say: what the public index says of its own."""

_ABSENT = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as kept.

    Attributes:
        rows: its files; none for a page that is not there.
        fresh_until: until when it need not be asked for again, seconds since 1970.
        etag: what tells the server which state this is; empty if it gave none.
        last_modified: likewise.
    """

    rows: tuple[Row, ...]
    fresh_until: float
    etag: str
    last_modified: str


class Pages:
    """Reads pages of remote indexes through the cache."""

    __slots__ = ("_cache", "_http", "_offline")

    def __init__(self, http: Http, cache: Cache, *, offline: bool) -> None:
        self._http = http
        self._cache = cache
        self._offline = offline

    def index_page(self, url: str, *, lenient: bool) -> tuple[Row, ...]:
        """The files on an index's page about one distribution; none where the index does not know it.

        A ``lenient`` index may say "forbidden" where it means "not there", as storage services do.
        """

        def read(answer: Answer) -> tuple[Row, ...]:
            kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            reader = read_json_index if kind.endswith("json") else read_html_index
            return reader(answer.content, answer.url)

        absent = (*_ABSENT, HTTPStatus.FORBIDDEN) if lenient and not self._http.auth.knows(url) else _ABSENT
        return self._page(url, read, absent)

    def link_page(self, url: str) -> tuple[Row, ...]:
        """The links on any page."""
        return self._page(url, lambda answer: read_link_page(answer.content, answer.url), ())

    def _page(
        self, url: str, read: Callable[[Answer], tuple[Row, ...]], absent: tuple[HTTPStatus, ...]
    ) -> tuple[Row, ...]:
        key = without_credentials(url)
        kept = _decode(self._cache.read(_KIND, key))
        if kept is not None and (self._offline or time.time() < kept.fresh_until):
            return kept.rows
        answer = self._http.get(key, headers=_conditions(kept))
        if answer.status == HTTPStatus.NOT_MODIFIED and kept is not None:
            rows = kept.rows
        elif answer.status == HTTPStatus.OK:
            rows = read(answer)
        elif answer.status in absent:
            rows = ()
        else:
            raise refusal(key, answer.status)
        self._keep(key, rows, answer, kept)
        return rows

    def _keep(self, key: str, rows: tuple[Row, ...], answer: Answer, kept: Page | None) -> None:
        control = answer.headers.get("Cache-Control", "").lower()
        if "no-store" in control:
            return
        unchanged = kept is not None and answer.status == HTTPStatus.NOT_MODIFIED
        page = {
            "rows": rows,
            "fresh_until": time.time() + _freshness(control),
            "etag": answer.headers.get("ETag", kept.etag if unchanged and kept else ""),
            "last_modified": answer.headers.get(
                "Last-Modified", kept.last_modified if unchanged and kept else ""
            ),
        }
        self._cache.write(_KIND, key, page)


def _conditions(kept: Page | None) -> dict[str, str]:
    headers = {"Accept": _ACCEPT}
    if kept is not None and kept.etag:
        headers["If-None-Match"] = kept.etag
    if kept is not None and kept.last_modified:
        headers["If-Modified-Since"] = kept.last_modified
    return headers


def _freshness(control: str) -> float:
    """Seconds by Cache-Control (RFC 9111)."""
    if "no-cache" in control:
        return 0
    stated = re.search(r"max-age=(\d+)", control)
    return float(stated[1]) if stated else _FRESH_S


def _decode(document: object | None) -> Page | None:
    if document is None:
        return None
    page = cast("dict[str, object]", document)
    return Page(
        rows=tuple(map(Row._make, cast("list[list[object]]", page["rows"]))),
        fresh_until=cast("float", page["fresh_until"]),
        etag=cast("str", page["etag"]),
        last_modified=cast("str", page["last_modified"]),
    )
