"""What the code of a release reads of others' modules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import field, replace

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReads:
    """Dotted names of others that a release reads, each with file and line.

    Attributes:
        distribution: its name on the index.
        version: the version.
        read: the day on which its file was looked through.
        on_import: what is read by whoever imports it.
        on_build: what its ``setup.py`` reads, where there is only an sdist.
        beside: other distributions -> what is read on import, too, where all of them are there.
    """

    distribution: str
    version: str
    read: dt.date
    on_import: Mapping[str, str]
    on_build: Mapping[str, str]
    beside: Mapping[frozenset[str], Mapping[str, str]] = field(default_factory=dict)

    def among(self, present: Collection[str]) -> CodeReads:
        """What is read on import where these distributions are there."""
        reads = dict(self.on_import)
        for others, names in self.beside.items():
            if others <= set(present):
                reads = {**names, **reads}
        return replace(self, on_import=reads, beside={})
