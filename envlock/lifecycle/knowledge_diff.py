"""What tells two knowledge bases apart, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass

from envlock.lifecycle.knowledge_entries import entries, told
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge

_UNCOMPARED = frozenset({"file"})
"""Where a fact stands says nothing of what it states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One part of an entry that says something else now."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryChange:
    """One entry of a knowledge base that came, went or changed.

    Attributes:
        kind: what it is: ``fact``, ``build``, ``coverage`` ...
        key: which one it is among its kind.
        changes: what it says now and said before; empty for one that came or went.
    """

    kind: str
    key: str
    changes: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeDiff:
    """All that tells two knowledge bases apart, in the order of kinds and keys."""

    added: tuple[EntryChange, ...]
    removed: tuple[EntryChange, ...]
    changed: tuple[EntryChange, ...]

    @property
    def empty(self) -> bool:
        """Whether both say the same."""
        return not (self.added or self.removed or self.changed)


def diff_knowledge(old: Knowledge, new: Knowledge) -> KnowledgeDiff:
    """What came, went and changed from one knowledge base to another."""
    before, after = entries(old), entries(new)
    changed = [
        EntryChange(kind=kind, key=key, changes=found)
        for kind, key in sorted(before.keys() & after.keys())
        if (found := tuple(_changes(before[kind, key], after[kind, key])))
    ]
    return KnowledgeDiff(
        added=tuple(EntryChange(kind=kind, key=key) for kind, key in sorted(after.keys() - before.keys())),
        removed=tuple(EntryChange(kind=kind, key=key) for kind, key in sorted(before.keys() - after.keys())),
        changed=tuple(changed),
    )


def _changes(old: object, new: object) -> Iterable[FieldChange]:
    if not is_dataclass(old):
        if old != new:
            yield FieldChange(name="of", old=told(old), new=told(new))
        return
    for field in fields(old):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if before != after and field.name not in _UNCOMPARED:
            yield FieldChange(name=field.name, old=told(before), new=told(after))
