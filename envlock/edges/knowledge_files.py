"""Read a knowledge base from its folder of TOML documents."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import envlock
from envlock.edges.clock import today
from envlock.edges.files import parse_toml, read_bytes
from envlock.edges.git import list_at, read_at
from envlock.model.errors import RequestError
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder

_COMPONENTS = "components.toml"
_DETECTION = "detection.toml"
_COVERAGE = "coverage.toml"
_CONDA = "conda.toml"
NO_KNOWLEDGE = "no-knowledge"
"""The error code for a folder that holds no knowledge base."""
_SETTLED_NS = 2_000_000_000
"""The clocks behind file timestamps advance in steps of some milliseconds, and on FAT of two seconds."""
_FOLDERS = ("facts", "builds", "changes", "recipes", "removals", "running")


class Document(NamedTuple):
    """One document of a knowledge base.

    Attributes:
        name: its name inside the base, ``facts/mpi.toml``.
        file: where it is, for messages.
        content: its bytes.
    """

    name: str
    file: str
    content: bytes


def load_knowledge(directory: Path | None = None, overlays: Sequence[Path] = ()) -> Knowledge:
    """Read the knowledge base, every file once; its digest names the exact content of all files read.

    Args:
        directory: the base; by default the one shipped with the package.
        overlays: a site's own folders of the same layout, which add to the base in the order given.

    Raises:
        RequestError: a folder is missing, or a document is not TOML or not of the knowledge base's form.
    """
    found = collect(directory, overlays)
    return decode_tables(found, map(tables_of, found))


def collect(directory: Path | None, overlays: Sequence[Path]) -> tuple[Document, ...]:
    """Return the documents of a base and its overlays in decoding order, unparsed.

    Raises:
        RequestError: a folder is missing, or a document cannot be read.
    """
    roots = (directory or shipped_knowledge(), *overlays)
    return tuple(
        Document(name, str(path), read_bytes(path)) for root in roots for name, path in documents(root)
    )


def content_digest(found: Iterable[Document]) -> str:
    """Return a hash of the exact content of documents, wherever they lie."""
    digest = hashlib.sha256()
    for document in found:
        digest.update(f"{document.name}\0{len(document.content)}\0".encode())
        digest.update(document.content)
    return digest.hexdigest()


def load_knowledge_at(folder: Path, revision: str, path: str) -> Knowledge:
    """Read a knowledge base as it was at a revision of a git repository.

    Args:
        folder: a folder of the repository.
        revision: a commit, tag or branch.
        path: the base's folder, relative to the folder.

    Raises:
        RequestError: there is no repository, revision or knowledge base, or it is not of the right form.
        SurroundingsError: git does not answer.
    """
    present = list_at(folder, revision, path)
    names = _in_order(present)
    if not names:
        raise _nothing_here(f"{revision}:{path}")
    found = [
        Document(name, f"{revision}:{path}/{name}", read_at(folder, revision, f"{path}/{name}"))
        for name in names
    ]
    return decode_tables(found, map(tables_of, found))


def tables_of(document: Document) -> dict[str, object]:
    """Parse a document's TOML.

    Raises:
        RequestError: it is not TOML.
    """
    return parse_toml(document.content, Path(document.file))


def decode_tables(found: Sequence[Document], tables: Iterable[dict[str, object]]) -> Knowledge:
    """Decode documents in the order given, each from its tables, which are left unchanged.

    Raises:
        RequestError: one is not of the knowledge base's form.
    """
    decoder = KnowledgeDecoder()
    for document, its in zip(found, tables, strict=True):
        _decode(decoder, document, its)
    return decoder.finish(content_digest(found), today())


def decode_upon(decoder: KnowledgeDecoder, found: Iterable[Document]) -> None:
    """Decode documents in the order given, on top of those that a decoder has read before.

    Raises:
        RequestError: one is not TOML or not of the knowledge base's form.
    """
    for document in found:
        _decode(decoder, document, tables_of(document))


def shipped_knowledge() -> Path:
    """Return the folder of the knowledge base that came with the package, or with its checkout."""
    package = Path(envlock.__file__).resolve().parent
    inside = package / "knowledge"
    return inside if inside.is_dir() else package.parent / "knowledge"


def is_whole(root: Path) -> bool:
    """Whether a folder defines components itself, rather than only adding to another base."""
    return any(name == _COMPONENTS for name, _ in _entries(root))


def documents(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield one knowledge base's documents with their names relative to it, the components first.

    Raises:
        RequestError: there is no such folder, or no knowledge base in it.
    """
    names = _in_order(name for name, _ in _entries(root))
    if not names:
        raise _nothing_here(str(root))
    for name in names:
        yield name, root / name


def state_of_files(roots: Iterable[Path]) -> str:
    """Return a hash that changes whenever the documents of some bases do, without reading them.

    It is empty if there are none, or if one has changed so recently that its timestamps might not show a
    further change.
    """
    roots, states = tuple(roots), list[tuple[object, ...]]()
    latest = 0
    for root in roots:
        try:
            for name, entry in _entries(root):
                state = entry.stat()
                times = state.st_mtime_ns, state.st_ctime_ns
                latest = max(latest, *times)
                # Not its device number: it differs between nodes that mount one file system.
                states.append((roots.index(root), name, state.st_ino, state.st_size, times))
        except OSError:
            return ""
    if not states or time.time_ns() - latest < _SETTLED_NS:
        return ""
    states.sort(key=lambda row: row[:2])
    return hashlib.sha256(repr((roots, states)).encode()).hexdigest()


def _entries(root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield the TOML files in the folders of documents, with their names relative to the base."""
    for folder in ("", *_FOLDERS):
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(root / folder) as entries:
            for entry in entries:
                if entry.name.endswith(".toml") and entry.is_file():
                    yield f"{folder}/{entry.name}".lstrip("/"), entry


def _in_order(names: Iterable[str]) -> list[str]:
    """Return those names that are documents, in decoding order, the components first."""
    present = sorted(names)
    ordered = [_COMPONENTS] if _COMPONENTS in present else []
    for folder in _FOLDERS:
        ordered += [name for name in present if re.fullmatch(rf"{folder}/[^/]+\.toml", name)]
    return ordered + [name for name in (_DETECTION, _CONDA, _COVERAGE) if name in present]


def _nothing_here(where: str) -> RequestError:
    return RequestError(
        NO_KNOWLEDGE,
        "there is no knowledge base here",
        where=where,
        hint=f"a knowledge base has {_COMPONENTS} and the folders {', '.join(_FOLDERS)}; "
        "of a site's own a single file in one of these is enough, such as facts/ours.toml",
    )


def _decode(decoder: KnowledgeDecoder, document: Document, tables: dict[str, object]) -> None:
    decode = {
        _COMPONENTS: decoder.components,
        "facts": decoder.facts,
        "builds": decoder.builds,
        "changes": decoder.changes,
        "recipes": decoder.recipes,
        "removals": decoder.removals,
        "running": decoder.running,
        _DETECTION: decoder.detection,
        _CONDA: decoder.conda,
        _COVERAGE: decoder.covers,
    }[document.name.partition("/")[0]]
    decode(tables, document.file)
