"""Credentials of indexes, from their URLs, netrc or a keyring; they must never get into a lock."""

from __future__ import annotations

import netrc
import os
import threading
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from envlock.edges.files import personal_path
from envlock.edges.subprocesses import run
from envlock.model.errors import SurroundingsError
from envlock.model.project.package_sources import without_credentials

_KEYRING_S = 60.0
"""Time limit for a keyring in seconds: it may ask a person to unlock it."""


class IndexAuth:
    """Basic authentication for hosts whose credentials are in an index's URL, in netrc or in a keyring."""

    def __init__(self, urls: Iterable[str], netrc_file: Path | None, *, keyring: bool = False) -> None:
        self._by_host: dict[str, str] = {}
        self._in_keyring: dict[str, tuple[str, str]] = {}
        self._asking = threading.Lock()
        for url in urls:
            parts = urlsplit(url)
            host = parts.netloc.rpartition("@")[2]
            if parts.username is not None and parts.password is None and keyring:
                self._in_keyring[host] = without_credentials(url), unquote(parts.username)
            elif parts.username is not None:
                self._by_host[host] = _basic(unquote(parts.username), unquote(parts.password or ""))
        self._netrc = _read_netrc(netrc_file)

    def knows(self, url: str) -> bool:
        """Whether there are credentials for the host of a URL."""
        return self.header(url) is not None

    def header(self, url: str) -> str | None:
        """Return the ``Authorization`` header for a URL's host, if its credentials are known.

        A URL with a password speaks for itself.
        """
        parts = urlsplit(url)
        return None if parts.password else self._find(parts.netloc.rpartition("@")[2], parts.hostname or "")

    def _find(self, netloc: str, host: str) -> str | None:
        with self._asking:
            if netloc in self._in_keyring:
                url, name = self._in_keyring.pop(netloc)
                # A name alone may be a token, which needs no password.
                password = _from_keyring(url, name) or _from_keyring(netloc, name)
                self._by_host[netloc] = _basic(name, password)
        if netloc in self._by_host:
            return self._by_host[netloc]
        found = self._netrc.authenticators(host) if self._netrc else None
        return _basic(found[0], found[2] or "") if found else None


def _from_keyring(service: str, name: str) -> str:
    """Ask the ``keyring`` program for a name's password, as pip and uv do; empty if it has none."""
    try:
        done = run(["keyring", "get", service, name], timeout_s=_KEYRING_S)
    except SurroundingsError:
        return ""
    return done.stdout.rstrip("\n") if done.status == 0 else ""


def _basic(name: str, password: str) -> str:
    """Return the header of basic authentication (RFC 7617)."""
    return f"Basic {b64encode(f'{name}:{password}'.encode()).decode('ascii')}"


def netrc_file() -> Path:
    """Return the file in ``NETRC``, or ``~/.netrc``."""
    return personal_path(os.environ.get("NETRC") or "~/.netrc")


def _read_netrc(file: Path | None) -> netrc.netrc | None:
    """Read netrc; ``None`` if it is missing or unusable for this user: it is optional."""
    if file is None:
        return None
    try:
        return netrc.netrc(str(file))
    except (OSError, UnicodeDecodeError, netrc.NetrcParseError):
        return None
