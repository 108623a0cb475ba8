"""Pages of remote indexes: fetched, cached in decoded form, and revalidated when no longer fresh."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar

from xxhash import xxh3_128_hexdigest

from envlock.edges.cache import Cache, Form
from envlock.edges.index.filenames import RULES, SDIST_ENDINGS
from envlock.edges.index.html_page import read_html_index, read_link_page
from envlock.edges.index.http import Answer, Http
from envlock.edges.index.json_page import read_json_index
from envlock.edges.index.page_rows import Groups, Row, grouped
from envlock.edges.index.refusals import refusal
from envlock.model.project.package_sources import without_credentials, without_name
from envlock.model.published.project_status import ProjectStatus

T = TypeVar("T")
_Columns = tuple[list[str], list[str], list[int], tuple[str, str]]
_NO_FILES: _Columns = ([], [], [], ("", ""))
_NO_LINKS: list[tuple[object, ...]] = []

_FORM = xxh3_128_hexdigest(repr((Groups.__slots__, Row._fields, SDIST_ENDINGS, RULES)).encode())[:8]
"""Identifies what rows consist of: in a shared cache, a version that reads more of a page neither takes the
rows of one that reads less, nor renews their state."""
PAGES = f"pages-{_FORM}"
STATES = f"page-states-{_FORM}"

_STATE: Form = (int | float, str, str, str)
_COLUMNS: Form = ([str], [str], [int], (str, str))
_ROWS: Form = [(str, str, str, int, str, str, str | None, str | None)]

_ACCEPT = (
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, "
    "text/html;q=0.1, */*;q=0.01"
)

_FRESH_S = 600
"""Seconds for which a page is fresh if its server does not say; the public index states this for its own."""
_LONGEST_S = 24 * 3600
"""Seconds for which a page is fresh at most: beyond it, a server exaggerates, or a clock ran ahead once."""

_ABSENT = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


class State(NamedTuple):
    """Everything known of a page besides its files, kept apart so that revalidation rewrites only this.

    Attributes:
        fresh_until: until when it need not be requested again, in seconds since 1970.
        etag: identifies this state to the server; empty if it gave none.
        last_modified: likewise.
        digest: of the page's content, so that a state and files of two writers do not pass for one page.
    """

    fresh_until: float
    etag: str
    last_modified: str
    digest: str


class Pages:
    """Reads pages of remote indexes through the cache."""

    __slots__ = ("_cache", "_http", "_offline", "_states")

    def __init__(self, http: Http, cache: Cache, *, offline: bool) -> None:
        self._http = http
        self._cache = cache
        self._offline = offline
        self._states: dict[str, State] = {}

    def at_hand(self, url: str) -> bool:
        """Whether a page need not be requested."""
        return self._usable(self._state(without_credentials(url)))

    def index_page(self, url: str, distribution: str, *, lenient: bool) -> Groups:
        """Return the files on an index's page about a distribution; none if the index does not know it.

        A ``lenient`` index may answer "forbidden" where it means "not there", as storage services do.
        """

        def read(answer: Answer) -> tuple[_Columns, bytes | memoryview]:
            kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            if kind.endswith("json"):
                page = read_json_index(answer.content, answer.url)
            else:
                page = read_html_index(bytes(answer.content), answer.url)
            found = grouped(page.rows, distribution, page.status)
            columns = (
                list(found.texts),
                list(found.since),
                list(found.starts),
                (found.status.word, found.status.reason),
            )
            return columns, found.packed

        absent = (*_ABSENT, HTTPStatus.FORBIDDEN) if lenient and not self._http.auth.knows(url) else _ABSENT
        (texts, since, starts, status), packed = self._page(url, read, _COLUMNS, absent, _NO_FILES)
        return Groups(texts, since, starts, packed, ProjectStatus(*status))

    def link_page(self, url: str) -> tuple[Row, ...]:
        """Return the links on any page."""

        def read(answer: Answer) -> tuple[list[tuple[object, ...]], bytes]:
            return [tuple(row) for row in read_link_page(bytes(answer.content), answer.url)], b""

        rows, _ = self._page(url, read, _ROWS, (), _NO_LINKS)
        return tuple(map(Row._make, rows))

    def _page(
        self,
        url: str,
        read: Callable[[Answer], tuple[T, bytes | memoryview]],
        form: Form,
        absent: tuple[HTTPStatus, ...],
        nothing: T,
    ) -> tuple[T, bytes | memoryview]:
        """Return the part of a page that is always read, and the part of which only some is read."""
        key = without_credentials(url)
        state = self._state(key)
        rows: tuple[T, bytes | memoryview] | None = None if state is None else self._rows(key, state, form)
        if rows is not None and self._usable(state):
            return rows
        known = state if rows is not None else None
        answer = self._http.get(without_name(url), headers=_conditions(known))
        if answer.status == HTTPStatus.NOT_MODIFIED and rows is not None and known is not None:
            self._keep_state(key, answer, known)
            return rows
        if answer.status == HTTPStatus.OK:
            rows = read(answer)
        elif answer.status in absent:
            rows = nothing, b""
        else:
            raise refusal(key, answer.status)
        self._keep(key, *rows, answer)
        return rows

    def _usable(self, state: State | None) -> bool:
        return state is not None and (self._offline or 0 < state.fresh_until - time.time() <= _LONGEST_S)

    def _state(self, key: str) -> State | None:
        if key not in self._states and (kept := self._cache.read_as(STATES, key, _STATE)) is not None:
            self._states[key] = State._make(kept)
        return self._states.get(key)

    def _rows(self, key: str, state: State, form: Form) -> tuple[Any, memoryview] | None:
        kept = self._cache.read_attached(PAGES, key, (str, form))
        if kept is None:
            return None
        (digest, rows), packed = kept
        return (rows, packed) if digest == state.digest else None

    def _keep(self, key: str, rows: object, packed: bytes | memoryview, answer: Answer) -> None:
        """Cache a page, the files first, so that a state only refers to files that are there."""
        digest = xxh3_128_hexdigest(answer.content)
        if "no-store" not in answer.headers.get("Cache-Control", "").lower():
            self._cache.write_attached(PAGES, key, (digest, rows), packed)
            self._keep_state(key, answer, State(0, "", "", digest))

    def _keep_state(self, key: str, answer: Answer, before: State) -> None:
        control = answer.headers.get("Cache-Control", "").lower()
        if "no-store" in control:
            return
        state = before._replace(
            fresh_until=time.time() + _freshness(control),
            etag=answer.headers.get("ETag", before.etag),
            last_modified=answer.headers.get("Last-Modified", before.last_modified),
        )
        self._cache.write(STATES, key, tuple(state))
        self._states[key] = state


def _conditions(kept: State | None) -> dict[str, str]:
    headers = {"Accept": _ACCEPT}
    if kept is not None and kept.etag:
        headers["If-None-Match"] = kept.etag
    if kept is not None and kept.last_modified:
        headers["If-Modified-Since"] = kept.last_modified
    return headers


def _freshness(control: str) -> float:
    """Return the freshness in seconds from Cache-Control (RFC 9111)."""
    if "no-cache" in control:
        return 0
    stated = re.search(r"max-age=(\d+)", control)
    return min(float(stated[1]), _LONGEST_S) if stated else _FRESH_S
