"""What a build of an sdist depends on."""

from __future__ import annotations

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBuild:
    """What a build of an sdist depends on, according to its metadata.

    Attributes:
        requires: what it needs in its environment.
        translated: the C in it that has to be compiled.
        translates: whether Cython translates sources in it.
    """

    requires: tuple[str, ...]
    translated: tuple[str, ...] = ()
    translates: bool = False
