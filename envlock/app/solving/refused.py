"""A group that nothing answers."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import Unsolvable


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a group has no answer.

    Attributes:
        refusal: what cannot hold together.
        knowledge: the knowledge base that refused, with the collisions of files that were met.
        inherited: component -> the extended group that wrote the wish on it, where the group did not.
    """

    refusal: Unsolvable
    knowledge: Knowledge
    inherited: Mapping[str, str]
