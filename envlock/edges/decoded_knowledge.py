"""The knowledge base in decoded form, kept between runs: decoding all facts takes longer than most solves.

The key holds all that decoding rests on: the content and place of every document, the day, and the code that
decodes, so that what is kept is never stale. The shipped base is part of the program, and lies decoded beside
it where that can be written to, as Python's bytecode does; with a site's overlays it is in the user's cache.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from envlock.edges.cache import Cache
from envlock.edges.decoded import code, packed, unpacked
from envlock.edges.knowledge_files import collect, content_digest, decode_documents, shipped_knowledge
from envlock.model.errors import SurroundingsError
from envlock.model.knowledge import Knowledge

_KIND = "decoded-knowledge-1"


def load_decoded(cache: Cache, overlays: Sequence[Path] = ()) -> Knowledge:
    """The knowledge base as ``load_knowledge`` reads it.

    Args:
        cache: where it is kept; one that cannot be written to is as good as none.
        overlays: a site's own folders.

    Raises:
        RequestError: as ``load_knowledge``.
    """
    documents = collect(None, overlays)
    files = [one.file for one in documents]
    key = f"{content_digest(documents)} {files} {dt.datetime.now(dt.UTC).date()} {code()}"
    beside = Cache(shipped_knowledge() / "__pycache__")
    places = (cache,) if overlays else (beside, cache)
    for place in places:
        kept = place.read_as(_KIND, _name(place, beside, key), (str, bytes))
        if kept is not None and kept[0] == key:
            known: Knowledge = unpacked(kept[1])
            return known
    knowledge = decode_documents(documents)
    for place in places:
        with suppress(SurroundingsError):
            place.write(_KIND, _name(place, beside, key), (key, packed(knowledge)))
            break
    return knowledge


def _name(place: Cache, beside: Cache, key: str) -> str:
    """Beside the program there is one, which the next day or the next release replaces."""
    return "shipped" if place is beside else key
