"""Which modules wheels brought when they were installed before, so that bytecode can be laid ahead of them.

A listing is a guess that saves time: what was installed is known from its RECORD only.
"""

from __future__ import annotations

import contextlib
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from envlock.edges.cache import Cache, Form
from envlock.edges.records import InstalledRecord
from envlock.model.errors import SurroundingsError

_KIND = "module-listings-1"
_FORM: Form = (str, [(str, [(str, str)])])


class Listing(NamedTuple):
    """The modules of a distribution.

    Attributes:
        record: the hash of the RECORD that it was made from.
        folders: each folder of modules, relative to the folder of packages and with a slash at its end unless
            it is that itself; the modules in it by name without suffix, with the hashes of their sources.
    """

    record: str
    folders: list[tuple[str, list[tuple[str, str]]]]


class ModuleListings:
    """Listings by what tells one wheel from another."""

    __slots__ = ("_cache",)

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def of(self, wheel: str) -> Listing | None:
        """What a wheel brought the last time; ``None`` for an unknown one."""
        document = self._cache.read_as(_KIND, wheel, _FORM)
        return None if document is None else Listing(*document)

    def note(self, wheel: str, installed: InstalledRecord, site: Path) -> None:
        """Remember what a wheel brought.

        Args:
            wheel: what tells it from others.
            installed: what it brought.
            site: the folder of packages that it was installed into; what it put elsewhere is left out.
        """
        within = f"{site}/"
        modules = [
            (*path.removeprefix(within).removesuffix(".py").rpartition("/"), sha256)
            for path, sha256 in installed.files
            if sha256 and path.endswith(".py") and path.startswith(within)
        ]
        folders = [
            (folder, [(name, sha256) for _, _, name, sha256 in some])
            for folder, some in groupby(modules, key=lambda module: module[0] + module[1])
        ]
        with contextlib.suppress(SurroundingsError):  # a cache that cannot be written to is slow, not wrong
            self._cache.write(_KIND, wheel, (installed.sha256, folders))
