"""The one door to the network: it waits, retries, and gives up with an error a person can act on."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import IO, TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit

from envlock.edges.index.client import Client, load
from envlock.edges.index.credentials import IndexAuth, netrc_file
from envlock.edges.index.refusals import PassingError, no_file, offline_miss, seconds_to_wait, unreachable
from envlock.edges.pip_configuration import IndexConfiguration, proxy_for
from envlock.edges.threads import Threads
from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.project.package_sources import without_credentials, without_name

if TYPE_CHECKING:
    from pyreqwest.http import HeaderMap
    from pyreqwest.response import SyncResponse

Progress = Callable[[int, int], None]
"""Called while a file is downloaded: bytes so far and bytes in all (0 if unknown)."""

T = TypeVar("T")

_PASSING = frozenset({429, 500, 502, 503, 504})
"""Statuses that may be gone a moment later."""

_MOVED = frozenset({301, 302, 303, 307, 308})

_MOVES = 30
"""Redirects followed; the same limit as in requests, and so in pip."""

_CIPHERED = "https://"

_CHUNK = 1 << 18


_LONGEST_PAUSE_S = 120.0
"""Between two attempts, however many are configured; the same as in urllib3, and so in pip."""
_LONGEST_WAIT_S = 30.0
"""A server that asks for a longer wait (``Retry-After``) is reported rather than waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A complete response.

    Attributes:
        status: the HTTP status.
        url: the URL after redirects, which relative links refer to.
        headers: the response's headers.
        content: the client's own buffer; copying the pages of a solve took as long as decoding some.
    """

    status: int
    url: str
    headers: HeaderMap
    content: memoryview


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a file: ``content`` begins at byte ``start`` of ``total``."""

    start: int
    total: int
    content: bytes


