"""How a lock records the file of a pin by PEP 751: wheels, sdist, archive, directory or vcs."""

from __future__ import annotations

import datetime as dt

from packaging.utils import InvalidSdistFilename, parse_sdist_filename

from envlock.model.decode import Table
from envlock.model.path_parts import is_file_name, is_sha256
from envlock.model.project.package_sources import (
    REPOSITORY,
    filename_of,
    is_url,
    named_by,
    without_credentials,
)
from envlock.model.published.catalogue import DistFile, ListedBy

_TO_PROJECT = "../../"
"""The way from a lock's folder, ``locks/TARGET``, to the project's, to which manifest paths are relative."""


def encode_file(file: DistFile, name: str) -> dict[str, object]:
    """Return the keys of a package that identify its file, and its index where the manifest names one.

    Args:
        file: the file.
        name: the distribution's name.
    """
    url = without_credentials(
        file.url
    )  # locks are committed; names, passwords and tokens are each user's own
    if file.direct:
        if file.editable:
            return {"directory": {"path": _path(file.url), "editable": True}}
        if file.is_folder:
            return {"directory": {"path": _path(file.url).rstrip("/")}}
        if file.url.startswith(REPOSITORY):
            return {"vcs": _repository(url)}
        place = {"url": url} if is_url(url) else {"path": _TO_PROJECT + url}
        return {"archive": {**place, **_content(file)}}
    listed = {"index": file.index.url} if file.index is not None else {}
    if not _is_named_by_rule(file, name):
        return {**listed, "archive": {"url": url, **_content(file)}}
    entry = {"name": file.filename, "url": url, **_content(file)}
    return {**listed, **({"wheels": [entry]} if file.is_wheel else {"sdist": entry})}


def _is_named_by_rule(file: DistFile, name: str) -> bool:
    """Whether readers of PEP 751 take a file for the distribution's.

    Of sdists they take only those named by PEP 625. Indexes have older ones: ``foo-1.0.tar.bz2``, and
    ``foo-1.0-1.zip`` for 1.0.post1, which reads as release 1 of ``foo-1-0``.
    """
    if file.is_wheel:
        return True
    try:
        return parse_sdist_filename(file.filename)[0] == name
    except InvalidSdistFilename:
        return False


def _path(url: str) -> str:
    return url.removeprefix("file://") if is_url(url) else _TO_PROJECT + url


def _repository(url: str) -> dict[str, object]:
    place, _, fragment = url.removeprefix(REPOSITORY).partition("#")
    address, _, commit = place.rpartition("@")
    folder = fragment.removeprefix("subdirectory=")
    document: dict[str, object] = {"type": "git", "url": address, "commit-id": commit}
    return document | ({"subdirectory": folder} if folder else {})


def own_of_file(file: DistFile, name: str) -> dict[str, object]:
    """Return what PEP 751 has no key for: a file name not given by its URL, the hash of packed sources.

    An archive from an index gets its name, so that it is not mistaken for one that the manifest names.
    """
    if not file.direct and not _is_named_by_rule(file, name):
        return {"listed": file.filename}
    if not file.direct or file.editable:
        return {}
    if file.url.startswith(REPOSITORY) or file.is_folder:
        return {"file": file.filename, "sha256": file.sha256, "size": file.size}
    return {"file": file.filename} if filename_of(file.url) != file.filename else {}


def _content(file: DistFile) -> dict[str, object]:
    document: dict[str, object] = {}
    if file.upload_time is not None:
        document["upload-time"] = file.upload_time
    if file.size:
        document["size"] = file.size
    document["hashes"] = {"sha256": file.sha256}
    return document


def decode_file(package: Table, own: Table) -> DistFile:
    """Decode the file of a package; ``own`` is envlock's part of it.

    Raises:
        RequestError: it is not written as envlock writes it.
    """
    if package.has("directory"):
        return _decode_directory(package.table("directory"), own)
    if package.has("vcs"):
        return _packed(_repository_url(package.table("vcs")), own)
    archive, listed = package.has("archive"), own.text("listed", "")
    direct = archive and not listed
    wheels = list(package.tables("wheels"))
    table = package.table("archive") if archive else wheels[0] if wheels else package.table("sdist")
    url = _place(table) if direct else table.text("url")
    filename = own.text("file", filename_of(url)) if direct else listed or table.text("name")
    named = named_by(filename)
    if named is None and filename.endswith(".whl"):
        raise table.error(f"{filename!r} is not a wheel's file name", key="name")
    sha256 = table.table("hashes").text("sha256")
    _check_places(table, filename, sha256)
    upload = table.raw("upload-time") if table.has("upload-time") else None
    index = ListedBy(own.text("index"), package.text("index")) if package.has("index") else None
    return DistFile(
        filename=filename,
        url=url,
        sha256=sha256,
        size=table.integer("size", 0),
        upload_time=upload if isinstance(upload, dt.datetime) else None,
        tags=named.tags if named else frozenset(),
        build=named.build if named else (),
        index=index,
        direct=direct,
    )


def _decode_directory(table: Table, own: Table) -> DistFile:
    path = table.text("path")
    url = f"file://{path}" if path.startswith("/") else path.removeprefix(_TO_PROJECT)
    if table.flag("editable", default=False):
        return DistFile(filename=filename_of(url), url=url, sha256="", direct=True, editable=True)
    return _packed(f"{url}/", own)


def _repository_url(table: Table) -> str:
    folder = table.text("subdirectory", "")
    fragment = f"#subdirectory={folder}" if folder else ""
    return f"{REPOSITORY}{table.text('url')}@{table.text('commit-id')}{fragment}"


def _packed(url: str, own: Table) -> DistFile:
    """Return sources that are packed into the archive described in envlock's part."""
    filename, sha256 = own.text("file"), own.text("sha256")
    _check_places(own, filename, sha256)
    return DistFile(
        filename=filename,
        url=url,
        sha256=sha256,
        size=own.integer("size", 0),
        direct=True,
    )


def _check_places(table: Table, filename: str, sha256: str) -> None:
    """Refuse what the cache could not store: it keeps a file in a folder of its hash, under its name."""
    if not is_file_name(filename):
        raise table.error(f"{filename!r} is not a file name")
    if not is_sha256(sha256):
        raise table.error(f"{sha256!r} is not a sha256")


def _place(table: Table) -> str:
    if table.has("url"):
        return table.text("url")
    path = table.text("path")
    if not path.startswith(_TO_PROJECT):
        raise table.error(f"{path!r} does not begin with {_TO_PROJECT!r}, as a lock's paths do", key="path")
    return path.removeprefix(_TO_PROJECT)
