"""Decoding of ``[[indexes]]`` and ``[sources]``, and of files that requirements name directly."""

from __future__ import annotations

import posixpath
import re
from hashlib import algorithms_available
from pathlib import PurePosixPath
from types import MappingProxyType

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.path_parts import is_sha256
from envlock.model.project.package_sources import (
    ARCHIVES,
    PASSWORD,
    PIP,
    SECRET_PARAMETER,
    Direct,
    NamedIndex,
    PackageSources,
    filename_of,
    is_address,
    is_url,
    masked,
    named_by,
)

_REPOSITORY = r"(git|hg|svn|bzr)\+"
_GIT = r"git\+(https?|ssh|file)://[^-].*"
_INDEX_NAME = r"[a-z0-9][a-z0-9._-]*"


def decode_sources(root: Table, knowledge: Knowledge) -> PackageSources:
    """Decode both tables.

    Raises:
        RequestError: a key, a URL or a name is wrong.
    """
    indexes = tuple(_decode_index(table) for table in root.tables("indexes"))
    names = [index.name for index in indexes]
    table = root.table("sources")
    for name in names:
        if names.count(name) > 1 or name == PIP:
            taken = "is that of pip's configuration" if name == PIP else "is given twice"
            raise root.error(f"the name {name!r} {taken}", key="indexes", hint="choose another one")
    pinned, direct = dict[str, str](), dict[str, Direct]()
    for name in table.names():
        found = _decode_source(table, name, (*names, PIP))
        if isinstance(found, str):
            pinned[canonicalize_name(name)] = found
        else:
            direct[knowledge.distribution(name)] = found
    table.done()
    return PackageSources(
        indexes=indexes,
        pinned=MappingProxyType(pinned),
        direct=MappingProxyType(direct),
        build_metadata=root.flag("build-metadata", default=True),
    )


def _decode_index(table: Table) -> NamedIndex:
    index = NamedIndex(
        name=table.text("name"),
        url=_safe(table, "url", table.text("url")).rstrip("/"),
        explicit=table.flag("explicit", default=False),
    )
    if not re.fullmatch(_INDEX_NAME, index.name):
        raise table.error(
            f"{index.name!r} is not a name for an index", key="name", hint='such as "pytorch-cu118"'
        )
    if not is_url(index.url):
        raise table.error(
            f"{masked(index.url)!r} is not a URL", key="url", hint="begin it with https:// or file://"
        )
    table.done()
    return index


def _decode_source(table: Table, name: str, indexes: tuple[str, ...]) -> str | Direct:
    if isinstance(table.raw(name), str):
        return _known(table, name, table.text(name), indexes)
    entry = table.table(name)
    written = [key for key in ("index", "path", "url") if entry.has(key)]
    if len(written) != 1:
        places = '{ path = "./file-1.0.whl" }, { url = "https://..." } or { url = "git+https://...@TAG" }'
        hint = f'write "INDEX", {{ index = "INDEX" }}, {places}'
        raise table.error(f"the source of {name!r} must be one place", key=name, hint=hint)
    if written == ["index"]:
        index = _known(entry, "index", entry.text("index"), indexes)
        entry.done()
        return index
    place = entry.text(written[0])
    editable = entry.flag("editable", default=False)
    direct = decode_direct(
        entry,
        written[0],
        place,
        name,
        sha256=entry.text("sha256", ""),
        editable=editable,
        version=entry.text("version", ""),
        text=place,
    )
    entry.done()
    return direct


def _known(table: Table, key: str, index: str, indexes: tuple[str, ...]) -> str:
    if index not in indexes:
        hint = f"indexes: {', '.join(indexes)}; add [[indexes]] with name and url"
        raise table.error(f"there is no index {index!r}", key=key, hint=hint)
    return index


def is_path(text: str) -> bool:
    """Whether a requirement is the bare path of a file."""
    return text.startswith(("./", "../", "/"))


def name_of_file(table: Table, key: str, text: str) -> str:
    """Return the distribution to which the file at a bare path belongs.

    Raises:
        RequestError: the file name is not that of a wheel or an sdist.
    """
    named = named_by(filename_of(text.partition("#")[0]))
    if named is None:
        hint = (
            f"write NAME @ {text}; for a folder that is edited, [sources] NAME = {{ path, editable = true }}"
        )
        raise table.error(f"{text!r} does not say which distribution it is", key=key, hint=hint)
    return named.distribution


