"""Compares the public interfaces of two releases with griffe, from their sources alone."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

import griffe

from envlock.analysis.imports.statements import with_parents
from envlock.edges.api.makers import Makers
from envlock.edges.api.packages import (
    Object,
    classes_of,
    defined_at,
    find,
    has,
    inherited_by,
    load_package,
    modules_of,
    unread_modules,
)
from envlock.edges.api.parameters import changed_parameter
from envlock.edges.api.sources import Sources, unpack_sources
from envlock.edges.archive_damage import DamagedError
from envlock.model.frozen import dataclass
from envlock.model.published.api import Api, ApiChange, ApiChangeKind, ApiState

_KINDS = {
    griffe.BreakageKind.OBJECT_REMOVED: ApiChangeKind.REMOVED,
    griffe.BreakageKind.OBJECT_CHANGED_KIND: ApiChangeKind.OTHER_KIND,
    griffe.BreakageKind.PARAMETER_REMOVED: ApiChangeKind.PARAMETER_REMOVED,
    griffe.BreakageKind.PARAMETER_CHANGED_REQUIRED: ApiChangeKind.PARAMETER_REQUIRED,
    griffe.BreakageKind.PARAMETER_ADDED_REQUIRED: ApiChangeKind.PARAMETER_ADDED,
    griffe.BreakageKind.PARAMETER_MOVED: ApiChangeKind.PARAMETER_MOVED,
    griffe.BreakageKind.PARAMETER_CHANGED_KIND: ApiChangeKind.PARAMETER_BY_NAME,
}
"""The kinds of changes that can make a correct call fail: not those of defaults, values and annotations."""
_CALLABLE = frozenset({griffe.Kind.CLASS, griffe.Kind.FUNCTION})
_CALLED = frozenset({"__init__", "__call__", "__getitem__", "__contains__"})
"""Special methods whose use is visible in code."""
_SET = re.compile(r"\.(\w+)\s*(?::[^=\n]*)?=(?!=)")
"""An attribute that is assigned."""


def compare(old: Path, new: Path, folder: Path) -> Api:
    """Return what one release's public interface has lost, or takes other arguments for, in another.

    Args:
        old: the wheel or sdist of the earlier release.
        new: that of the later release.
        folder: an empty one, to unpack them into.
    """
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    before, after = folder / "old", folder / "new"
    try:
        was, becomes = unpack_sources(old, before), unpack_sources(new, after)
    except DamagedError:
        return Api(state=ApiState.UNREADABLE)
    if not was.packages or not becomes.packages:
        return Api(state=ApiState.NO_SOURCES, compiled=len(becomes.compiled))
    found = _Found(old_sources=was, new_sources=becomes)
    for name in was.compiled - becomes.compiled - becomes.modules:
        if not any(part.startswith("_") for part in name.split(".")):
            found.add(ApiChange(kind=ApiChangeKind.REMOVED, name=name))
    for package in was.packages:
        _compare_package(package, before, after, found)
    return Api(
        state=ApiState.COMPARED,
        packages=was.packages,
        changes=tuple(
            sorted(found.changes.values(), key=lambda change: (change.name, change.kind, change.parameter))
        ),
        names=found.names,
        classes=frozenset(found.classes),
        makers=found.makers,
        holders=found.holders,
        gone=found.gone,
        kept=frozenset(found.kept),
        compiled=len(becomes.compiled),
        unread=len(found.unread),
    )


@dataclass(slots=True, kw_only=True)
class _Found:
    """The findings so far, across the packages of a distribution.

    ``unread`` are modules of either release that cannot be read: they may be in the syntax of a newer Python.
    """

    old_sources: Sources
    new_sources: Sources
    changes: dict[tuple[str, str, str], ApiChange] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)
    makers: dict[str, str] = field(default_factory=dict)
    holders: dict[str, str] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)

    def may_be_there(self, name: str) -> bool:
        """Whether a name is one of a module of the new release that has no sources or cannot be read."""
        return any(_is_within(name, module) for module in (*self.new_sources.compiled, *self.unread))

    def add(self, change: ApiChange) -> None:
        """Add a change once."""
        self.changes[change.kind, change.name, change.parameter] = change


def _compare_package(package: str, before: Path, after: Path, found: _Found) -> None:
    old = load_package(package, before)
    found.unread |= unread_modules(package, old, found.old_sources.modules)
    if old is None:
        return
    _read_names(old, found)
    if package not in found.new_sources.packages:
        if package not in found.new_sources.compiled:
            found.add(ApiChange(kind=ApiChangeKind.REMOVED, name=package))
        return
    new = load_package(package, after)
    unread = unread_modules(package, new, found.new_sources.modules)
    found.unread |= unread
    if new is None:
        return
    was = _old_names(old, new, found.names)
    for breakage in griffe.find_breaking_changes(old, new):
        if breakage.kind in _KINDS and (change := _change(breakage, was, new, found)) is not None:
            found.add(change)
    _read_inherited(old, found)
    gone = {change.name for change in found.changes.values() if change.kind is ApiChangeKind.REMOVED}
    found.kept |= {
        name
        for name, place in found.names.items()
        if not gone.isdisjoint(with_parents(place)) and has(new, name)
    }
    if not unread:
        _read_gone(old, new, after, found)


def _read_gone(old: griffe.Module, new: griffe.Module, after: Path, found: _Found) -> None:
    """Record attributes and methods whose names are all gone, so that the name alone identifies them.

    Methods may set more attributes than griffe sees.
    """
    there = {
        name
        for module in modules_of(new)
        for class_ in (module, *classes_of(module))
        for name in class_.members
    }
    for file in after.rglob("*.py"):
        there.update(_SET.findall(file.read_text("utf-8", "replace")))
    for module in modules_of(old):
        for class_ in classes_of(module):
            lost = (name for name in class_.members if name not in there and not name.startswith("_"))
            found.gone |= {name: f"{class_.path}.{name}" for name in lost}


def _read_names(old: griffe.Module, found: _Found) -> None:
    """Record other names of objects, classes, and the functions that return their instances."""
    makers = Makers(old)
    for module in modules_of(old):
        for member in module.members.values():
            if isinstance(member, griffe.Alias):
                if (place := defined_at(member)) and place.partition(".")[0] == old.name:
                    found.names[member.path] = place
            elif isinstance(member, griffe.Function) and (made := makers.made(member)):
                found.makers[member.path] = made
        for class_ in classes_of(module):
            found.classes.add(class_.path)
            for name, member in class_.members.items():
                if isinstance(member, griffe.Function) and (made := makers.made(member)):
                    found.makers[f"{class_.path}.{name}"] = made
                elif isinstance(member, griffe.Attribute) and (held := makers.held(member)):
                    found.holders[f"{class_.path}.{name}"] = held


def _read_inherited(old: griffe.Module, found: _Found) -> None:
    """Record inherited methods that changed or make objects, by the subclass's name for them."""
    changed = {change.name for change in found.changes.values()}
    for module in modules_of(old):
        for class_ in classes_of(module):
            for name, member in inherited_by(class_).items():
                place = defined_at(member)
                if place in changed:
                    found.names[f"{class_.path}.{name}"] = place
                if (held := found.holders.get(place)) is not None:
                    found.holders.setdefault(f"{class_.path}.{name}", held)
                if (made := found.makers.get(place)) is not None:  # one returning its own class does so here
                    own = made == place.rpartition(".")[0]
                    found.makers.setdefault(f"{class_.path}.{name}", class_.path if own else made)


