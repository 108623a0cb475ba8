"""Refusals by servers, as errors that a person can act on."""

from __future__ import annotations

import datetime as dt
import re
import time
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

from envlock.edges.clock import today
from envlock.edges.index.client import cause
from envlock.model.errors import SurroundingsError
from envlock.model.project.package_sources import masked, without_credentials
from envlock.model.published.catalogue import FILE_GONE

_UNREACHABLE = "index-unreachable"


class PassingError(Exception):
    """A status that may be gone a moment later, and the seconds to wait if the server states them."""

    def __init__(self, status: int, wait_s: float) -> None:
        super().__init__(status)
        self.status = status
        self.wait_s = wait_s


def _host(url: str) -> str:
    """Return the host that was asked: an index, or one with a file that the manifest names."""
    return urlsplit(url).hostname or masked(url)


OFFLINE_MISS = "offline-miss"


def offline_miss(url: str) -> SurroundingsError:
    """Return the error for what would have to be fetched, and may not be."""
    return SurroundingsError(
        OFFLINE_MISS,
        "something is missing from the cache",
        where=without_credentials(url),
        hint="run once without --offline, so that it is fetched",
    )


def refusal(url: str, status: int) -> SurroundingsError:
    """Return the error for an unusable response."""
    hint = ""
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.PROXY_AUTHENTICATION_REQUIRED):
        hint = "put the credentials into ~/.netrc, a keyring, or the index's URL in pip's configuration"
    return SurroundingsError(
        "index-error",
        f"{_host(url)} answers with HTTP status {status}",
        where=without_credentials(url),
        hint=hint,
    )


def no_listing(url: str, why: str) -> SurroundingsError:
    """Return the error for a page that is not an index's."""
    return SurroundingsError(
        "index-error",
        "the index's answer is not a list of files",
        where=without_credentials(url),
        why=why,
        hint="`pip config list` shows which indexes are set up; a proxy or a login may be in between",
    )


def no_file(url: str, status: int) -> SurroundingsError:
    """Return the error for a file that is not served."""
    if status == HTTPStatus.FORBIDDEN:
        error = refusal(url, status)
        policy = 'where it blocks this very file, leave its version out: constraints = ["NAME!=VERSION"]'
        return SurroundingsError(error.code, error.message, where=error.where, hint=f"{error.hint}; {policy}")
    if status not in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        return refusal(url, status)
    filename = urlsplit(url).path.rpartition("/")[2]
    return SurroundingsError(
        FILE_GONE,
        f"{unquote(filename)} is no longer at its address",
        where=without_credentials(url),
        why=f"HTTP status {status}",
        hint="ask for another version, or have the index or the address corrected",
    )


def seconds_to_wait(retry_after: str) -> float:
    """Read the ``Retry-After`` header, in seconds or as a date (RFC 9110, section 10.2.3)."""
    if retry_after.isdecimal():
        return float(retry_after)
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - with its imports a fiftieth of a warm solve

    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return 0.0


def unreachable(url: str, failure: Exception, proxy: str = "") -> SurroundingsError:
    """Return the error for a server that did not respond.

    Args:
        url: what was asked for.
        failure: what came instead.
        proxy: the proxy that was asked; empty for none.
    """
    if isinstance(failure, PassingError):
        return SurroundingsError(
            "index-error",
            f"{_host(url)} keeps answering with HTTP status {failure.status}",
            where=without_credentials(url),
            why=f"it asks to come back after {failure.wait_s:.0f} s" if failure.wait_s else "",
            hint="try again later; `pip config list` shows which indexes are set up",
        )
    reason, by = cause(failure), f", asked through the proxy {masked(proxy)}" if proxy else ""
    if "certificate" in reason:
        return SurroundingsError(
            _UNREACHABLE,
            f"{_host(url)} cannot prove its identity",
            where=without_credentials(url),
            why=f"{_with_days(reason)}{by}",
            hint=f"for this machine it is {today()}: if that is right, PIP_CERT=FILE names the authority "
            "of a server or proxy of your own; --offline works from the cache",
        )
    hint = "check the network and the proxy (HTTPS_PROXY); --offline works from the cache"
    if "Timeout" in type(failure).__name__:
        hint = f"PIP_TIMEOUT=60 waits longer for each answer; {hint}"
    return SurroundingsError(
        _UNREACHABLE,
        f"{_host(url)} cannot be reached",
        where=without_credentials(url),
        why=f"{type(failure).__name__}: {reason}{by}",
        hint=hint,
    )


def _with_days(text: str) -> str:
    """Return what the client reports about a certificate, with days in place of its seconds since 1970."""
    shorter = re.sub(r" \(\d+ seconds (ago|in future)\)| \(UNIX\)", "", text)
    return re.sub(
        r"\b\d{9,11}\b", lambda match: str(dt.datetime.fromtimestamp(int(match[0]), dt.UTC).date()), shorter
    )
