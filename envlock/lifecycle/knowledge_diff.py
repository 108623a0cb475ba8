"""How two knowledge bases differ, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass

from envlock.model.frozen import dataclass
from envlock.model.knowing.entries import entries, in_words
from envlock.model.knowing.knowledge import Knowledge

_UNCOMPARED = frozenset({"file"})
"""Fields that are not compared: the file that holds a fact does not change what it states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One field of an entry that has changed."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryChange:
    """One entry of a knowledge base that was added, removed or changed.

    Attributes:
        kind: ``fact``, ``build``, ``coverage`` ...
        key: identifies it among its kind.
        changes: the fields that differ; empty if it was added or removed.
    """

    kind: str
    key: str
    changes: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeDiff:
    """All differences between two knowledge bases, sorted by kind and key."""

    added: tuple[EntryChange, ...]
    removed: tuple[EntryChange, ...]
    changed: tuple[EntryChange, ...]

    @property
    def empty(self) -> bool:
        """Whether both say the same."""
        return not (self.added or self.removed or self.changed)


def diff_knowledge(old: Knowledge, new: Knowledge) -> KnowledgeDiff:
    """Return what was added, removed and changed from one knowledge base to another."""
    before, after = entries(old), entries(new)
    others = sorted(key for key in before.keys() & after.keys() if before[key] != after[key])
    changed = [
        EntryChange(kind=kind, key=key, changes=found)
        for kind, key in others
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
            yield FieldChange(name="of", old=in_words(old), new=in_words(new))
        return
    for field in fields(old):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if before != after and field.name not in _UNCOMPARED:
            yield FieldChange(name=field.name, old=in_words(before), new=in_words(after))