def _old_names(old: griffe.Module, new: griffe.Module, names: Mapping[str, str]) -> Mapping[str, str]:
    """Map where moved objects are defined in the new release to where they were in the old one."""
    moved = {}
    for name, place in names.items():
        there = find(new, name)
        now = defined_at(there) if there is not None else ""
        if now and now != place and not has(old, now):
            moved[now] = place
    return moved


def _change(
    breakage: griffe.Breakage, was: Mapping[str, str], new: griffe.Module, found: _Found
) -> ApiChange | None:
    kind = _KINDS[breakage.kind]
    name = _renamed(breakage.obj.path, was)
    last = name.rpartition(".")[2]
    if last.startswith("__") and last not in _CALLED:
        return None
    if kind is ApiChangeKind.REMOVED:
        return _removal(name, was, new, found)
    if kind is ApiChangeKind.OTHER_KIND:
        kinds = {breakage.old_value, breakage.new_value}
        harmless = kinds <= _CALLABLE or griffe.Kind.ATTRIBUTE in kinds
        return None if harmless else ApiChange(kind=kind, name=name)
    return changed_parameter(breakage, kind, name)


def _removal(name: str, was: Mapping[str, str], new: griffe.Module, found: _Found) -> ApiChange | None:
    if found.may_be_there(name):
        return None
    now = {place: there for there, place in was.items()}
    parent, _, last = name.rpartition(".")
    if any(_promised(new, place, last) for place in (parent, _renamed(parent, now))):
        return None
    served = any(_served(new, place) for place in {parent, _renamed(parent, now)})
    return ApiChange(kind=ApiChangeKind.REMOVED, name=name, sure=not served)


def _is_within(name: str, whole: str) -> bool:
    return name == whole or name.startswith(f"{whole}.")


def _renamed(name: str, was: Mapping[str, str]) -> str:
    head, tail = name, ""
    while head:
        if head in was:
            return f"{was[head]}{tail}"
        head, dot, last = head.rpartition(".")
        tail = f"{dot}{last}{tail}"
    return name


def _promised(new: griffe.Module, parent: str, name: str) -> bool:
    """Whether a module that serves names at run time lists this one among its exports."""
    found = find(new, parent)
    if not isinstance(found, griffe.Module) or "__getattr__" not in found.members:
        return False
    return name in {str(export) for export in found.exports or ()}


def _served(new: griffe.Module, parent: str) -> bool:
    """Whether the parent of a name might still serve it at run time."""
    found = find(new, parent)
    if found is None:
        return True
    try:
        members = found.all_members.keys()
        dynamic = bool({"__getattr__", "__getattribute__"} & members) or any(
            "*" in member for member in members
        )
        one = found.final_target if isinstance(found, griffe.Alias) else found
        unread = isinstance(one, griffe.Class) and not all(_known(base, one) for base in one.bases)
    except (griffe.GriffeError, ValueError):
        return True
    return dynamic or unread


def _known(base: object, found: Object) -> bool:
    """Whether a class's base was read, so that what it passes on is known."""
    path = base.canonical_path if isinstance(base, griffe.Expr) else str(base)
    return path in {"object", "builtins.object"} or path.partition(".")[0] == found.package.name
