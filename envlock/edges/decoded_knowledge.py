"""The knowledge base in decoded form, kept between runs: decoding all facts takes longer than most solves.

The keys hold all that decoding depends on: the content and place of every document, the day, and the decoding
code, so that what is kept is never stale. Files whose state in the file system is the same as when they were
last read are not read again. The shipped base is part of the program and is kept beside it if that place is
writable, as Python's bytecode is; with a site's overlays it goes to the user's cache. The state of the
shipped base's decoder is kept as well, so that overlays and a new day start from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from envlock.edges.cache import Cache
from envlock.edges.clock import today
from envlock.edges.decoded import code, packed, unpacked
from envlock.edges.knowledge_files import (
    Document,
    collect,
    content_digest,
    decode_upon,
    shipped_knowledge,
    state_of_files,
)
from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder

_KNOWLEDGE = "decoded-knowledge-2"
_DECODER = "knowledge-decoder-2"


def load_decoded(cache: Cache, overlays: Sequence[Path] = ()) -> Knowledge:
    """Return the knowledge base that ``load_knowledge`` would read.

    Args:
        cache: where it is kept; one that is not writable counts as none.
        overlays: a site's own folders.

    Raises:
        RequestError: as ``load_knowledge``.
    """
    roots = (shipped_knowledge(), *overlays)
    place = _Place(cache=cache, kind=_KNOWLEDGE, name=" ".join(map(str, roots)), shipped=not overlays)
    day = today()
    files = state_of_files(roots)
    state = f"{files} {day} {code()}" if files else ""
    unchanged: Knowledge | None = place.read_at(state)
    if unchanged is not None:
        return unchanged
    shipped = collect(None, ())
    added = [document for overlay in overlays for document in collect(overlay, ())]
    documents = (*shipped, *added)
    digest = content_digest(documents)
    key = f"{_key(digest, documents)} {day}"
    kept: Knowledge | None = place.read(key)
    if kept is not None and not state:
        return kept  # without a state, nothing could find it sooner next time
    if kept is None:
        decoder = _decoder(cache, shipped)
        decode_upon(decoder, added)
        kept = decoder.finish(digest, day)
    place.write(key, kept, state)
    return kept


def _decoder(cache: Cache, shipped: Sequence[Document]) -> KnowledgeDecoder:
    """Return a decoder that has read the shipped base."""
    place = _Place(cache=cache, kind=_DECODER, name="shipped", shipped=True)
    key = _key(content_digest(shipped), shipped)
    decoder: KnowledgeDecoder | None = place.read(key)
    if decoder is None:
        decoder = KnowledgeDecoder()
        decode_upon(decoder, shipped)
        place.write(key, decoder)
    return decoder


def _key(digest: str, documents: Sequence[Document]) -> str:
    return f"{digest} {[document.file for document in documents]} {code()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where one decoded state is kept: only one, which the next day or the next release replaces.

    Attributes:
        cache: the user's cache.
        kind: the kind of state.
        name: what the state belongs to.
        shipped: whether it is the shipped base's alone, and goes beside the program if possible.
    """

    cache: Cache
    kind: str
    name: str
    shipped: bool

    def read(self, key: str) -> Any | None:
        """Return what was kept under a key."""
        return self._first(lambda kept: kept[1] == key)

    def read_at(self, state: str) -> Any | None:
        """Return what was kept for that state of the files; nothing for the empty one."""
        return self._first(lambda kept: kept[0] == state) if state else None

    def write(self, key: str, decoded: object, state: str = "") -> None:
        """Keep what was decoded under a key, from files in a state."""
        for place in self._places():
            with suppress(SurroundingsError):
                place.write_attached(self.kind, self.name, (state, key), packed(decoded))
                break

    def _first(self, fits: Callable[[tuple[str, str]], bool]) -> Any | None:
        for place in self._places():
            kept = place.read_attached(self.kind, self.name, (str, str))
            if kept is not None and fits(kept[0]):
                return unpacked(kept[1])
        return None

    def _places(self) -> list[Cache]:
        # Like bytecode, for every user of the program: it holds nothing that the program's files do not.
        beside = [Cache(shipped_knowledge() / "__pycache__", mode=0o644)] if self.shipped else []
        return [*beside, self.cache]
