"""Which indexes apply: read from pip's own configuration, so that a site sets them up once.

The files, their order and the ``PIP_*`` variables follow pip's documentation
(https://pip.pypa.io/en/stable/topics/configuration/). pip's own reader is not used because importing it takes
some 70 ms, ten times as long as the reading; a test compares the two.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pip._internal.models.index import PyPI

from envlock.edges.files import personal_path
from envlock.edges.visible import is_folder, is_there
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.project.package_sources import is_address, masked

USUAL_INDEX = PyPI.simple_url
"""The main index where nobody configures another one."""
_SECTIONS = ("global", "install")
"""Sections that count; later ones take precedence. envlock looks for what ``pip install`` would find."""
_AUTHORITIES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables of the library by which pip makes its requests; they count where pip's option ``cert`` is unset
(https://requests.readthedocs.io/en/latest/user/advanced/#ssl-cert-verification)."""

_TRUE = frozenset({"1", "true", "yes", "on", "y", "t"})


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexConfiguration:
    """Where distributions come from.

    Attributes:
        index_url: the main index (PEP 503), without a trailing slash; empty if none may be asked.
        extra_index_urls: further indexes, asked besides the main one.
        find_links: folders, files and pages of links: paths, ``file:`` or ``http`` URLs.
        cert: a file or folder of authorities to trust besides the system's; empty for those alone.
        client_cert: a file with the client's own certificate and key; empty for none.
        proxy: the proxy's URL; empty for the environment's (``HTTPS_PROXY``).
        trusted_hosts: hosts (``name`` or ``name:port``) whose certificates are not checked.
        timeout_s: how many seconds to wait for an answer.
        retries: how often to repeat a failed request.
        keyring: whether the program ``keyring`` may be asked for a password.
    """

    index_url: str
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    cert: str = ""
    client_cert: str = ""
    proxy: str = ""
    trusted_hosts: tuple[str, ...] = ()
    timeout_s: float = 15.0
    retries: int = 5
    keyring: bool = True


def read_pip_configuration(environment: Mapping[str, str] | None = None) -> IndexConfiguration:
    """Read pip's files and variables; the default for the main index is the client library's own.

    Raises:
        RequestError: a file or a value cannot be read, or an index's address is none.
    """
    environment = os.environ if environment is None else environment
    sections: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for file in configuration_files(environment):
        for section, found in _read_file(file).items():
            sections[section] |= found
    options: dict[str, str] = {}
    for found in (*sections.values(), _read_variables(environment)):
        options |= found
    alone = options.get("no-index", "").lower() in _TRUE
    extra = () if alone else _words(options, "extra-index-url")
    return IndexConfiguration(
        index_url="" if alone else _index("index-url", options.get("index-url", USUAL_INDEX)),
        extra_index_urls=tuple(_index("extra-index-url", url) for url in extra),
        find_links=tuple(_address("find-links", word) for word in _words(options, "find-links")),
        cert=options.get("cert") or next(filter(None, map(environment.get, _AUTHORITIES)), ""),
        client_cert=options.get("client-cert", ""),
        proxy=options.get("proxy", ""),
        trusted_hosts=_words(options, "trusted-host"),
        timeout_s=_number(options, "timeout", _number(options, "default-timeout", 15.0)),
        retries=int(_number(options, "retries", 5)),
        keyring=options.get("keyring-provider", "auto") != "disabled",
    )


def proxy_for(url: str, configured: str) -> str:
    """Return the proxy that the client asks for a URL, for messages; empty for none.

    Args:
        url: the URL.
        configured: the proxy of pip's configuration, which goes first.
    """
    parts, named = urlsplit(url), {name.lower(): value for name, value in os.environ.items()}
    spared = [part.strip().lstrip(".") for part in named.get("no_proxy", "").split(",")]
    host = parts.hostname or ""
    if configured or any(
        domain == "*" or (domain and f".{host}".endswith(f".{domain}")) for domain in spared
    ):
        return configured
    return named.get(f"{parts.scheme}_proxy") or named.get("all_proxy", "")


def configuration_files(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return pip's files, later ones taking precedence: site's, user's, environment's, and the chosen one."""
    chosen = environment.get("PIP_CONFIG_FILE", "")
    if chosen == os.devnull:
        return ()
    shared = environment.get("XDG_CONFIG_DIRS", "") or "/etc/xdg"
    home = Path(environment.get("HOME", "")) if environment.get("HOME") else personal_path("~")
    personal = environment.get("XDG_CONFIG_HOME", "")
    folders = [
        *(Path(folder) / "pip" for folder in shared.split(os.pathsep) if folder),
        Path("/etc"),
        home / ".pip",
        (Path(personal) if personal else home / ".config") / "pip",
        Path(sys.prefix),
    ]
    files = [folder / "pip.conf" for folder in folders]
    return (*files, Path(chosen)) if chosen else tuple(files)


def _read_file(file: Path) -> dict[str, dict[str, str]]:
    """Return the options of a file by section; none if the file is missing."""
    if not is_there(file):
        return {}
    import configparser  # noqa: PLC0415 - most machines configure pip by variables or not at all

    parser = configparser.RawConfigParser()
    try:
        parser.read(file)
    except (configparser.Error, UnicodeDecodeError) as error:
        raise RequestError(
            "invalid-pip-configuration",
            "pip's configuration cannot be read",
            where=str(file),
            why=str(error).splitlines()[0],
            hint="correct the file; `pip config debug` lists the files that count",
        ) from None
    return {
        section: {_key(name): value for name, value in parser.items(section) if value}
        for section in _SECTIONS
        if parser.has_section(section)
    }


def _read_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return ``PIP_FIND_LINKS=...`` and the like; like pip, take an empty variable as unset."""
    return {
        _key(name.removeprefix("PIP_")): value
        for name, value in environment.items()
        if name.startswith("PIP_") and value
    }


def _index(option: str, text: str) -> str:
    """Return the URL of an index without a trailing slash; like pip, accept a path as well.

    Raises:
        RequestError: it is not a usable address.
    """
    if not text.startswith(("https://", "http://", "file:")):
        path = personal_path(text)
        if "://" in text or not is_folder(path):
            raise RequestError(
                "invalid-pip-configuration",
                f"pip's option {option!r} is not an index's address: {masked(text)!r}",
                hint="begin it with https:// or file://; `pip config debug` lists where it is set",
            )
        text = path.absolute().as_uri()
    return _address(option, text).rstrip("/")


def _address(option: str, text: str) -> str:
    """Return a text that is no URL of a host, or one whose host and port are valid.

    Raises:
        RequestError: host or port are not.
    """
    if not is_address(text):
        raise RequestError(
            "invalid-pip-configuration",
            f"pip's option {option!r} is not an index's address: {masked(text)!r}",
            hint="IPv6 addresses stand in [ ], ports end at 65535; `pip config debug` lists where it is set",
        )
    return text


def _key(name: str) -> str:
    return name.lower().replace("_", "-").removeprefix("--")


def _words(options: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Return an option's values, which are separated by line breaks or spaces."""
    return tuple(dict.fromkeys(options.get(name, "").split()))


def _number(options: Mapping[str, str], name: str, default: float) -> float:
    try:
        number = float(options.get(name, default))
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise RequestError(
            "invalid-pip-configuration",
            f"pip's option {name!r} is not a number of 0 or more: {options[name]!r}",
            hint="`pip config debug` lists where it is set",
        )
    return number
