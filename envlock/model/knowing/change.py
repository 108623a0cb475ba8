"""Changes of public interfaces between releases, and what to write instead."""

from __future__ import annotations

from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change to a distribution's public interface between two releases.

    Attributes:
        distribution: the distribution's name.
        version: the first release with the change.
        breaking: whether code written for the release before it fails.
        old: the name or call before the change, as written in code.
        new: what to write instead; empty where nothing replaces it.
        note: one sentence, where the two names do not say everything.
        sources: where this was read.
        of: what the first name of ``old`` stands for, as dotted names in which ``()`` is the result of a call
            (``gensim.models.Word2Vec()``: its instances); empty where programs cannot be searched for it.
    """

    distribution: str
    version: str
    breaking: bool
    old: str
    new: str
    note: str
    sources: tuple[Source, ...]
    of: tuple[str, ...] = ()
