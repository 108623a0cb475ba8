"""Where a manifest says that distributions come from: further indexes, and files and folders of its own."""

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
"""How the place of a repository begins, as in pip."""

_HOST = r"(\[[\w:.%]+\]|[^\[\]:]*)(:(?P<port>[0-9]{0,5}))?"
_LAST_PORT = 65535

ARCHIVES = (".tar.gz", ".tgz", ".zip")
"""How archives of sources end."""

PIP = "pip"
"""The name that stands for the indexes and links of pip's configuration together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedIndex:
    """An index of the manifest.

    Attributes:
        name: the name that ``[sources]`` and locks call it by.
        url: where it is (PEP 503), without a slash at the end; perhaps with a user's name, never a password.
        explicit: whether only distributions that ``[sources]`` names are looked for on it.
    """

    name: str
    url: str
    explicit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """One file, folder or repository that the manifest names for a distribution in place of any index.

    Attributes:
        distribution: the name on the index, canonical.
        place: a URL (https, http, file), that of a repository (``git+https://host/name@revision``), or a path
            seen from the project's folder; that of a folder whose content counts ends with a slash.
        sha256: the hash that the manifest tells; empty for none.
        editable: whether it is a folder of sources, whose changes count at once.
        text: as the user wrote it.
        subdirectory: where in a repository the sources lie; empty for its top.
        version: the version, where the manifest tells it for sources that do not.
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
        """Whether it is a folder whose content counts, as it is at a solve."""
        return is_folder(self.place)

    @property
    def filename(self) -> str:
        """The file's name, or the folder's."""
        return filename_of(self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageSources:
    """All that a manifest says of the places that distributions come from.

    Attributes:
        indexes: its indexes, in the order in which they are asked.
        pinned: distribution (canonical) -> the one index it comes from.
        direct: distribution (identifier) -> the file or folder that it comes from.
        build_metadata: whether build backends may be asked for dependencies that an sdist does not state.
    """

    indexes: tuple[NamedIndex, ...]
    pinned: Mapping[str, str]
    direct: Mapping[str, Direct]
    build_metadata: bool = True

    def document(self) -> dict[str, object]:
        """What a lock is an answer to, of this; empty where the manifest says nothing."""
        indexes = [[one.name, one.url, one.explicit] for one in self.indexes]
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
    """What a file's name says of it; an sdist has no tags."""

    distribution: str
    version: str
    tags: frozenset[Tag]
    build: tuple[int, str] | tuple[()]


def named_by(filename: str) -> NamedBy | None:
    """What the name of a wheel or an sdist says; ``None`` for any other name."""
    try:
        if filename.endswith(".whl"):
            name, version, build, tags = parse_wheel_filename(filename)
            return NamedBy(distribution=name, version=str(version), tags=tags, build=build)
        name, version = parse_sdist_filename(filename)
    except (InvalidWheelFilename, InvalidSdistFilename):
        return None
    return NamedBy(distribution=name, version=str(version), tags=frozenset(), build=())


def is_url(place: str) -> bool:
    """Whether a place is a URL rather than a path seen from the project's folder."""
    return place.startswith(("https://", "http://", "file:", REPOSITORY))


def is_address(url: str) -> bool:
    """Whether somebody can be asked at a URL: ``http://[::1`` and ``http://host:99999`` are nobody's."""
    whole = re.match(r"[\w+.-]+://([^/?#]*)", url)
    host = re.fullmatch(_HOST, whole[1].rpartition("@")[2]) if whole else None
    return whole is None or (host is not None and int(host["port"] or 0) <= _LAST_PORT)


def is_folder(place: str) -> bool:
    """Whether a place is a folder of sources whose content counts; editable ones have no slash at the end."""
    return place.endswith("/")


def filename_of(place: str) -> str:
    """The last part of a URL or a path."""
    name = PurePosixPath(place.partition("?")[0] if is_url(place) else place).name
    return re.sub(r"%([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), name) if is_url(place) else name
