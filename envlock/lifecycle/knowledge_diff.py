"""What tells two knowledge bases apart, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from itertools import chain

from envlock.model.component import Range
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition, Source
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


def entries(knowledge: Knowledge) -> Mapping[tuple[str, str], object]:
    """Every entry by its kind and a key that stays the same where only what it says changes."""
    k = knowledge
    found: dict[tuple[str, str], object] = {("component", name): one for name, one in k.systems.items()}
    found |= {("fact", fact.id): fact for fact in k.facts}
    found |= {("coverage", name): covered for name, covered in k.coverage.items()}
    found |= {("provider", f"{p.component} by {p.distribution}"): p for p in k.providers}
    found |= {
        ("build", " ".join(f"{b.distribution} {b.range.text} {b.label} {b.machine}".split())): b
        for b in k.bundles
    }
    found |= {("change", f"{c.distribution} {c.version} {c.old or c.new}"): c for c in k.changes}
    found |= {("recipe", f"{r.distribution} {r.range.text}".rstrip()): r for r in k.recipes}
    found |= {("variable", f"{v.distribution} {v.name} {v.range.text}"): v for v in k.variables}
    found |= {("old-tool", f"{o.tool} {o.range.text}"): o for o in k.old_tools}
    found |= {("failure", f.id): f for f in k.failures}
    found |= {("old-translation", f"{o.tool} {o.range.text} {o.python.text}"): o for o in k.old_translations}
    found |= {
        ("need", " ".join(f"{n.distribution} {n.range.text} of {n.component}".split())): n for n in k.needs
    }
    removals = chain.from_iterable(k.removals.values())
    found |= {("removal", f"{r.component} {r.since} {min(r.names)}"): r for r in removals}
    found |= {("kept-at", name): kept for name, kept in k.kept_at.items()}
    found |= {("flavour", flavour): of for flavour, of in k.flavours.items()}
    return found


def _changes(old: object, new: object) -> Iterable[FieldChange]:
    if isinstance(old, str):
        if old != new:
            yield FieldChange(name="of", old=old, new=str(new))
        return
    for field in fields(old):  # type: ignore[arg-type]
        before, after = getattr(old, field.name), getattr(new, field.name)
        if before != after and field.name not in _UNCOMPARED:
            yield FieldChange(name=field.name, old=told(before), new=told(after))


def told(value: object) -> str:
    """A value of an entry in words."""
    match value:
        case Source():
            return f"{value.title} ({value.checked})"
        case Range():
            return value.text
        case Mapping():
            return ", ".join(f"{name} {told(one)}" for name, one in value.items())
        case tuple():
            return "; ".join(told(one) for one in value)
    if is_dataclass(value) and not isinstance(value, Condition):
        return " ".join(told(getattr(value, field.name)) for field in fields(value))
    return str(value)
