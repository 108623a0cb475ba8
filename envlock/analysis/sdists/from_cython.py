"""What the build of an sdist has to do with Cython, as it is cached."""

from __future__ import annotations

from typing import NamedTuple


class FromCython(NamedTuple):
    """What an sdist's build has to do with Cython, as in ``Metadata``."""

    translated: tuple[str, ...]
    translates: bool


NO_CYTHON = FromCython(translated=(), translates=False)
