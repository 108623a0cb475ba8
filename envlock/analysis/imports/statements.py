"""Which names of others are read when modules are imported, by what must be present for that."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count

from envlock.analysis.imports.guards import Conditions, Guards
from envlock.analysis.imports.modules import Module
from envlock.analysis.imports.old_words import parsed_with_old_words
from envlock.analysis.imports.running import OnImport
from envlock.analysis.imports.six_copies import read_by_find_module
from envlock.analysis.imports.stores import stored_attributes
from envlock.analysis.syntax_trees import UNREADABLE


def reads_on_import(modules: Mapping[str, Module], roots: Sequence[str]) -> dict[str, str]:
    """Map dotted names that are surely read when the roots are imported to file and line.

    They are read whatever else is present. Names that the modules themselves set (``np.float = float``) are
    left out.

    Args:
        modules: dotted name of a module -> the module.
        roots: the modules that are imported; what they import of the others counts, too.
    """
    return reads_by_guards(modules, roots)[frozenset()]


def reads_by_guards(
    modules: Mapping[str, Module], roots: Sequence[str], *, postponed: bool = False
) -> dict[Guards, dict[str, str]]:
    """Map guards to reads as in ``reads_on_import``, by what must be present (``if is_peft_available():``).

    A module counts where its import needs least; annotations do not count if the interpreter defers them.
    """
    found: dict[Guards, dict[str, str]] = {frozenset(): {}}
    stored: set[str] = set()
    for name, guards, tree, visitor in _run_on_import(modules, roots, postponed=postponed):
        stored |= stored_attributes(tree, modules[name].source)
        for below, lines in visitor.reads.items():
            places = found.setdefault(below, {})
            for read, line in lines.items():
                places.setdefault(read, f"{modules[name].file}:{line}")
        compiled = found.setdefault(guards, {})
        compiled |= {read: modules[name].file for read in modules[name].reads if read not in compiled}
    return {
        guards: {name: where for name, where in reads.items() if name.rpartition(".")[2] not in stored}
        for guards, reads in found.items()
    }


class RunOnImport:
    """Which of these modules are surely imported with others, whatever else is present.

    Asked for many roots, it parses each module once.
    """

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self._modules = modules
        self._conditions = Conditions(modules)
        self._direct: dict[str, tuple[str, ...] | None] = {}

    def with_these(self, roots: Iterable[str]) -> frozenset[str]:
        """Return the modules that are surely imported with the roots, and those."""
        seen = set[str]()
        queue = [*roots]
        while queue:
            for name in _names_of(queue.pop(), self._modules):
                if name not in seen:
                    seen.add(name)
                    queue.extend(self._imported_by(name) or ())
        return frozenset(name for name in seen if self._imported_by(name) is not None)

    def _imported_by(self, name: str) -> tuple[str, ...] | None:
        """Return what a module imports itself, None if it cannot be parsed."""
        if name not in self._direct:
            run = _run(name, self._modules, self._conditions, frozenset())
            imports = run[1].imports if run else ()
            self._direct[name] = tuple(one for one, needed in imports if not needed) if run else None
        return self._direct[name]


def _run_on_import(
    modules: Mapping[str, Module], roots: Sequence[str], *, postponed: bool
) -> Iterator[tuple[str, Guards, ast.Module, OnImport]]:
    """Yield each module imported with the roots, what must be present for that, and what runs of it."""
    conditions = Conditions(modules)
    turns = count()
    queue = [(0, next(turns), module, frozenset[str]()) for module in roots]
    seen = set[str]()
    while queue:
        _, _, module, guards = heappop(queue)
        for name in _names_of(module, modules):
            if name in seen:
                continue
            seen.add(name)
            run = _run(name, modules, conditions, guards, postponed=postponed)
            if run is None:
                continue
            tree, visitor = run
            yield name, guards, tree, visitor
            for imported, needed in visitor.imports:
                heappush(queue, (len(needed), next(turns), imported, needed))


def _run(
    name: str,
    modules: Mapping[str, Module],
    conditions: Conditions,
    guards: Guards,
    *,
    postponed: bool = False,
) -> tuple[ast.Module, OnImport] | None:
    """Return what runs of a module when it is imported where this is present, None if it cannot be parsed."""
    visitor = OnImport(name, conditions, guards, is_package=modules[name].is_package)
    visitor.postponed = postponed
    try:
        tree, old_words = parsed_with_old_words(modules[name].source)
        visitor.reads[guards] = old_words
        visitor.visit(tree)
        for reads in visitor.reads.values():
            reads.update(read_by_find_module(reads, modules))
    except UNREADABLE:
        return None
    return tree, visitor


def _names_of(imported: str, modules: Mapping[str, Module]) -> list[str]:
    """Return the modules that run for an imported name, parents first: none of another distribution."""
    while imported and imported not in modules:  # a name in a module, or a module of another distribution
        imported = imported.rpartition(".")[0]
    return [name for name in with_parents(imported) if name in modules]


def with_parents(module: str) -> list[str]:
    """Return a module's parent packages, outermost first, and the module itself."""
    parts = module.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))] if module else []
