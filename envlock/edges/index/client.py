"""The HTTP client, set up by pip's configuration: certificates, proxy, time limits, trusted hosts."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import envlock
from envlock.edges.pip_configuration import IndexConfiguration
from envlock.model.errors import SurroundingsError
from envlock.model.project.package_sources import masked

if TYPE_CHECKING:
    from pyreqwest.client import SyncClient, SyncClientBuilder

_CERTIFICATE = b"-----BEGIN CERTIFICATE-----"

_FRAME_BYTES = 1 << 20
_STREAM_BYTES = 1 << 22
_CONNECTION_BYTES = 1 << 26
"""HTTP/2 limits for what an index may send: in one frame, ahead on one stream, and ahead on the connection.
With the protocol's defaults of 16 and 64 KiB, a connection that carries many pages stalls again and again
(RFC 9113, 4.2, 6.9)."""


_loading = threading.Lock()
_loaded = threading.Event()


def load() -> None:
    """Load the client's library, once, in a thread that lives as long as the process.

    Its allocator, mimalloc from 3.3 on, takes the thread that loads it for the main one. When that thread has
    ended, the next thread that starts to allocate crashes
    (https://github.com/microsoft/mimalloc/issues/1287).
    """
    with _loading:
        if not _loaded.is_set():
            threading.Thread(target=_keep_loaded, name="http-library", daemon=True).start()
            _loaded.wait()


def _keep_loaded() -> None:
    try:
        # 10 ms that a solve answered from the cache need not spend.
        import pyreqwest.client  # noqa: F401, PLC0415
    finally:
        _loaded.set()
    threading.Event().wait()


class Client:
    """One connection pool for all threads, and one for hosts that need not prove their identity.

    Raises:
        SurroundingsError: a certificate file or the proxy's address cannot be used
            (``certificate-unreadable``, ``invalid-proxy``).
    """

    def __init__(self, configuration: IndexConfiguration) -> None:
        self._trusted = configuration.trusted_hosts
        self._proving = _client(configuration, proving=True)
        self._trusting = _client(configuration, proving=False) if self._trusted else None

    def of(self, url: str) -> SyncClient:
        """Return the client to use for a URL."""
        if self._trusting is not None:
            parts = urlsplit(url)
            if parts.hostname in self._trusted or parts.netloc.rpartition("@")[2] in self._trusted:
                return self._trusting
        return self._proving

    def close(self) -> None:
        """Close the connections."""
        self._proving.close()
        if self._trusting is not None:
            self._trusting.close()


def _client(configuration: IndexConfiguration, *, proving: bool) -> SyncClient:
    from pyreqwest.client import SyncClientBuilder  # noqa: PLC0415 - see load
    from pyreqwest.proxy import ProxyBuilder  # noqa: PLC0415

    try:
        proxy = ProxyBuilder.all(configuration.proxy) if configuration.proxy else None
    except ValueError as error:
        raise SurroundingsError(
            "invalid-proxy",
            "the address of the proxy in pip's configuration cannot be read",
            where=masked(configuration.proxy),
            why=cause(error),
            hint="write http://HOST:PORT; `pip config list` shows the option proxy",
        ) from error
    limit = timedelta(seconds=configuration.timeout_s)
    builder = (
        SyncClientBuilder()
        .user_agent(f"envlock/{envlock.__version__}")
        .follow_redirects(enable=False)  # each address gets the credentials of its own host, see Http
        .referer(enable=False)
        .connect_timeout(limit)
        .read_timeout(limit)
        .http2(enable=True)
        .http2_initial_stream_window_size(_STREAM_BYTES)
        .http2_max_frame_size(_FRAME_BYTES)
        .http2_initial_connection_window_size(_CONNECTION_BYTES)
        .danger_accept_invalid_certs(enable=not proving)
    )
    if proxy is not None:
        builder.proxy(proxy)
    return _with_certificates(builder, configuration)


def _with_certificates(builder: SyncClientBuilder, configuration: IndexConfiguration) -> SyncClient:
    """Build the client with the configuration's certificates in addition to the system's."""
    own, authorities = configuration.client_cert, configuration.cert
    try:
        if authorities:
            for certificate in _certificates(Path(authorities)):
                builder.add_root_certificate_pem(certificate)
        if own:
            builder.identity_pem(Path(own).read_bytes())
        return builder.build()
    except (OSError, ValueError) as error:
        raise SurroundingsError(
            "certificate-unreadable",
            "the certificates for the indexes cannot be used",
            where=", ".join(filter(None, (authorities, own))) or "the system's certificates",
            why=cause(error),
            hint="`pip config list` shows cert and client-cert; or it is REQUESTS_CA_BUNDLE or SSL_CERT_FILE",
        ) from error


def _certificates(place: Path) -> list[bytes]:
    """Return each certificate in a file or folder; one without any would silently add none to the client."""
    files = [file for file in sorted(place.iterdir()) if file.is_file()] if place.is_dir() else [place]
    found = [part for file in files for part in file.read_bytes().split(_CERTIFICATE)[1:]]
    if not found:
        raise ValueError(f"{place.name} holds no certificate in PEM form")
    return [_CERTIFICATE + part for part in found]


def cause(error: Exception) -> str:
    """Return the root cause of an error: the client lists every layer, the innermost last."""
    details = getattr(error, "details", None) or {}
    causes = details.get("causes") or ()
    return str(causes[-1]["message"]) if causes else str(error)
