"""Functions that people reach whatever they use of a distribution: through what it exports."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from envlock.analysis.functions.asking import Function, is_aside
from envlock.analysis.functions.definitions import Definition, Definitions
from envlock.analysis.functions.uses import uses_of
from envlock.analysis.imports.guards import Conditions
from envlock.analysis.imports.modules import Module, own_of

_MAIN = ("__init__", "fit", "forward", "__call__")
"""Methods that run, sooner or later, for everybody who makes an object of a class."""

SHARE = 3
"""A failure is central if at least one in this many of a distribution's exports reaches it."""

_MANY = 60
"""A distribution that exports more has parts that people use one by one."""

_DEEPEST = 8


class Place(NamedTuple):
    """A function or a method: its module, and its name in it."""

    module: str
    function: str


class Entry(NamedTuple):
    """Something that is exported: where it begins, and if it is a class, its other public methods."""

    begins: Sequence[Place]
    methods: Sequence[Place]


class Central:
    """The call paths through one distribution's functions that are surely taken."""

    def __init__(self, modules: Mapping[str, Module], conditions: Conditions) -> None:
        self._modules = modules
        self._conditions = conditions
        self._definitions = Definitions(modules)
        self._calls: dict[str, dict[str, set[Place]]] = {}

    def among(
        self, places: Collection[Place], roots: Sequence[str], public: Sequence[str]
    ) -> frozenset[Place]:
        """Return the functions that a third of all exports reach together; none if it is less.

        Args:
            places: the functions.
            roots: the modules that are imported; their exports count.
            public: the modules whose exports count if the roots export nothing.
        """
        entries = self._few(roots) or self._few(public)
        hit = [met for entry in entries if (met := self._met(entry, places))]
        return frozenset[Place]().union(*hit) if len(hit) * SHARE >= len(entries) else frozenset()

    def _met(self, entry: Entry, places: Collection[Place]) -> set[Place]:
        """Return which of the places an export reaches: a class also where half of its methods reach one."""
        met = self._reached(entry.begins).intersection(places)
        failing = [self._reached([method]).intersection(places) for method in entry.methods]
        return met.union(*failing) if sum(map(bool, failing)) * 2 >= len(failing) else met

    def _few(self, modules: Sequence[str]) -> list[Entry]:
        """Return the entries; none if there are too many for anybody to use half of them."""
        first = list(islice(self._entries(modules), _MANY + 1))
        return first if len(first) <= _MANY else []

    def _entries(self, modules: Iterable[str]) -> Iterator[Entry]:
        """Yield where each class or function that modules export begins."""
        seen = set[Place]()
        for module in modules:
            for name in self._definitions.names(module):
                found = self._definitions.bound_in(module, name)
                if name.startswith("_") or found is None or found.inside or is_aside(found.node):
                    continue
                place = Place(found.module, found.node.name)
                entry = self._entry(found)
                if entry.begins and place not in seen:
                    seen.add(place)
                    yield entry

    def _entry(self, found: Definition) -> Entry:
        if not isinstance(found.node, ast.ClassDef):
            return Entry([Place(found.module, found.node.name)], [])
        begins = [place for name in _MAIN for place in self._method(found, name, _DEEPEST)]
        named = [statement.name for statement in found.node.body if isinstance(statement, Function)]
        methods = [name for name in named if not name.startswith("_") and name not in _MAIN]
        return Entry(begins, [Place(found.module, f"{found.node.name}.{name}") for name in methods])

    def _method(self, found: Definition, name: str, left: int) -> list[Place]:
        """Return where a class defines a method, or a base in the same distribution does."""
        owner = found.node
        if not isinstance(owner, ast.ClassDef) or not left:
            return []
        if any(isinstance(statement, Function) and statement.name == name for statement in owner.body):
            return [Place(found.module, f"{owner.name}.{name}")]
        for base in owner.bases:
            target = self._definitions.target(found.module, base)
            of_it = self._definitions.of(target) if target else None
            if of_it is not None and not of_it.inside and (places := self._method(of_it, name, left - 1)):
                return places
        return []

    def _reached(self, begins: Iterable[Place]) -> set[Place]:
        queue, seen = list(begins), set(begins)
        while queue:
            place = queue.pop()
            new = self._calls_in(place.module).get(place.function, set()) - seen
            seen |= new
            queue.extend(new)
        return seen

    def _calls_in(self, module: str) -> dict[str, set[Place]]:
        """Map a module's functions to the places in the distribution that each surely calls."""
        if module not in self._calls:
            calls = defaultdict[str, set[Place]](set)
            self._calls[module] = calls
            scope = self._definitions.scope(module)
            own = own_of(self._modules)
            for use in uses_of(scope, self._conditions, own, (), is_own=True) if scope else ():
                if use.call is not None and use.is_sure and use.function:
                    calls[use.function].update(self._meant(use.name))
        return self._calls[module]

    def _meant(self, name: str) -> list[Place]:
        found = self._definitions.of(name)
        if found is None:
            return []
        if isinstance(found.node, ast.ClassDef):
            return self._method(found, found.inside or "__init__", _DEEPEST)
        return [] if found.inside else [Place(found.module, found.node.name)]