class Http:
    """HTTP with one client for everything; thread-safe.

    Attributes:
        auth: the credentials of the indexes.
        offline: whether all requests are refused.
        received: bytes of content received so far.
    """

    def __init__(
        self,
        configuration: IndexConfiguration,
        named: Sequence[str] = (),
        *,
        offline: bool,
        backoff_s: float,
    ) -> None:
        self._configuration = configuration
        self.offline = offline
        self._backoff_s = backoff_s
        self._counting = threading.Lock()
        self._opening = threading.Lock()
        self.auth = IndexAuth(
            (configuration.index_url, *configuration.extra_index_urls, *configuration.find_links, *named),
            netrc_file(),
            keyring=configuration.keyring,
        )
        self.received = 0
        self._client: Client | None = None
        self._asking = Threads(1, "http")

    def _opened(self) -> Client:
        """Return the client, created at the first request so that a warm cache does not pay for it."""
        with self._opening:
            if self._client is None:
                self._client = Client(self._configuration)
            return self._client

    def close(self) -> None:
        """Close the connections."""
        self._asking.close(wait=False, drop=False)
        with self._opening:
            if self._client is not None:
                self._client.close()

    def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """Return a complete response, whatever its status below 500.

        Raises:
            SurroundingsError: there is no response (``index-unreachable``, ``offline-miss``).
        """

        def attempt() -> Answer:
            with self._stream(url, headers or {}) as (place, response):
                content = memoryview(response.bytes())
                self._count(len(content))
                return Answer(status=response.status, url=place, headers=response.headers, content=content)

        return self._repeat(url, attempt)

    def get_part(self, url: str, span: str) -> Part | None:
        """Fetch part of a file; ``span`` is as in a Range header (``0-99``, ``-100`` for the last 100 bytes).

        Returns ``None``, without reading the file, if the server does not serve ranges.

        Raises:
            SurroundingsError: there is no response, or no such file.
        """

        def attempt() -> Part | None:
            # Without identity, ranges would refer to bytes of a compressed form.
            headers = {"Range": f"bytes={span}", "Accept-Encoding": "identity"}
            with self._stream(url, headers) as (_, response):
                if response.status != HTTPStatus.PARTIAL_CONTENT:
                    if response.status not in (HTTPStatus.OK, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE):
                        raise no_file(url, response.status)
                    return None
                content = response.bytes().to_bytes()
                self._count(len(content))
                return _part(response.headers.get("Content-Range", ""), content)

        return self._repeat(url, attempt)

    def download(self, url: str, target: IO[bytes], progress: Progress) -> str:
        """Write a whole file and return its sha256.

        Raises:
            SurroundingsError: there is no response, or no such file.
        """

        def attempt() -> str:
            target.seek(0)
            target.truncate()
            digest = hashlib.sha256()
            with self._stream(url, {"Accept-Encoding": "identity"}) as (_, response):
                if response.status != HTTPStatus.OK:
                    raise no_file(url, response.status)
                total = int(response.headers.get("Content-Length", 0))
                while chunk := response.body_reader.read(_CHUNK):
                    target.write(chunk)
                    digest.update(chunk)
                    self._count(len(chunk))
                    progress(target.tell(), total)
            return digest.hexdigest()

        return self._repeat(url, attempt)

    @contextmanager
    def _stream(self, url: str, headers: Mapping[str, str]) -> Iterator[tuple[str, SyncResponse]]:
        """Follow redirects; yield the final URL and the response, whose content has not been read yet."""
        ciphered = url.startswith(_CIPHERED)
        for _ in range(_MOVES + 1):
            readable = ciphered and not url.startswith(_CIPHERED)  # redirected to plain HTTP
            authorization = None if readable else self.auth.header(url)
            # The client makes a header of its own of a name in the address.
            ask = self._opened().of(url).get(url if authorization is None else without_name(url))
            ask = ask.headers(headers)
            if authorization is not None:
                ask = ask.header("Authorization", authorization, is_sensitive=True)
            with ask.build_streamed() as response:
                place = response.headers.get("Location") if response.status in _MOVED else None
                if place is None:
                    if response.status in _PASSING:
                        raise PassingError(
                            response.status, seconds_to_wait(response.headers.get("Retry-After", ""))
                        )
                    yield url, response
                    return
            url = urljoin(url, place)
        raise SurroundingsError(
            "index-error",
            f"{urlsplit(url).hostname} redirects more than {_MOVES} times",
            where=without_credentials(url),
            hint="`pip config list` shows which indexes are set up",
        )

    def _repeat(self, url: str, attempt: Callable[[], T]) -> T:
        """Run an attempt until it succeeds, with doubling pauses; a truncated response does not succeed."""
        if self.offline:
            raise offline_miss(url)
        if threading.current_thread() is threading.main_thread():
            # The client ignores signals while it waits: an interrupt would take effect only at its time-out.
            return self._asking.submit(self._attempts, url, attempt).result()
        return self._attempts(url, attempt)

    def _attempts(self, url: str, attempt: Callable[[], T]) -> T:
        load()
        from pyreqwest.exceptions import RequestError  # noqa: PLC0415 - as in Client

        failure: Exception
        wait_s, pause_s = 0.0, self._backoff_s
        for turn in range(self._configuration.retries + 1):
            if turn:
                time.sleep(max(wait_s, pause_s))
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            try:
                return attempt()
            except ValueError as error:  # an invalid URL
                raise unreachable(url, error) from error
            except RequestError as error:
                failure, wait_s = error, 0.0
            except PassingError as error:
                failure, wait_s = error, error.wait_s
                if wait_s > _LONGEST_WAIT_S:
                    break
        raise unreachable(url, failure, proxy_for(url, self._configuration.proxy)) from failure

    def _count(self, size: int) -> None:
        with self._counting:
            self.received += size


def _part(content_range: str, content: bytes) -> Part | None:
    """Parse ``Content-Range: bytes 100-199/1000`` (RFC 9110, section 14.4)."""
    unit, _, rest = content_range.partition(" ")
    span, _, total = rest.partition("/")
    start, _, _ = span.partition("-")
    if unit != "bytes" or not start.isdecimal() or not total.isdecimal():
        return None
    return Part(start=int(start), total=int(total), content=content)
