"""What a distribution has of the names that others read, as far as the words of its modules tell."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from string import hexdigits
from typing import NamedTuple

from envlock.edges.imports.fillers import Fillers
from envlock.edges.imports.modules import BESIDE, Module, own_of
from envlock.edges.imports.statements import AS_MODULE, CALLED, with_parents
from envlock.edges.imports.words import Words

_OF_OTHERS = BESIDE | sys.stdlib_module_names
"""Modules that are not the distribution's where others name them: future's ``http`` is for Python 2 alone."""

_STARRED = re.compile(r"^[ \t]*from\s+(\.*)([\w.]*)\s+import\s+\(?\s*\*", re.MULTILINE)
"""Modules all of whose names are taken over."""


_BRINGS = re.compile(r"\b(sys\.modules|meta_path|ModuleType|(exec|load)_module|__path__|declare_namespace)\b")
"""What modules have that may bring others for which there is no file."""

_TURNS = re.compile(r"__class__\s*=(?!=)")
"""What makes an object, such as a module, one of another class."""


class _Reach(NamedTuple):
    """A module with those all of whose names it takes over, and whether they may have more than they tell."""

    modules: Sequence[str]
    is_open: bool


class Holdings:
    """The names of one distribution."""

    def __init__(
        self, modules: Mapping[str, Module], *, is_whole: bool = True, compiled: Collection[str] = ()
    ) -> None:
        """Of its modules, and whether all of them can be looked at, else those that are compiled.

        Where they cannot, nothing is said of modules for which others would have to be asked, nor of those
        that take from compiled ones: these may put names into them, as PyTorch's does into ``torch.sparse``.
        """
        self._modules = modules
        self._is_whole = is_whole
        self._words: dict[str, Words | None] = {}
        self._known: dict[str, _Reach | None] = {}
        self._fillers = Fillers(modules if is_whole else {})
        self._compiled = frozenset(name.rpartition(".")[2] for name in compiled)
        self._own = {one for one in own_of(modules) if one.partition(".")[0] not in _OF_OTHERS}

    def lacks(self, name: str) -> bool:
        """Whether a dotted name would be this distribution's, and is surely not there.

        It is there where a statement of its module, on whatever way through it, gives it a meaning, or a text
        in it is that word; and where another module sets it. Of a module that finds names while it runs, or
        may be filled in by others, the word must be nowhere in the distribution; of a package, also where
        that imports files.
        A module that puts names together may have any, and so may one that takes over all of a compiled one
        or of another distribution's. What tells a version is mostly made while a file is built.
        """
        if name.endswith(f".{AS_MODULE}"):
            return self._lacks_module(name.removesuffix(f".{AS_MODULE}"))
        if name.endswith(f".{CALLED}"):
            return self.is_mere_module(name.removesuffix(f".{CALLED}"))
        parents = with_parents(name)
        if name in self._modules or self._own.isdisjoint(parents[:-1]):
            return False
        holder = next(one for one in reversed(parents) if one in self._modules)
        word = name.removeprefix(f"{holder}.").partition(".")[0]
        if not word.isidentifier() or word.startswith("__") or "version" in word or self._is_shadowed(holder):
            return False
        if holder not in self._known:
            reached = self._reached(holder)
            is_open = reached is not None and any(map(self._is_open, reached))
            self._known[holder] = None if reached is None else _Reach(reached, is_open)
        reach = self._known[holder]
        return reach is not None and self._is_nowhere(word, reach)

    def _is_nowhere(self, word: str, reach: _Reach) -> bool:
        """Whether none of some modules has a word, nor any other where these may have more than they tell."""
        if any(self._gives(one, word) for one in reach.modules):
            return False
        if reach.is_open:
            return self._is_whole and not any(
                one.endswith(f".{word}") or self._has(one, word) for one in self._modules
            )
        return not (self._is_whole and self._is_set_elsewhere(word))

    def is_mere_module(self, name: str) -> bool:
        """Whether a dotted name surely leads to a module, which cannot be called.

        So ``pendulum.tz.timezone`` was a function, and the package has had nothing but a module of that name
        since.
        """
        package, _, word = name.rpartition(".")
        if not self._is_whole or name not in self._modules or package not in self._modules:
            return False
        if not self._can_only_be_module(self._modules[name]) or self._own.isdisjoint(with_parents(package)):
            return False
        reached = self._reached(package)
        words = self._words_of(package)
        if reached is None or words is None or words.finds or word in words.shadows:
            return False
        return not (
            any(self._gives(one, word) for one in reached[1:])
            or self._fillers.may_fill(package, self._modules[package].source)
            or self._is_shadowed(package)
            or self._is_set_elsewhere(word)
        )

    def _can_only_be_module(self, module: Module) -> bool:
        """Whether a file puts nothing else in its place, which might be called."""
        return module.is_python and not _BRINGS.search(module.source) and not _TURNS.search(module.source)

    def _lacks_module(self, name: str) -> bool:
        """Whether a module would be this distribution's, and has no file, nor a word where any are brought.

        What a compiled one may put below itself is not known.
        """
        parents = with_parents(name)
        if not self._is_whole or self._own.isdisjoint(parents[:-1]):
            return False
        there = [one for one in parents if one in self._modules or self._is_folder(one)]
        if len(there) == len(parents) or any(not self._is_plain(one) for one in there):
            return False
        word = parents[len(there)].rpartition(".")[2]
        if not word.isidentifier() or word.startswith("__") or "version" in word:
            return False
        brings = [one.source for one in self._modules.values() if _BRINGS.search(one.source)]
        is_elsewhere = any(one.endswith(f".{word}") for one in self._modules)
        return not (brings and is_elsewhere) and not any(word in source for source in brings)

    def _is_in_compiled(self, name: str) -> bool:
        """Whether a compiled module may make a module within itself, as JAX's bindings of MLIR do."""
        return any(one in self._modules and not self._modules[one].is_python for one in with_parents(name))

    def _is_plain(self, module: str) -> bool:
        """Whether a package has no modules but those in its folder."""
        found = self._modules.get(module)
        return found is None or (
            found.is_python and not re.search(r"__path__|declare_namespace", found.source)
        )

    def _reached(self, module: str) -> list[str] | None:
        """A module and those all of whose names it takes over; ``None`` where one of them may have any."""
        reached = [module]
        for one in reached:
            found = self._modules.get(one)
            if found is None and not self._own.isdisjoint(with_parents(one)):
                if self._is_in_compiled(one):
                    return None
                continue  # it is made while the distribution is built, or not there
            words = self._words_of(one)
            if found is None or words is None or words.makes_any:
                return None
            if not words.bound and not found.is_package:
                return None  # it is there for what a compiled module puts into it (``torch.cuda.sparse``)
            reached += [taken for taken in self._starred(one, found) if taken not in reached]
        return reached

    def _is_open(self, module: str) -> bool:
        """Whether a module may have names that it does not tell."""
        found = self._modules.get(module)
        words = self._words_of(module)
        if found is None or words is None or words.finds or not self._compiled.isdisjoint(words.names):
            return True
        is_filled = found.is_package and self._fillers.has_more_modules
        return is_filled or self._fillers.may_fill(module, found.source)

    def _gives(self, module: str, word: str) -> bool:
        """Whether a module gives a word a meaning, or is a package with a module of that name."""
        below = f"{module}.{word}"
        if below in self._modules or self._is_folder(below):
            return True
        words = self._words_of(module)
        return words is not None and words.give(word)

    def _has(self, module: str, word: str) -> bool:
        """Whether a module has a word as a name or in a text; what it tells those who read it is none.

        protoc writes letters after a number as numbers, too, as far as they may be digits of one; of a module
        that cannot be read nothing is said.
        """
        found = self._modules[module]
        if not found.is_python or word[1:].lstrip(hexdigits) not in found.source:
            return False
        words = self._words_of(module)
        return words is None or words.have(word)

    def _is_set_elsewhere(self, word: str) -> bool:
        """Whether some module sets an attribute of that name, of whatever object but its own."""
        sets = re.compile(rf"\.{word}\b[^\n]*=|\bsetattr\(")
        for name, one in self._modules.items():
            words = self._words_of(name) if word in one.source and sets.search(one.source) else None
            if words is not None and word in words.stored:
                return True
        return False

    def _is_shadowed(self, module: str) -> bool:
        """Whether a package above it has something else by its name, as JAX had with ``jax.config``."""
        parents = with_parents(module)
        for package, inside in pairwise(parents):
            words = self._words_of(package)
            if words is not None and inside.rpartition(".")[2] in words.shadows:
                return True
        return False

    def _words_of(self, module: str) -> Words | None:
        """Each module is taken apart once; ``None`` of one that is not there, or cannot be."""
        if module not in self._words:
            found = self._modules.get(module)
            is_python = found is not None and found.is_python
            self._words[module] = Words.of(found.source, module) if found and is_python else None
        return self._words[module]

    def _is_folder(self, dotted: str) -> bool:
        return any(one.startswith(f"{dotted}.") for one in self._modules)

    def _starred(self, name: str, module: Module) -> Iterator[str]:
        package = (name if module.is_package else name.rpartition(".")[0]).split(".")
        for dots, inside in _STARRED.findall(module.source):
            base = package[: len(package) - len(dots) + 1] if dots else []
            yield ".".join([*base, *filter(None, [inside])])