def decode_direct(
    table: Table,
    key: str,
    place: str,
    name: str,
    *,
    text: str,
    sha256: str = "",
    editable: bool = False,
    version: str = "",
) -> Direct:
    """Decode the file, folder or repository that a place names for a distribution.

    Args:
        table: where it is written, for errors.
        key: the key under which it is written.
        place: a URL or a path, perhaps with ``#sha256=...``; for a repository, with ``#subdirectory=...``.
        name: the distribution's name.
        text: what the user wrote.
        sha256: the hash, where it is given separately.
        editable: whether it is a folder whose changes take effect at once.
        version: the version of sources that do not declare theirs.

    Raises:
        RequestError: it is no such place, or belongs to another distribution.
    """
    place, _, fragment = place.partition("#")
    hashes = dict(part.partition("=")[::2] for part in fragment.split("&") if "=" in part)
    sha256 = (sha256 or hashes.get("sha256", "")).lower()
    if sha256 and not is_sha256(sha256):
        raise table.error(f"{sha256!r} is not a sha256", key=key, hint="64 hexadecimal digits")
    if not sha256 and (other := next((name for name in hashes if name in algorithms_available), "")):
        hint = "write #sha256=..., or leave the hash out: the lock records that of the file as it is"
        raise table.error(f"the file's {other} would not be checked", key=key, hint=hint)
    repository = re.match(_REPOSITORY, _safe(table, key, place)) is not None
    place = place if repository else _normal(place)
    if repository:
        _check_repository(table, key, place, sha256)
    elif hashes.get("subdirectory"):
        hint = "name the repository itself: git+https://...@COMMIT#subdirectory=..."
        raise table.error("an archive cannot have a subdirectory", key=key, hint=hint)
    elif editable and is_url(place) and not place.startswith("file:"):
        raise table.error(
            "only a folder can be editable", key=key, hint='write { path = "./src", editable = true }'
        )
    elif not editable and _names_folder(place):
        place = _folder(table, key, place, sha256)
    elif not editable:
        _check_file(table, key, place, name)
    return Direct(
        distribution=canonicalize_name(name),
        place=place,
        sha256=sha256,
        editable=editable,
        text=text,
        subdirectory=hashes.get("subdirectory", "").strip("/"),
        version=version and _version(table, version),
    )


def _version(table: Table, text: str) -> str:
    try:
        return str(Version(text))
    except InvalidVersion:
        raise table.error(f"{text!r} is not a version", key="version", hint='such as "1.0"') from None


def _check_repository(table: Table, key: str, place: str, sha256: str) -> None:
    if not re.fullmatch(_GIT, place):
        hint = "write git+https://HOST/NAME@COMMIT, git+ssh:// or git+file://, or name an archive"
        raise table.error(f"{place!r} is not a git repository that can be read", key=key, hint=hint)
    if sha256:
        hint = "name its commit instead: git+https://HOST/NAME@COMMIT"
        raise table.error("a repository has no sha256", key=key, hint=hint)


def _normal(place: str) -> str:
    if is_url(place):
        return place
    return PurePosixPath(place).as_uri() if place.startswith("/") else posixpath.normpath(place)


def _names_folder(place: str) -> bool:
    """Whether a place on this machine has none of the names by which files are recognised."""
    name = filename_of(place)
    here = not is_url(place) or place.startswith("file:")
    return here and named_by(name) is None and not name.endswith((".whl", *ARCHIVES))


def _folder(table: Table, key: str, place: str, sha256: str) -> str:
    if sha256:
        hint = "leave it out: the lock has the hash of what the folder holds at a solve"
        raise table.error("a folder has no sha256", key=key, hint=hint)
    return place.rstrip("/") + "/"


def _check_file(table: Table, key: str, place: str, name: str) -> None:
    filename = filename_of(place)
    named = named_by(filename)
    if filename.endswith(ARCHIVES) and (named is None or "archive" in PurePosixPath(place).parts):
        return  # an archive of a repository is named after its revision, which may look like anything
    if named is None:
        hint = "name a file such as foo-1.0-py3-none-any.whl or foo-1.0.tar.gz, or a folder of this machine"
        raise table.error(f"{filename!r} is the name of neither a wheel nor an sdist", key=key, hint=hint)
    if named.distribution != canonicalize_name(name):
        by_name = f"write it under {named.distribution} in [sources]"
        hint = f"write {named.distribution} @ {place}" if key == "requires" else by_name
        raise table.error(f"{filename!r} is not a file of {name!r}", key=key, hint=hint)


def _safe(table: Table, key: str, url: str) -> str:
    """Refuse invalid addresses, passwords and tokens, since manifests and locks are committed.

    Raises:
        RequestError: the URL is invalid, or has a password or a token.
    """
    if "://" in url and not is_url(url) and not re.match(_REPOSITORY, url):
        hint = "write https://..., or git+ssh://... for a repository, or fetch the file and name its path"
        raise table.error(f"nothing is fetched from {masked(url)!r}", key=key, hint=hint)
    if not is_address(url):
        hint = "write https://HOST/..., an IPv6 address in [ ], and a port up to 65535"
        raise table.error(f"{masked(url)!r} is not an address", key=key, hint=hint)
    if PASSWORD.match(url):
        hint = "put name and password into ~/.netrc, or only the name here and the password into a keyring"
        raise table.error("a URL in the manifest must not contain a password", key=key, hint=hint)
    if SECRET_PARAMETER.search(url):
        hint = "put a name and the token into ~/.netrc, or fetch the file yourself and name its path"
        raise table.error("a URL in the manifest must not contain a token", key=key, hint=hint)
    return url


def refuse_option(table: Table, key: str, text: str) -> RequestError:
    """Return the error for one of pip's options (``-e ./src``, ``-r requirements.txt``) as a requirement."""
    hint = "write requirements alone; for indexes and links see [[indexes]] and [sources]"
    if text.startswith(("-e", "--editable")):
        hint = 'write NAME here, and [sources] NAME = { path = "./src", editable = true }'
    elif text.startswith(("-r", "--requirement")):
        hint = "envlock init --from FILE imports a requirements file"
    elif text.startswith(("-c", "--constraint")):
        hint = 'write them out: constraints = ["numpy<2"]'
    return table.error(f"{text!r} is an option of pip", key=key, hint=hint)
