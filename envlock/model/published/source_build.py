"""What a build of an sdist rests on."""

from __future__ import annotations

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBuild:
    """What a build of an sdist rests on, as its metadata has it.

    Attributes:
        requires: what it asks of its environment.
        translated: the C in it that has to be compiled.
    """

    requires: tuple[str, ...]
    translated: tuple[str, ...] = ()
