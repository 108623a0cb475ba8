"""Packages that griffe reads from sources, and how to find an object in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import griffe

from envlock.analysis.imports.statements import with_parents

Object = griffe.Object | griffe.Alias


def load_package(package: str, folder: Path) -> griffe.Module | None:
    """Load a package with its modules; ``None`` if griffe cannot read it."""
    try:
        loaded = griffe.load(
            package,
            search_paths=[folder],
            allow_inspection=False,
            try_relative_path=False,
            resolve_aliases=True,
            resolve_external=False,
        )
    except (griffe.GriffeError, ImportError, SyntaxError, RecursionError):
        return None
    if not isinstance(loaded, griffe.Module):
        return None
    _publish(loaded)
    return loaded


def _publish(module: griffe.Module) -> None:
    """Make public what people import: what a package's ``__init__`` gathers from its own modules.

    Griffe considers every import private. Names that lead nowhere stay so, and those in a cycle are dropped.
    """
    top = module.package.name
    for name, member in list(module.members.items()):
        if isinstance(member, griffe.Alias):
            try:
                target = member.final_target.path
            except griffe.CyclicAliasError:
                del module.members[name]
                continue
            except griffe.AliasResolutionError:
                continue
            gathered = module.is_init_module and not module.exports and not name.startswith("_")
            if gathered and target.partition(".")[0] == top:
                member.public = True
        elif isinstance(member, griffe.Module):
            _publish(member)
        elif isinstance(member, griffe.Class):
            _prune(member)


def _prune(class_: griffe.Class) -> None:
    """Drop what a class takes from elsewhere, which griffe cannot compare."""
    for name, member in list(class_.members.items()):
        if isinstance(member, griffe.Class):
            _prune(member)
        elif isinstance(member, griffe.Alias) and not defined_at(member):
            del class_.members[name]


def modules_of(module: griffe.Module) -> Iterator[griffe.Module]:
    """Yield a module and all modules below it."""
    yield module
    for member in module.members.values():
        if isinstance(member, griffe.Module):
            yield from modules_of(member)


def unread_modules(package: str, loaded: griffe.Module | None, modules: Iterable[str]) -> set[str]:
    """Return the modules of a package that are there and could not be read.

    They may be in the syntax of a Python other than the running one. Griffe looks into no folder without an
    ``__init__.py`` inside a package, of examples mostly, so such modules do not count.

    Args:
        package: the package.
        loaded: what was read of it; ``None`` for nothing.
        modules: the dotted names of all modules that have sources.
    """
    there = {package, *modules}
    read = {module.path for module in modules_of(loaded)} if loaded is not None else set[str]()
    own = {name for name in modules if name.partition(".")[0] == package and name not in read}
    return {name for name in own if there.issuperset(with_parents(name)[:-1])}


def classes_of(parent: griffe.Module | griffe.Class) -> Iterator[griffe.Class]:
    """Yield the classes that a module or class defines, with nested ones."""
    for member in parent.members.values():
        if isinstance(member, griffe.Class):
            yield member
            yield from classes_of(member)


def inherited_by(class_: griffe.Class) -> Mapping[str, griffe.Alias]:
    """Return what a class inherits, as far as its bases were read."""
    try:
        return class_.inherited_members
    except (griffe.GriffeError, ValueError, RecursionError):  # bases without a consistent order
        return {}


def defined_at(member: Object) -> str:
    """Return where an object is defined; empty if that is outside, or nowhere."""
    try:
        return member.final_target.path if isinstance(member, griffe.Alias) else member.path
    except griffe.GriffeError:
        return ""


def has(module: griffe.Module, name: str) -> bool:
    """Whether a dotted name leads to something in a package."""
    return find(module, name) is not None


def find(module: griffe.Module, name: str) -> Object | None:
    """Return what a dotted name leads to in a package; ``None`` if nothing."""
    top, _, inner = name.partition(".")
    if top != module.name:
        return None
    try:
        found: Object = module[inner] if inner else module
    except (KeyError, griffe.GriffeError):
        return None
    return found
