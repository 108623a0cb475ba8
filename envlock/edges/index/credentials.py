"""Names and passwords of indexes: from netrc, or out of their URLs so that none gets into a lock."""

from __future__ import annotations

import netrc
import os
from collections.abc import Generator, Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx


def without_credentials(url: str) -> str:
    """The URL without ``name:password@``."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


class IndexAuth(httpx.Auth):
    """Basic authentication for the hosts whose credentials stand in an index's URL or in netrc."""

    def __init__(self, urls: Iterable[str], netrc_file: Path | None) -> None:
        self._by_host: dict[str, httpx.BasicAuth] = {}
        for url in urls:
            parts = urlsplit(url)
            if parts.username is not None:
                self._by_host[parts.netloc.rpartition("@")[2]] = httpx.BasicAuth(
                    unquote(parts.username), unquote(parts.password or "")
                )
        self._netrc = _read_netrc(netrc_file)

    def knows(self, url: str) -> bool:
        """Whether there are credentials for the host of a URL."""
        return self._find(urlsplit(url).netloc, urlsplit(url).hostname or "") is not None

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the header that the request's host wants (httpx's protocol)."""
        auth = self._find(request.url.netloc.decode("ascii"), request.url.host)
        if auth is None:
            yield request
        else:
            yield from auth.auth_flow(request)

    def _find(self, netloc: str, host: str) -> httpx.BasicAuth | None:
        if netloc in self._by_host:
            return self._by_host[netloc]
        found = self._netrc.authenticators(host) if self._netrc else None
        return httpx.BasicAuth(found[0], found[2] or "") if found else None


def netrc_file() -> Path:
    """``NETRC``, or the file of that name in the home folder."""
    return Path(os.environ.get("NETRC") or Path.home() / ".netrc")


def _read_netrc(file: Path | None) -> netrc.netrc | None:
    """Nothing where the file is not there or not one that this user may use: it is a help, not a need."""
    if file is None:
        return None
    try:
        return netrc.netrc(str(file))
    except (OSError, netrc.NetrcParseError):
        return None
