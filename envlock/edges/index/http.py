"""The one door to the network: waits, repeats, and gives up with an error a person can act on."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import IO, TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import envlock
from envlock.edges.index.credentials import IndexAuth, netrc_file, without_credentials
from envlock.edges.pip_configuration import IndexConfiguration
from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass

if TYPE_CHECKING:
    import httpx

Progress = Callable[[int, int], None]
"""Told, while a file comes in: bytes so far and bytes in all (0 where unknown)."""

T = TypeVar("T")

_PASSING = frozenset({429, 500, 502, 503, 504})
"""Statuses that may be gone a moment later."""

_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer. ``url`` is where redirects led, and what relative links refer to."""

    status: int
    url: str
    headers: httpx.Headers
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a file: ``content`` begins at byte ``start`` of ``total``."""

    start: int
    total: int
    content: bytes


class Http:
    """HTTP with one client for everything; safe to use from several threads.

    Attributes:
        auth: the credentials of the indexes.
        offline: whether nothing is asked.
        received: bytes of content received so far.
    """

    def __init__(
        self,
        configuration: IndexConfiguration,
        indexes: Sequence[str] = (),
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
            (configuration.index_url, *configuration.extra_index_urls, *configuration.find_links, *indexes),
            netrc_file(),
            keyring=configuration.keyring,
        )
        self.received = 0
        self._client: httpx.Client | None = None

    def _opened(self) -> httpx.Client:
        """The client, made at the first request: that takes time that a warm cache need not spend."""
        with self._opening:
            if self._client is None:
                self._client = _client(self._configuration, self.auth)
            return self._client

    def close(self) -> None:
        """Close the connections."""
        with self._opening:
            if self._client is not None:
                self._client.close()

    def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """A whole answer, whatever its status below 500.

        Raises:
            SurroundingsError: there is no answer (``index-unreachable``, ``offline-miss``).
        """

        def attempt() -> Answer:
            with self._stream(url, headers or {}) as response:
                content = response.read()
                self._count(len(content))
                return Answer(
                    status=response.status_code,
                    url=str(response.url),
                    headers=response.headers,
                    content=content,
                )

        return self._repeat(url, attempt)

    def get_part(self, url: str, span: str) -> Part | None:
        """A part of a file, ``span`` as in a Range header (``0-99``, ``-100`` for the last 100 bytes).

        ``None`` where the server does not serve parts; the file is not read then.

        Raises:
            SurroundingsError: there is no answer, or no such file.
        """

        def attempt() -> Part | None:
            # Without identity, ranges would count bytes of a compressed form.
            headers = {"Range": f"bytes={span}", "Accept-Encoding": "identity"}
            with self._stream(url, headers) as response:
                if response.status_code != HTTPStatus.PARTIAL_CONTENT:
                    if response.status_code not in (
                        HTTPStatus.OK,
                        HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
                    ):
                        raise refusal(url, response.status_code)
                    return None
                content = response.read()
                self._count(len(content))
                return _part(response.headers.get("Content-Range", ""), content)

        return self._repeat(url, attempt)

    def download(self, url: str, target: IO[bytes], progress: Progress) -> str:
        """Write a whole file and return its sha256.

        Raises:
            SurroundingsError: there is no answer, or no such file.
        """

        def attempt() -> str:
            target.seek(0)
            target.truncate()
            digest = hashlib.sha256()
            with self._stream(url, {"Accept-Encoding": "identity"}) as response:
                if response.status_code != HTTPStatus.OK:
                    raise refusal(url, response.status_code)
                total = int(response.headers.get("Content-Length", 0))
                for chunk in response.iter_bytes(_CHUNK):
                    target.write(chunk)
                    digest.update(chunk)
                    self._count(len(chunk))
                    progress(target.tell(), total)
            return digest.hexdigest()

        return self._repeat(url, attempt)

    @contextmanager
    def _stream(self, url: str, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
        with self._opened().stream("GET", url, headers=headers) as response:
            if response.status_code in _PASSING:
                response.raise_for_status()
            yield response

    def _repeat(self, url: str, attempt: Callable[[], T]) -> T:
        """Run an attempt until it ends well, with doubling pauses.

        An answer cut off in the middle is an error of the protocol for httpx, and so repeated as well.
        """
        if self.offline:
            raise SurroundingsError(
                "offline-miss",
                "something is missing from the cache",
                where=without_credentials(url),
                hint="run once without --offline, so that it is fetched",
            )
        import httpx  # noqa: PLC0415 - it and its parts take longer than a solve that finds all in its cache

        failure: httpx.HTTPError
        for turn in range(self._configuration.retries + 1):
            if turn:
                time.sleep(self._backoff_s * 2 ** (turn - 1))
            try:
                return attempt()
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
                raise _unreachable(url, error) from error
            except httpx.HTTPError as error:
                failure = error
        raise _unreachable(url, failure) from failure

    def _count(self, size: int) -> None:
        with self._counting:
            self.received += size


def _client(configuration: IndexConfiguration, auth: IndexAuth) -> httpx.Client:
    import ssl  # noqa: PLC0415 - as above

    import httpx  # noqa: PLC0415

    try:
        if configuration.cert:  # in place of the usual ones, as for pip; reading them takes time, too
            context = ssl.create_default_context(cafile=configuration.cert)
        else:
            context = httpx.create_ssl_context()
        if configuration.client_cert:
            context.load_cert_chain(configuration.client_cert)
    except (OSError, ssl.SSLError) as error:
        raise SurroundingsError(
            "certificate-unreadable",
            "a certificate file of pip's configuration cannot be used",
            where=configuration.cert or configuration.client_cert,
            why=str(error),
            hint="`pip config list` shows the options cert and client-cert",
        ) from error
    # Not HTTP/2: httpcore opens streams without a lock, so that threads on one connection lose theirs or get
    # another's answer: https://github.com/iiasa/ixmp4/issues/224, https://github.com/pydantic/httpx2/pull/1153
    return httpx.Client(
        verify=context,
        auth=auth,
        follow_redirects=True,
        timeout=configuration.timeout_s,
        proxy=configuration.proxy or None,
        mounts={f"https://{host}": httpx.HTTPTransport(verify=False) for host in configuration.trusted_hosts},
        headers={"User-Agent": f"envlock/{envlock.__version__}"},
    )


def refusal(url: str, status: int) -> SurroundingsError:
    """The error for an answer that is none."""
    hint = ""
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.PROXY_AUTHENTICATION_REQUIRED):
        hint = "put the credentials into ~/.netrc, a keyring, or the index's URL in pip's configuration"
    return SurroundingsError(
        "index-error",
        f"the index answers with HTTP status {status}",
        where=without_credentials(url),
        hint=hint,
    )


def _part(content_range: str, content: bytes) -> Part | None:
    """Read ``bytes 100-199/1000`` (RFC 9110, section 14.4)."""
    unit, _, rest = content_range.partition(" ")
    span, _, total = rest.partition("/")
    start, _, _ = span.partition("-")
    if unit != "bytes" or not start.isdigit() or not total.isdigit():
        return None
    return Part(start=int(start), total=int(total), content=content)


def _unreachable(url: str, failure: httpx.HTTPError | httpx.InvalidURL) -> SurroundingsError:
    response = getattr(failure, "response", None)
    if response is not None:
        status = response.status_code
        return SurroundingsError(
            "index-error",
            f"the index keeps answering with HTTP status {status}",
            where=without_credentials(url),
            hint="try again later; `pip config list` shows which indexes are set up",
        )
    return SurroundingsError(
        "index-unreachable",
        f"the index at {urlsplit(url).hostname} cannot be reached",
        where=without_credentials(url),
        why=f"{type(failure).__name__}: {failure}",
        hint="check the network and the proxy (HTTPS_PROXY); --offline works from the cache",
    )
