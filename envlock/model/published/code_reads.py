"""The names of other distributions' modules that a release's code reads."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import field, replace

from envlock.model.frozen import dataclass

GLIBC = "glibc.GLIBC_"
"""Begins names that stand for C libraries that compiled modules need, untold by the tags of their wheel."""

USE_2TO3 = "setuptools.setup.use_2to3"
"""Stands for the keyword by which setuptools before 58 translated sources from Python 2."""
CYTHON_LONG = "cython.builtins.long"
"""Stands for Python 2's ``long`` in sources of Cython, which Cython before 3.1 knew."""
ASKED_OF_TOOLS = frozenset({USE_2TO3, CYTHON_LONG})
"""What a build asks of its tools, as if it were names that ``setup.py`` reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReads:
    """Dotted names of other distributions that a release reads, each with file and line.

    Attributes:
        distribution: its name on the index.
        version: the version.
        read: the day on which its file was examined.
        on_import: what is read when it is imported.
        on_build: what its ``setup.py`` reads, where there is only an sdist.
        beside: other distributions -> what is also read on import if all of them are present.
    """

    distribution: str
    version: str
    read: dt.date
    on_import: Mapping[str, str]
    on_build: Mapping[str, str]
    beside: Mapping[frozenset[str], Mapping[str, str]] = field(default_factory=dict)

    def among(self, present: Collection[str]) -> CodeReads:
        """Return this with all that is read on import if these distributions are present."""
        reads = dict(self.on_import)
        for others, names in self.beside.items():
            if others <= set(present):
                reads = {**names, **reads}
        return replace(self, on_import=reads, beside={})
