"""Where a manifest takes distributions from: further indexes, and files and folders of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from packaging.tags import Tag
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    parse_sdist_filename,
    parse_wheel_filename,
)

from envlock.model.frozen import dataclass

REPOSITORY = "git+"
"""The prefix of a repository's URL, as in pip."""

_HOST = r"(\[[\w:.%]+\]|[^\[\]:]*)(:(?P<port>[0-9]{0,5}))?"
_LAST_PORT = 65535
_CREDENTIALS = re.compile(r"\A(?!(?i:(?:git\+)?ssh:))([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@")
"""Matches the name and password of an address; the name in ``ssh://git@host`` is the same for everybody."""
_PASSWORD = re.compile(r"\A((?:git\+)?ssh://[^/?#:@]*):[^/?#]*@", re.IGNORECASE)
"""Matches the password of such an address."""
PASSWORD = re.compile(r"[\w+]+://[^/@]*:[^/@]*@")
"""Matches the start of an address with a password in it."""
SECRET_PARAMETER = re.compile(
    r"(?<=[?&])(?:[\w.-]*[._-])?(?:token|secret|passw(?:or)?d|(?:api|access)[_-]?key|sig|signature|credential)"
    r"=[^&#\s]*&?",
    re.IGNORECASE,
)
"""Matches a parameter that lets its bearer in, such as ``token=...`` or ``X-Amz-Signature=...``."""

ARCHIVES = (".tar.gz", ".tgz", ".zip")
"""The file name endings of source archives."""

PIP = "pip"
"""The name that stands for the indexes and links of pip's configuration as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedIndex:
    """An index named in the manifest.

    Attributes:
        name: the name by which ``[sources]`` and locks refer to it.
        url: its URL (PEP 503), without a trailing slash; it may have a user name, but never a password.
        explicit: whether it is only searched for distributions that ``[sources]`` assigns to it.
    """

    name: str
    url: str
    explicit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """A file, folder or repository that the manifest names for a distribution in place of an index.

    Attributes:
        distribution: the name on the index, canonical.
        place: a URL (https, http, file), a repository's URL (``git+https://host/name@revision``), or a path
            relative to the project's folder; it ends with a slash for a folder whose content counts.
        sha256: the hash given in the manifest; empty for none.
        editable: whether it is a folder of sources whose changes take effect at once.
        text: as the user wrote it.
        subdirectory: where in a repository the sources are; empty for its top.
        version: the version, where the manifest gives it for sources that do not.
    """

    distribution: str
    place: str
    sha256: str
    editable: bool
    text: str
    subdirectory: str = ""
    version: str = ""

    @property
    def is_repository(self) -> bool:
        """Whether it is a repository."""
        return self.place.startswith(REPOSITORY)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder whose content counts as it is at a solve."""
        return is_folder(self.place)

    @property
    def filename(self) -> str:
        """The name of the file or folder; the distribution's for a folder written without, as ``.``."""
        return filename_of(self.place) or self.distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageSources:
    """Everything that a manifest states about where distributions come from.

    Attributes:
        indexes: its indexes, in the order in which they are asked.
        pinned: distribution (canonical) -> the only index it comes from.
        direct: distribution (identifier) -> the file or folder that it comes from.
        build_metadata: whether build backends may be asked for dependencies that an sdist does not declare.
    """

    indexes: tuple[NamedIndex, ...]
    pinned: Mapping[str, str]
    direct: Mapping[str, Direct]
    build_metadata: bool = True

    def document(self) -> dict[str, object]:
        """The part of this that determines a lock; empty where the manifest states nothing."""
        indexes = [[index.name, index.url, index.explicit] for index in self.indexes]
        direct = {
            name: [one.place, one.sha256, one.editable, *filter(None, (one.subdirectory, one.version))]
            for name, one in self.direct.items()
        }
        found: dict[str, object] = {"indexes": indexes, "pinned": dict(self.pinned), "direct": direct}
        found |= {} if self.build_metadata else {"no-build-metadata": True}
        return {"sources": found} if any(found.values()) else {}


NO_SOURCES = PackageSources(indexes=(), pinned=MappingProxyType({}), direct=MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedBy:
    """What a file's name says about it; an sdist has no tags."""

    distribution: str
    version: str
    tags: frozenset[Tag]
    build: tuple[int, str] | tuple[()]


def named_by(filename: str) -> NamedBy | None:
    """Parse the name of a wheel or an sdist; ``None`` for any other name."""
    try:
        if filename.endswith(".whl"):
            name, version, build, tags = parse_wheel_filename(filename)
            return NamedBy(distribution=name, version=str(version), tags=tags, build=build)
        name, version = parse_sdist_filename(filename)
    except (InvalidWheelFilename, InvalidSdistFilename):
        return None
    return NamedBy(distribution=name, version=str(version), tags=frozenset(), build=())


def without_credentials(url: str) -> str:
    """Return the URL without ``name:password@`` and parameters such as ``?token=...``."""
    address = without_name(url)
    place, fragment, part = SECRET_PARAMETER.sub("", address).partition("#")
    return address if "?" not in address else place.rstrip("?&") + fragment + part


def without_name(url: str) -> str:
    """Return the URL without ``name:password@``, with all of its parameters; ssh keeps its name."""
    return _CREDENTIALS.sub(r"\1", _PASSWORD.sub(r"\1@", url))


def masked(text: str) -> str:
    """Return what may be shown of a text that is not an address: nobody knows where a password in it ends."""
    shown = without_credentials(text)
    _, at, rest = shown.rpartition("@")
    return f"...@{rest}" if at else shown


def is_url(place: str) -> bool:
    """Whether a place is a URL rather than a path relative to the project's folder."""
    return place.startswith(("https://", "http://", "file:", REPOSITORY))


def is_address(url: str) -> bool:
    """Whether a URL's host and port are valid: those of ``http://[::1`` and ``http://host:99999`` are not."""
    whole = re.match(r"[\w+.-]+://([^/?#]*)", url)
    host = re.fullmatch(_HOST, whole[1].rpartition("@")[2]) if whole else None
    return whole is None or (host is not None and int(host["port"] or 0) <= _LAST_PORT)


def is_folder(place: str) -> bool:
    """Whether a place is a source folder whose content counts; an editable one has no trailing slash."""
    return place.endswith("/")


def filename_of(place: str) -> str:
    """Return the last part of a URL or a path."""
    name = PurePosixPath(place.partition("?")[0] if is_url(place) else place).name
    return re.sub(r"%([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), name) if is_url(place) else name
