"""The knowledge base in decoded form, kept between runs: decoding all facts takes longer than most solves.

The keys hold all that decoding rests on: the content and place of every document, the day, and the code that
decodes, so that what is kept is never stale. The shipped base is part of the program, and lies decoded beside
it where that can be written to, as Python's bytecode does; with a site's overlays it is in the user's cache.
Of the shipped base the state of its decoder is kept as well: overlays, and another day, go upon that.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from envlock.edges.cache import Cache
from envlock.edges.decoded import code, packed, unpacked
from envlock.edges.knowledge_files import Document, collect, content_digest, decode_upon, shipped_knowledge
from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowledge import Knowledge
from envlock.model.knowledge_codec import KnowledgeDecoder

_KNOWLEDGE = "decoded-knowledge-1"
_DECODER = "knowledge-decoder-1"


def load_decoded(cache: Cache, overlays: Sequence[Path] = ()) -> Knowledge:
    """The knowledge base as ``load_knowledge`` reads it.

    Args:
        cache: where it is kept; one that cannot be written to is as good as none.
        overlays: a site's own folders.

    Raises:
        RequestError: as ``load_knowledge``.
    """
    shipped = collect(None, ())
    added = [document for overlay in overlays for document in collect(overlay, ())]
    documents = (*shipped, *added)
    digest, today = content_digest(documents), dt.datetime.now(dt.UTC).date()
    place = _Place(cache=cache, kind=_KNOWLEDGE, key=f"{_key(digest, documents)} {today}", shipped=not added)
    known: Knowledge | None = place.read()
    if known is None:
        decoder = _decoder(cache, shipped)
        decode_upon(decoder, added)
        known = decoder.finish(digest, today)
        place.write(known)
    return known


def _decoder(cache: Cache, shipped: Sequence[Document]) -> KnowledgeDecoder:
    """A decoder that has read the shipped base."""
    place = _Place(cache=cache, kind=_DECODER, key=_key(content_digest(shipped), shipped), shipped=True)
    decoder: KnowledgeDecoder | None = place.read()
    if decoder is None:
        decoder = KnowledgeDecoder()
        decode_upon(decoder, shipped)
        place.write(decoder)
    return decoder


def _key(digest: str, documents: Sequence[Document]) -> str:
    return f"{digest} {[one.file for one in documents]} {code()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where one decoded state is kept.

    Attributes:
        cache: the user's.
        kind: of state.
        key: all that it rests on.
        shipped: it is of the shipped base alone, and goes beside the program where it can.
    """

    cache: Cache
    kind: str
    key: str
    shipped: bool

    def read(self) -> Any | None:
        for place, name in self._places():
            kept = place.read_as(self.kind, name, (str, bytes))
            if kept is not None and kept[0] == self.key:
                return unpacked(kept[1])
        return None

    def write(self, state: object) -> None:
        for place, name in self._places():
            with suppress(SurroundingsError):
                place.write(self.kind, name, (self.key, packed(state)))
                break

    def _places(self) -> list[tuple[Cache, str]]:
        """Beside the program there is one, which the next day or the next release replaces."""
        beside = [(Cache(shipped_knowledge() / "__pycache__"), "shipped")] if self.shipped else []
        return [*beside, (self.cache, self.key)]
