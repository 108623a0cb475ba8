"""What names in a distribution stand for if its modules re-export them from others: ``compat.pandas``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from envlock.analysis.functions.scopes import Scope, Surety
from envlock.analysis.imports.modules import Module

_SMALL = 1 << 13
"""Size limit in characters for a module that only re-exports others' names, as packages do."""

# Searching for a newline is faster than for a line start.
_MADE = re.compile(r"\n(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)")


class Handed:
    """The names of one distribution's modules, resolved on demand."""

    def __init__(
        self,
        modules: Mapping[str, Module],
        scope_of: Callable[[str], Scope | None],
        owners: Collection[str],
        made: dict[str, frozenset[str]],
    ) -> None:
        """Take the modules that may re-export names of these packages.

        Args:
            modules: of the distribution.
            scope_of: parses one of them; ``None`` if it cannot be read.
            owners: the packages.
            made: module -> the functions and classes that it defines, for modules seen so far; added to here.
        """
        self._modules = modules
        self._scope_of = scope_of
        self._imports = imports_of(owners) if owners else None
        self._made = made
        self._known: dict[str, str] = {}

    def on(self, target: str) -> str:
        """Return what a dotted name stands for: itself unless a module surely re-exports it."""
        if target not in self._known:
            self._known[target] = target  # a cycle of re-exports stands for nothing else
            module, _, word = target.rpartition(".")
            found = module in self._modules and target not in self._modules
            scope = self._scope_of(module) if found and self._may_hand_on(module, word) else None
            bound = scope.bound(word) if scope is not None else ()
            if len(bound) == 1 and bound[0].target and bound[0].surety is Surety.PLAIN:
                self._known[target] = self.on(bound[0].target)
        return self._known[target]

    def _may_hand_on(self, name: str, word: str) -> bool:
        """Whether a module seems to import a word, and is small or imports one of the packages."""
        source = self._modules[name].source
        if name not in self._made:
            self._made[name] = frozenset(_MADE.findall("\n" + source))
        if word in self._made[name] or word not in source:
            return False
        if len(source) > _SMALL and (self._imports is None or self._imports.search(source) is None):
            return False
        taken = rf"^(?:from[ \t].*\bimport\b.*|[ \t]+)\b{re.escape(word)}\b"
        return re.search(taken, source, re.MULTILINE) is not None


def imports_of(owners: Collection[str]) -> re.Pattern[str]:
    """Return a pattern that matches imports of any of these packages."""
    either = "|".join(map(re.escape, sorted(owners)))
    return re.compile(rf"^[ \t]*(?:from|import)[ \t]+(?:{either})\b", re.MULTILINE)
