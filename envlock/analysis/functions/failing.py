"""What in a distribution's functions surely fails beside another one, from the modules of both."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from envlock.analysis.functions.asking import brings_back
from envlock.analysis.functions.callees import Callees
from envlock.analysis.functions.central import SHARE, Central, Place
from envlock.analysis.functions.flow import Use
from envlock.analysis.functions.handed import Handed, imports_of
from envlock.analysis.functions.lazy import LazyExports
from envlock.analysis.functions.scopes import Scope
from envlock.analysis.functions.suspects import Suspects
from envlock.analysis.functions.uses import uses_of
from envlock.analysis.imports.contents import Contents
from envlock.analysis.imports.guards import Conditions
from envlock.analysis.imports.holdings import Holdings
from envlock.analysis.imports.modules import BESIDE, Module, own_of, roots_of
from envlock.analysis.imports.statements import run_on_import, with_parents
from envlock.analysis.standard_library import STANDARD_MODULES
from envlock.model.published.failing_use import FailingUse

MOST_SOURCE = 1 << 20
"""Characters of a distribution's modules that are analysed beside one other, nearest to the top level first,
after those that seem to read what was removed: few people use what lies deep, and nobody waits for it."""

MOST_SEARCHED = 8 * MOST_SOURCE
"""Characters of modules that are searched for what was removed, where there are more than are analysed."""

MOST_PUBLIC = 60
"""A distribution with more public modules has parts that people use one by one."""

FEWEST_COMMANDS = 3
"""A distribution with fewer commands may be a library with a command beside it."""

_A_MODULE = "as a function, and it is a module"
"""The fault of calling something that is a module."""

_WORD = re.compile(r"\w+")
_ATTRIBUTE = re.compile(r"\.[ \t]*(\w+)")

_ASIDE = (BESIDE - {"tools"}) | {
    *("__main__", "_testing", "_vendor", "benchmark", "cli", "commands", "compat", "contrib", "demo"),
    *("demos", "deprecated", "example", "experimental", "extern", "externals", "legacy", "testing"),
    *("third_party", "vendor", "vendored"),
}
"""Modules within a package that few people use, or that are copies of others'. Some of these names are public
there (``statsmodels.tools``)."""


class Holder:
    """A distribution whose names others read and call.

    Attributes:
        owners: its packages and modules.
    """

    def __init__(self, contents: Contents) -> None:
        """Take its contents, as far as they are known."""
        modules = contents.modules
        others = BESIDE | STANDARD_MODULES
        self.owners = frozenset(one for one in own_of(modules) if one.partition(".")[0] not in others)
        self._contents = contents
        self._callees = Callees(modules if contents.is_whole else {})
        self._holdings = Holdings(
            modules if contents.tells_all else {}, is_whole=contents.is_whole, compiled=contents.compiled
        )

    def prepare(self, uses: Iterable[Use]) -> None:
        """Fetch what these uses need, which would otherwise come one by one."""
        self._contents.prefetch({use.name for use in uses if use.call is None})

    def fault(self, use: Use) -> str | None:
        """Return what is wrong with a use, as in ``FailingUse``; ``None`` if nothing is known to be."""
        if use.call is None:
            return "" if self._holdings.lacks(use.name) else None
        if self._holdings.is_mere_module(use.name):
            return _A_MODULE
        parameters = self._callees.parameters(use.name)
        return parameters.refusal(use.call) or None if parameters else None


class Reader:
    """A distribution whose functions read and call others' names; each module is parsed once."""

    def __init__(
        self,
        component: str,
        distribution: str,
        modules: Mapping[str, Module],
        commands: Collection[str] = (),
    ) -> None:
        """Take its modules, and those of them that its commands run, which count whatever their names.

        Those that bear the name of one of the interpreter's are never imported.
        """
        self.component = component
        self._commands = commands
        self._distribution = distribution
        modules = {
            name: module for name, module in modules.items() if name.partition(".")[0] not in STANDARD_MODULES
        }
        self._modules = modules
        self._own = own_of(modules)
        self._conditions = Conditions(modules)
        self._scopes: dict[str, Scope | None] = {}
        self._made: dict[str, frozenset[str]] = {}
        self._tried: dict[str, bool] = {}
        self._told: dict[str, bool] = {}

    def failing(
        self, component: str, holder: Holder, removed: Collection[str] = ()
    ) -> tuple[FailingUse, ...]:
        """Return each use that fails beside a holder, or whose name is known as removed, surest first."""
        owners = (holder.owners | {one.partition(".")[0] for one in removed}) - self._own
        words = None if holder.owners else frozenset(one.rpartition(".")[2] for one in removed)
        found: dict[tuple[str, str], FailingUse] = {}
        places: dict[Place, tuple[str, str]] = {}
        scopes = self._scopes_with(owners, words, removed) if owners else ()
        present = {self.component, component}
        follow = Handed(self._modules, self._scope, owners, self._made).on
        used = [(scope, uses_of(scope, self._conditions, owners, present, follow=follow)) for scope in scopes]
        holder.prepare(use for _, uses in used for use in uses)
        for scope, uses in used:
            for use in uses:
                fault = "" if use.call is None and use.name in removed else holder.fault(use)
                if (
                    fault is None
                    or (not fault and self._knows(use.name, scope))
                    or self._is_idle(use.function)
                    or (not use.function and self._is_tried(scope.name))
                ):
                    continue
                one = FailingUse(
                    name=use.name,
                    fault=fault,
                    where=f"{self._modules[scope.name].file}:{use.line}",
                    function=use.function,
                    is_sure=use.is_sure,
                    on_import=not use.function and scope.name in self._on_import,
                    is_central=not use.function and self._is_shared(scope.name),
                )
                if use.function and use.is_sure:
                    places[Place(scope.name, use.function)] = (use.name, fault)
                before = found.get((use.name, fault))
                if before is None or _surety(one) > _surety(before):
                    found[use.name, fault] = one
        if places:
            central = Central(self._modules, self._conditions)
            for place in central.among(places.keys(), self._roots, self._public):
                found[places[place]] = replace(found[places[place]], is_central=True)
        return tuple(sorted(found.values(), key=_surety, reverse=True))

    @cached_property
    def _on_import(self) -> frozenset[str]:
        """The modules that everybody imports: with the distribution, or its only public one.

        A root whose module ``api`` has more names than itself is imported through that (``statsmodels.api``).
        """
        roots = self._public if len(self._public) == 1 else self._roots
        apis = [f"{one}.api" for one in self._roots if self._has_more_names(f"{one}.api", one)]
        return run_on_import(self._modules, [*roots, *apis])

    def _has_more_names(self, module: str, other: str) -> bool:
        here, there = (self._scope(one) if one in self._modules else None for one in (module, other))
        return here is not None and there is not None and len([*here.names()]) > len([*there.names()])

    @cached_property
    def _roots(self) -> list[str]:
        return roots_of(self._modules, self._distribution)

    @cached_property
    def _public(self) -> list[str]:
        """The public modules directly below the roots."""
        inside = [one for one in self._modules if one.rpartition(".")[0] in self._roots]
        return [one for one in inside if not _is_aside(one) and not one.rpartition(".")[2].startswith("_")]

    def _is_shared(self, module: str) -> bool:
        """Whether a good part of the public modules or commands import this one, if nothing is exported.

        Or whether it runs for a good part of what is exported lazily.
        """
        if self._lazy.are_stopped_by(module):
            return True
        if not self._on_import.isdisjoint(self._public):
            return False
        if len(self._commands) >= FEWEST_COMMANDS and _is_share(module, self._run_by_commands):
            return True
        return len(self._public) <= MOST_PUBLIC and _is_share(module, self._imported)

    @cached_property
    def _lazy(self) -> LazyExports:
        return LazyExports(self._modules, self._roots)

    @cached_property
    def _imported(self) -> tuple[frozenset[str], ...]:
        """The modules that each public module surely imports, computed once because many uses need it."""
        return tuple(run_on_import(self._modules, [one]) for one in self._public)

    @cached_property
    def _run_by_commands(self) -> tuple[frozenset[str], ...]:
        """The modules that each command surely imports, one set for commands of one module."""
        return tuple(run_on_import(self._modules, [one]) for one in self._commands)

    def _scopes_with(
        self, owners: Collection[str], words: frozenset[str] | None, removed: Collection[str]
    ) -> Iterator[Scope]:
        """Yield modules that import one of these, as many as are analysed; none named after a release.

        If words are given, only modules count that read one of them, as an attribute or by ``from``. Where
        there are more than are analysed, those come first that seem to read what was removed.
        """
        either = "|".join(map(re.escape, sorted(owners)))
        imports = imports_of(owners)
        takes = re.compile(rf"^[ \t]*from[ \t]+(?:{either})\b", re.MULTILINE)
        for_others = re.compile(rf"(?:{either}|\b)_?v?\d+\b|_v\d")

        def counts(name: str) -> bool:
            source = self._modules[name].source
            if (_is_aside(name) and name not in self._commands) or for_others.search(name):
                return False
            if not any(one in source for one in owners) or not imports.search(source):
                return False
            form = _WORD if takes.search(source) else _ATTRIBUTE
            return words is None or not words.isdisjoint(form.findall(source))

        names = sorted(filter(counts, self._modules), key=lambda name: (name.count("."), name))
        if MOST_SOURCE < sum(len(self._modules[name].source) for name in names) <= MOST_SEARCHED:
            suspects = Suspects(removed)
            names.sort(key=lambda name: self._modules[name].source not in suspects)
        left = MOST_SOURCE
        for name in names:
            left -= len(self._modules[name].source)
            scope = self._scope(name) if left >= 0 else None
            if scope is not None:
                yield scope

    def _scope(self, name: str) -> Scope | None:
        if name not in self._scopes:
            try:
                self._scopes[name] = Scope(name, self._modules[name], self._conditions)
            except (SyntaxError, ValueError, RecursionError):
                self._scopes[name] = None
        return self._scopes[name]

    def _is_idle(self, function: str) -> bool:
        """Whether nobody calls a function: it is private, and its name occurs nowhere else."""
        name = function.rpartition(".")[2]
        if not name.startswith("_") or name.endswith("__"):
            return False
        word = re.compile(rf"\b{re.escape(name)}\b")
        return sum(len(word.findall(source)) for source in self._saying(name)) == 1

    def _is_tried(self, module: str) -> bool:
        """Whether the distribution tries to import a module, so that another may take its place."""
        if module not in self._tried:
            last = module.rpartition(".")[2]
            below = re.compile(rf"^[ \t]+(?:from|import)\b.*\b{re.escape(last)}\b", re.MULTILINE)
            said = [name for name, one in self._modules.items() if last in one.source]
            told = [name for name in said if below.search(self._modules[name].source)]
            tried = (one for scope in filter(None, map(self._scope, told)) for one in scope.tried())
            self._tried[module] = any(module in with_parents(one) for one in tried)
        return self._tried[module]

    def _knows(self, name: str, scope: Scope) -> bool:
        """Whether the distribution sets a name itself, asks for it as a string, or brings it back."""
        word = name.rpartition(".")[2]
        text = rf"[\"']{word}[\"']"
        if word not in self._told:
            # From a word boundary, or else long ones, as protoc writes them, are scanned from each letter.
            told = re.compile(rf"\.{word}\s*=[^=]|\b\w+attr\([^()\n]*{text}")
            self._told[word] = any(map(told.search, self._saying(word)))
        return self._told[word] or brings_back(name, scope.source) or bool(re.search(text, scope.source))

    def _saying(self, word: str) -> Iterator[str]:
        """Yield sources that contain a word: a plain search takes a tenth of the time of a pattern."""
        return (one.source for one in self._modules.values() if word in one.source)


def _is_share(module: str, importing: Collection[Collection[str]]) -> bool:
    """Whether a module is in a good part of these."""
    return sum(module in one for one in importing) * SHARE >= len(importing)


def _surety(one: FailingUse) -> tuple[bool, bool, bool]:
    return one.on_import, one.is_central, one.is_sure


def _is_aside(module: str) -> bool:
    parts = module.split(".")
    of_few = any(one.startswith(("test", "convert_")) or one.endswith("_test") for one in parts)
    return of_few or parts[0] in BESIDE or not _ASIDE.isdisjoint(parts)
