"""Modules that seem to read a name that was taken away, by their text alone: they are looked at first."""

from __future__ import annotations

import re
from collections.abc import Collection

_AS = re.compile(r"^[ \t]*import[ \t]+([\w.]+)[ \t]+as[ \t]+(\w+)", re.MULTILINE)
_FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_READ = re.compile(r"\b(\w+)(?=\.(\w+))")
_WORD = re.compile(r"\w+")


class Suspects:
    """Tells by its text whether a module seems to read one of some names."""

    def __init__(self, names: Collection[str]) -> None:
        """Take dotted names; each counts by its last two words, as a module is mostly called by its last."""
        self._ends = frozenset(".".join(name.split(".")[-2:]) for name in names)

    def __contains__(self, source: object) -> bool:
        """Whether a source seems to read one of them, over names that it gives to modules itself."""
        if not isinstance(source, str):
            return False
        called = {name: _last(module) for module, name in _AS.findall(source)}
        read = {f"{called.get(owner, owner)}.{name}" for owner, name in _READ.findall(source)}
        taken = {
            f"{_last(module)}.{name}"
            for module, names in _FROM.findall(source)
            for name in _WORD.findall(names)
        }
        return not self._ends.isdisjoint(read | taken)


def _last(module: str) -> str:
    return module.rpartition(".")[2]
