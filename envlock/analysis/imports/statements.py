"""Which names of others are read when modules are imported, by what must be present for that."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count

from envlock.analysis.imports.guards import Conditions, Guards
from envlock.analysis.imports.modules import Module
from envlock.analysis.imports.old_words import parsed_with_old_words
from envlock.analysis.imports.running import OnImport
from envlock.analysis.imports.six_copies import read_by_find_module
from envlock.analysis.imports.stores import stored_attributes


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


def run_on_import(modules: Mapping[str, Module], roots: Sequence[str]) -> frozenset[str]:
    """Return the modules that are surely imported with the roots, whatever else is present."""
    return frozenset(name for name, guards, _, _ in _run_on_import(modules, roots) if not guards)


def _run_on_import(
    modules: Mapping[str, Module], roots: Sequence[str], *, postponed: bool = False
) -> Iterator[tuple[str, Guards, ast.Module, OnImport]]:
    """Yield each module imported with the roots, what must be present for that, and what runs of it."""
    conditions = Conditions(modules)
    turns = count()
    queue = [(0, next(turns), module, frozenset[str]()) for module in roots]
    seen = set[str]()
    while queue:
        _, _, module, guards = heappop(queue)
        while module and module not in modules:  # a name in a module, or a module of another distribution
            module = module.rpartition(".")[0]
        for name in with_parents(module):
            if name in seen or name not in modules:
                continue
            seen.add(name)
            visitor = OnImport(name, conditions, guards, is_package=modules[name].is_package)
            visitor.postponed = postponed
            try:
                tree, old_words = parsed_with_old_words(modules[name].source)
                visitor.reads[guards] = old_words
                visitor.visit(tree)
                for reads in visitor.reads.values():
                    reads.update(read_by_find_module(reads, modules))
            except (SyntaxError, ValueError, RecursionError):
                continue
            yield name, guards, tree, visitor
            for imported, needed in visitor.imports:
                heappush(queue, (len(needed), next(turns), imported, needed))


def with_parents(module: str) -> list[str]:
    """Return a module's parent packages, outermost first, and the module itself."""
    parts = module.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))] if module else []
