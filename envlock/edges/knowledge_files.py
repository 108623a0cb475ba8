"""Reading a knowledge base from its folder of TOML documents."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import envlock
from envlock.model.errors import RequestError
from envlock.model.knowledge import Knowledge
from envlock.model.knowledge_codec import KnowledgeDecoder

_COMPONENTS = "components.toml"
_COVERAGE = "coverage.toml"
_FOLDERS = ("facts", "builds", "changes", "recipes")


def load_knowledge(directory: Path | None = None, overlays: Sequence[Path] = ()) -> Knowledge:
    """Read the knowledge base, every file once; its digest names the exact content of all files read.

    Args:
        directory: the base; by default the one shipped with the package.
        overlays: a site's own folders of the same layout, which add to the base in the order given.

    Raises:
        RequestError: a folder is missing, or a document is not TOML or not of the knowledge base's form.
    """
    decoder = KnowledgeDecoder()
    digest = hashlib.sha256()
    for root in (directory or shipped_knowledge(), *overlays):
        for name, path in documents(root):
            content = _read(path)
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
            _decode(decoder, name, parse_toml(content, path), str(path))
    return decoder.finish(digest.hexdigest())


def shipped_knowledge() -> Path:
    """The folder of the knowledge base that came with the package, or with its checkout."""
    package = Path(envlock.__file__).resolve().parent
    inside = package / "knowledge"
    return inside if inside.is_dir() else package.parent / "knowledge"


def documents(root: Path) -> Iterator[tuple[str, Path]]:
    """The documents of one knowledge base with their names relative to it, names of components first.

    Raises:
        RequestError: there is no such folder, or nothing of a knowledge base in it.
    """
    paths = [root / _COMPONENTS]
    for folder in _FOLDERS:
        paths += sorted((root / folder).glob("*.toml"))
    paths.append(root / _COVERAGE)
    present = [path for path in paths if path.is_file()]
    if not present:
        raise RequestError(
            "no-knowledge",
            "there is no knowledge base here",
            where=str(root),
            hint=f"a knowledge base has {_COMPONENTS} and the folders {', '.join(_FOLDERS)}",
        )
    for path in present:
        yield path.relative_to(root).as_posix(), path


def parse_toml(content: bytes, path: Path) -> Mapping[str, object]:
    """Parse one TOML document.

    Raises:
        RequestError: it is not UTF-8, or not TOML; the message has the line and column.
    """
    try:
        return tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RequestError(
            "invalid-toml", "the file is not valid TOML", where=str(path), why=str(error)
        ) from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RequestError(
            "unreadable-knowledge",
            "a file of the knowledge base cannot be read",
            where=str(path),
            why=error.strerror or str(error),
        ) from error


def _decode(decoder: KnowledgeDecoder, name: str, document: Mapping[str, object], file: str) -> None:
    kind = name.partition("/")[0]
    decode = {
        _COMPONENTS: decoder.components,
        "facts": decoder.facts,
        "builds": decoder.builds,
        "changes": decoder.changes,
        "recipes": decoder.recipes,
        _COVERAGE: decoder.covers,
    }[kind]
    decode(document, file)
