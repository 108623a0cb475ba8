"""What in a distribution's functions surely fails beside another one, from the modules of both."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from operator import attrgetter

from envlock.analysis.functions.asking import brings_back
from envlock.analysis.functions.central import SHARE, Central, Place
from envlock.analysis.functions.flow import Use
from envlock.analysis.functions.handed import Handed, imports_of
from envlock.analysis.functions.holder import Holder
from envlock.analysis.functions.lazy import LazyExports
from envlock.analysis.functions.scopes import Scope
from envlock.analysis.functions.side_modules import is_side_module
from envlock.analysis.functions.suspects import Suspects
from envlock.analysis.functions.uses import uses_of
from envlock.analysis.imports.guards import Conditions
from envlock.analysis.imports.modules import Module, own_of, roots_of
from envlock.analysis.imports.statements import RunOnImport, with_parents
from envlock.analysis.standard_library import STANDARD_MODULES
from envlock.analysis.syntax_trees import UNREADABLE
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

_WORD = re.compile(r"\w+")
_ATTRIBUTE = re.compile(r"\.[ \t]*(\w+)")


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
        self._assigned: dict[str, bool] = {}
        self._run = RunOnImport(modules)
        self._run_with = cache(lambda one: self._run.with_these([one]))

    def failing(
        self, component: str, holder: Holder, removed: Collection[str] = ()
    ) -> tuple[FailingUse, ...]:
        """Return each use that fails beside a holder, or whose name is known as removed, surest first."""
        owners = (holder.owners | {name.partition(".")[0] for name in removed}) - self._own
        words = None if holder.owners else frozenset(name.rpartition(".")[2] for name in removed)
        found: dict[tuple[str, str], FailingUse] = {}
        places: dict[Place, tuple[str, str]] = {}
        importing = self._importing(owners, words) if owners else []
        scopes = list(self._scopes_of(importing, removed))
        present = {self.component, component}
        follow = Handed(self._modules, self._scope, owners, self._made).on
        used = [(scope, uses_of(scope, self._conditions, owners, present, follow=follow)) for scope in scopes]
        holder.prepare(use for _, uses in used for use in uses)
        ended = set[str]()
        for scope, uses in used:
            for use in uses:
                fault = self._fault(use, scope, holder, removed)
                if fault is None:
                    continue
                failing = self._failing_use(use, fault, scope)
                if use.is_sure and use.function:
                    places[Place(scope.name, use.function)] = (use.name, fault)
                elif use.is_sure:
                    ended.add(scope.name)
                before = found.get((use.name, fault))
                if before is None or failing.surety > before.surety:
                    found[use.name, fault] = failing
        if len(ended) > 1 and self._are_shared(ended):
            found |= {
                key: replace(use, is_central=True)
                for key, use in found.items()
                if use.is_sure and not use.function
            }
        if places:
            central = Central(self._modules, self._conditions)
            for place in central.among(places.keys(), self._roots, self._public):
                found[places[place]] = replace(found[places[place]], is_central=True)
        ends_all = words is None and (
            self._are_ended(importing, ended)
            or (self._is_of_commands and self._are_ended(self._commands, ended))
        )
        sure = (
            replace(use, ends_all=ends_all and use.is_sure and not use.function) for use in found.values()
        )
        return tuple(sorted(sure, key=attrgetter("surety"), reverse=True))

    def _fault(self, use: Use, scope: Scope, holder: Holder, removed: Collection[str]) -> str | None:
        """Return what is wrong with a use; ``None`` if nothing is, or the distribution is prepared for it."""
        fault = "" if use.call is None and use.name in removed else holder.fault(use)
        is_prepared = fault is not None and (
            (not fault and self._knows(use.name, scope))
            or self._is_idle(use.function)
            or (not use.function and self._is_tried(scope.name))
        )
        return None if is_prepared else fault

    def _failing_use(self, use: Use, fault: str, scope: Scope) -> FailingUse:
        return FailingUse(
            name=use.name,
            fault=fault,
            where=f"{self._modules[scope.name].file}:{use.line}",
            function=use.function,
            is_sure=use.is_sure,
            on_import=not use.function and scope.name in self._on_import,
            is_central=not use.function and self._are_shared([scope.name]),
        )

    def _are_ended(self, modules: Iterable[str], ended: Collection[str]) -> bool:
        """Whether each of these surely imports one that ends."""
        return bool(ended) and not any(self._run_with(module).isdisjoint(ended) for module in modules)

    @cached_property
    def _is_of_commands(self) -> bool:
        """Whether it has commands, and exports nothing else."""
        return bool(self._commands) and self._on_import.isdisjoint(self._public)

    @cached_property
    def _on_import(self) -> frozenset[str]:
        """The modules that everybody imports: with the distribution, or its only public one.

        A root whose module ``api`` has more names than itself is imported through that (``statsmodels.api``).
        """
        roots = self._public if len(self._public) == 1 else self._roots
        apis = [f"{root}.api" for root in self._roots if self._has_more_names(f"{root}.api", root)]
        return self._run.with_these([*roots, *apis])

    def _has_more_names(self, module: str, other: str) -> bool:
        here, there = (self._scope(name) if name in self._modules else None for name in (module, other))
        return here is not None and there is not None and len([*here.names()]) > len([*there.names()])

    @cached_property
    def _roots(self) -> list[str]:
        return roots_of(self._modules, self._distribution)

    @cached_property
    def _public(self) -> list[str]:
        """The public modules directly below the roots."""
        inside = [module for module in self._modules if module.rpartition(".")[0] in self._roots]
        return [
            module
            for module in inside
            if not is_side_module(module) and not module.rpartition(".")[2].startswith("_")
        ]

    def _are_shared(self, modules: Collection[str]) -> bool:
        """Whether a good part of the public modules or commands import one of these, if nothing is exported.

        Or whether one of them runs for a good part of what is exported lazily.
        """
        if any(map(self._lazy.are_stopped_by, modules)):
            return True
        if not self._on_import.isdisjoint(self._public):
            return False
        if len(self._commands) >= FEWEST_COMMANDS and _is_share(modules, self._run_by_commands):
            return True
        return len(self._public) <= MOST_PUBLIC and _is_share(modules, self._imported)

    @cached_property
    def _lazy(self) -> LazyExports:
        return LazyExports(self._modules, self._roots)

    @cached_property
    def _imported(self) -> tuple[frozenset[str], ...]:
        """The modules that each public module surely imports."""
        return tuple(map(self._run_with, self._public))

    @cached_property
    def _run_by_commands(self) -> tuple[frozenset[str], ...]:
        """The modules that each command surely imports, one set for commands of one module."""
        return tuple(map(self._run_with, self._commands))

    def _importing(self, owners: Collection[str], words: frozenset[str] | None) -> list[str]:
        """Return the modules that import one of these, nearest to the top first; none named after a release.

        If words are given, only modules count that read one of them, as an attribute or by ``from``.
        """
        either = "|".join(map(re.escape, sorted(owners)))
        imports = imports_of(owners)
        takes = re.compile(rf"^[ \t]*from[ \t]+(?:{either})\b", re.MULTILINE)
        for_others = re.compile(rf"(?:{either}|\b)_?v?\d+\b|_v\d")

        def counts(name: str) -> bool:
            source = self._modules[name].source
            if (is_side_module(name) and name not in self._commands) or for_others.search(name):
                return False
            if not any(owner in source for owner in owners) or not imports.search(source):
                return False
            form = _WORD if takes.search(source) else _ATTRIBUTE
            return words is None or not words.isdisjoint(form.findall(source))

        return sorted(filter(counts, self._modules), key=lambda name: (name.count("."), name))

    def _scopes_of(self, names: list[str], removed: Collection[str]) -> Iterator[Scope]:
        """Yield as many as are analysed; of more, those first that seem to read what was removed."""
        if MOST_SOURCE < sum(len(self._modules[name].source) for name in names) <= MOST_SEARCHED:
            suspects = Suspects(removed)
            names = sorted(names, key=lambda name: self._modules[name].source not in suspects)
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
            except UNREADABLE:
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
            named = [name for name in said if below.search(self._modules[name].source)]
            tried = (name for scope in filter(None, map(self._scope, named)) for name in scope.tried())
            self._tried[module] = any(module in with_parents(name) for name in tried)
        return self._tried[module]

    def _knows(self, name: str, scope: Scope) -> bool:
        """Whether the distribution sets a name itself, asks for it as a string, or brings it back."""
        word = name.rpartition(".")[2]
        text = rf"[\"']{word}[\"']"
        if word not in self._assigned:
            # From a word boundary, or else long ones, as protoc writes them, are scanned from each letter.
            assignment = re.compile(rf"\.{word}\s*=[^=]|\b\w+attr\([^()\n]*{text}")
            self._assigned[word] = any(map(assignment.search, self._saying(word)))
        return self._assigned[word] or brings_back(name, scope.source) or bool(re.search(text, scope.source))

    def _saying(self, word: str) -> Iterator[str]:
        """Yield sources that contain a word: a plain search takes a tenth of the time of a pattern."""
        return (module.source for module in self._modules.values() if word in module.source)


def _is_share(modules: Collection[str], importing: Collection[Collection[str]]) -> bool:
    """Whether a good part of these have one of the modules."""
    return sum(not frozenset(modules).isdisjoint(those) for those in importing) * SHARE >= len(importing)
