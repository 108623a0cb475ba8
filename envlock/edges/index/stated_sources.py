"""What the archives of sources state: their metadata, what building them needs, version and licence."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from envlock.analysis.core_metadata import Fields, to_metadata
from envlock.analysis.sdists.from_cython import FromCython
from envlock.analysis.sdists.linked_wheels import LinkedWheel, is_placeholder, linked_wheel
from envlock.analysis.sdists.sdist_metadata import read_build_requires, read_sdist_metadata
from envlock.analysis.sdists.source_versions import read_pyproject, stated_version
from envlock.analysis.sdists.translated_sources import from_cython
from envlock.edges.index.files import unstated
from envlock.edges.index.licence import read_licence
from envlock.edges.index.sdist_archive import read_metadata_files, read_packages
from envlock.edges.index.wheel_metadata import broken_file
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import DistFile
from envlock.model.published.metadata import Metadata


def archive_fields(path: Path, distribution: str, file: DistFile) -> tuple[Fields, FromCython]:
    """Return the stated fields of an sdist, and what its build has to do with Cython.

    Raises:
        SurroundingsError: it is not a whole archive; ``broken-file``: it is a placeholder, or stands for a
            wheel that its build does not fetch; ``metadata-needs-build``: it states no dependencies.
    """
    files = read_metadata_files(path)
    if is_placeholder(files.get("PKG-INFO", "").encode()):
        raise broken_file(file.filename, "it is a placeholder, whose build only fails with advice")
    linked = linked_wheel(read_pyproject(files))
    if linked is not None and not linked.fetched:
        raise _only_linked(file, linked)
    fields = read_sdist_metadata(files, distribution, partial(read_packages, path))
    if fields is None:
        raise unstated(file)
    return fields, from_cython(files, fields.build_requires)


def archive_linked_wheel(path: Path) -> LinkedWheel | None:
    """Return where the wheel is that an sdist stands for; ``None`` for an sdist of sources.

    Raises:
        SurroundingsError: it is not a whole archive.
    """
    return linked_wheel(read_pyproject(read_metadata_files(path)))


def _only_linked(file: DistFile, linked: LinkedWheel) -> SurroundingsError:
    index = f"the index {linked.index}" if linked.index else "another index"
    return broken_file(
        file.filename,
        f"it has no sources, and its build only says that the wheel is on {index}; add that as [[indexes]]",
    )


def archive_build_requires(path: Path, *, editable: bool) -> tuple[str, ...]:
    """Return what an sdist needs in its build environment, as far as it states that.

    Raises:
        SurroundingsError: it is not a whole archive.
    """
    nothing = Fields(requires_dist=(), requires_python="", provides_extra=())
    files, packages = read_metadata_files(path), partial(read_packages, path)
    return read_build_requires(files, nothing, packages, editable=editable)


def metadata_from_backend(fields: Fields, path: Path, *, editable: bool) -> Metadata:
    """Return the metadata of an sdist whose build backend has told its fields.

    With the dependencies known, its scripts tell more: which of them they import to build.

    Raises:
        SurroundingsError: it is not a whole archive.
    """
    files = read_metadata_files(path)
    stated = read_build_requires(files, fields, partial(read_packages, path), editable=editable)
    metadata = to_metadata(replace(fields, build_requires=stated))
    translated, translates = from_cython(files, stated)
    return replace(metadata, translated=translated, translates=translates)


def archive_version(path: Path) -> str:
    """Return the version that sources state, canonical; empty if only running their code would tell.

    Raises:
        SurroundingsError: it is not a whole archive.
    """
    return stated_version(read_metadata_files(path))


def archive_licence(path: Path) -> str:
    """Return the licence in the PKG-INFO at the top of a source tree; empty if there is none.

    Raises:
        SurroundingsError: it is not a whole archive.
    """
    return read_licence(read_metadata_files(path).get("PKG-INFO", "").encode())
