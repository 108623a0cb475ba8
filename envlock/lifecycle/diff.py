"""The difference between two locks: what is added, removed, moved or rebuilt, and what that breaks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from envlock.lifecycle.breaks import Break, find_breaks
from envlock.lifecycle.steps import Move, Part, move
from envlock.model.component import PYTHON, Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import BuildPlan, DistributionPin, SystemPin


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one of the two locks is for, and what it was solved with."""

    group: str
    target: str
    as_of: dt.date | None
    knowledge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement:
    """How one kind of component differs.

    Attributes:
        added: only in the new lock, sorted by name.
        removed: only in the old lock, sorted by name.
        moved: in both, but different.
        kept: how many are the same in both.
    """

    added: tuple[Part, ...]
    removed: tuple[Part, ...]
    moved: tuple[Move, ...]
    kept: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A distribution that keeps its version but must be built again.

    Attributes:
        component: its identifier.
        version: its version.
        why: what goes into its build (what it is compiled against and by, and variables) -> the versions or
            values before and after, each empty where it is absent.
    """

    component: str
    version: str
    why: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """The difference between two locks.

    Attributes:
        old: the lock before.
        new: the lock after.
        python: how the interpreter moved; ``None`` if it did not.
        distributions: how the distributions differ.
        systems: how the system components differ.
        rebuilt: distributions that keep their version but not their build.
        facts_in: facts newly in play -> why.
        facts_gone: facts no longer in play -> why.
        breaks: what breaks, or may break, in code that uses the environment.
    """

    old: Side
    new: Side
    python: Move | None
    distributions: Movement
    systems: Movement
    rebuilt: tuple[Rebuilt, ...]
    facts_in: Mapping[str, str]
    facts_gone: Mapping[str, str]
    breaks: tuple[Break, ...]

    @property
    def empty(self) -> bool:
        """Whether the two locks make the same environment."""
        movements = (self.distributions, self.systems)
        differs = any(part.added or part.removed or part.moved for part in movements)
        return not (differs or self.rebuilt or self.python)


def diff_locks(old: Lock, new: Lock, knowledge: Knowledge) -> Diff:
    """Compare two locks, and look up in the knowledge base which of the differences break code."""
    python = None
    if old.python != new.python:
        python = move(*(Part(component=PYTHON, version=lock.python) for lock in (old, new)))
    distributions = _movement(
        {pin.component: _distribution_part(pin) for pin in old.distributions},
        {pin.component: _distribution_part(pin) for pin in new.distributions},
        knowledge,
    )
    systems = _movement(
        {pin.component: _system_part(pin) for pin in old.systems},
        {pin.component: _system_part(pin) for pin in new.systems},
        knowledge,
    )
    carriers = {pin.distribution for pin in new.systems}  # these move with the component that they carry
    moves = [one for one in distributions.moved if one.new.component not in carriers]
    moves += [*systems.moved, *([python] if python else [])]
    asked_by = {pin.component: pin.asked_by for pin in new.distributions}
    asked_by |= {pin.component: pin.asked_by for pin in new.systems}
    return Diff(
        old=_side(old),
        new=_side(new),
        python=python,
        distributions=distributions,
        systems=systems,
        rebuilt=tuple(_rebuilt(old, new)),
        facts_in=_missing(new.facts, old.facts),
        facts_gone=_missing(old.facts, new.facts),
        breaks=find_breaks(moves, knowledge, asked_by),
    )


def _side(lock: Lock) -> Side:
    return Side(group=lock.group, target=lock.target, as_of=lock.as_of, knowledge=lock.knowledge)


def _distribution_part(pin: DistributionPin) -> Part:
    return Part(
        component=pin.component,
        version=pin.version,
        how=Via.WHEEL if pin.file.is_wheel else Via.BUILD,
        place=pin.file.filename,
        digest=pin.file.sha256,
    )


def _system_part(pin: SystemPin) -> Part:
    return Part(
        component=pin.component,
        version=pin.version,
        how=pin.origin,
        place=" ".join(pin.modules) or pin.prefix,
    )


def _movement(old: Mapping[str, Part], new: Mapping[str, Part], knowledge: Knowledge) -> Movement:
    pairs = {name: name for name in old.keys() & new.keys()} | _changed_flavours(old, new, knowledge)
    moved = [move(old[before], new[after]) for before, after in pairs.items() if old[before] != new[after]]
    return Movement(
        added=tuple(new[name] for name in sorted(new.keys() - set(pairs.values()))),
        removed=tuple(old[name] for name in sorted(old.keys() - pairs.keys())),
        moved=tuple(sorted(moved, key=lambda one: one.new.component)),
        kept=len(pairs) - len(moved),
    )


def _changed_flavours(
    old: Mapping[str, Part], new: Mapping[str, Part], knowledge: Knowledge
) -> dict[str, str]:
    """Map old names to new ones where one flavour of a distribution replaces another."""
    gone: dict[str, list[str]] = {}
    come: dict[str, list[str]] = {}
    for names, found in ((old.keys() - new.keys(), gone), (new.keys() - old.keys(), come)):
        for name in names:
            found.setdefault(knowledge.flavour_of(name), []).append(name)
    return {
        names[0]: come[root][0]
        for root, names in gone.items()
        if len(names) == 1 and len(come.get(root, ())) == 1
    }


def _rebuilt(old: Lock, new: Lock) -> Iterator[Rebuilt]:
    before = {(pin.component, pin.version): pin.build for pin in old.distributions}
    for pin in new.distributions:
        earlier = before.get((pin.component, pin.version))
        if pin.build is None or earlier is None:
            continue
        why = _differences(_inputs(earlier), _inputs(pin.build))
        if old.python != new.python:  # no two interpreters share a build, however close their versions
            why["python"] = (old.python, new.python)
        if why:
            yield Rebuilt(component=pin.component, version=pin.version, why=MappingProxyType(why))


def _inputs(plan: BuildPlan) -> dict[str, str]:
    """Return all of a plan that the key of its build depends on; changed sources by the texts put in."""
    edits = {f"change of {edit.file}": edit.new.strip() or "text left out" for edit in plan.edits}
    tools = {pin.component: pin.version for pin in plan.requires}
    return {**edits, **plan.variables, **tools, **plan.systems, **plan.against}


def _differences(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    names = sorted(old.keys() | new.keys())
    pairs = {name: (old.get(name, ""), new.get(name, "")) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _missing(these: Mapping[str, str], those: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({name: why for name, why in sorted(these.items()) if name not in those})
