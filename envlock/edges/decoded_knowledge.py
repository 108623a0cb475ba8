"""The knowledge base in decoded form, kept between runs: decoding all facts takes longer than most solves.

The key holds all that decoding rests on: the content and place of every document, the day, and the code that
decodes, so that what is kept is never stale.
"""

from __future__ import annotations

import copyreg
import datetime as dt
import hashlib
import pickle
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import envlock.model
from envlock.edges.cache import Cache
from envlock.edges.knowledge_files import collect, content_digest, decode_documents
from envlock.model.errors import SurroundingsError
from envlock.model.knowledge import Knowledge

_KIND = "decoded-knowledge"


def _unchangeable(table: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(table)


copyreg.pickle(MappingProxyType, lambda table: (_unchangeable, (dict(table),)))


def load_decoded(cache: Cache, overlays: Sequence[Path] = ()) -> Knowledge:
    """The knowledge base as ``load_knowledge`` reads it.

    Args:
        cache: where it is kept; one that cannot be written to is as good as none.
        overlays: a site's own folders.

    Raises:
        RequestError: as ``load_knowledge``.
    """
    documents = collect(None, overlays)
    places = [one.file for one in documents]
    key = f"{content_digest(documents)} {places} {dt.datetime.now(dt.UTC).date()} {_code()}"
    kept = cache.read(_KIND, key)
    if isinstance(kept, bytes):
        knowledge: Knowledge = pickle.loads(kept)  # noqa: S301 - our own bytes, as their checksum says
        return knowledge
    knowledge = decode_documents(documents)
    with suppress(SurroundingsError):
        cache.write(_KIND, key, pickle.dumps(knowledge, pickle.HIGHEST_PROTOCOL))
    return knowledge


def _code() -> str:
    """Names the state of the modules that decode."""
    folder = Path(envlock.model.__file__).parent
    states = [(path.name, path.stat()) for path in sorted(folder.glob("*.py"))]
    text = " ".join(f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states)
    return hashlib.sha256(text.encode()).hexdigest()
