"""What version moves break in code that uses the components: recorded changes, and what versions announce."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from envlock.lifecycle.steps import Move, Step, StepKind
from envlock.model.component import InvalidVersion, parse_version
from envlock.model.frozen import dataclass
from envlock.model.knowing.change import Change
from envlock.model.knowing.fact import Source
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import YOU


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """One change of an interface, in the direction of the move.

    Attributes:
        old: the name or call in existing code; empty if a step back makes it available again.
        new: what to write instead; empty if nothing replaces it.
        since: the release that made the change.
        breaking: whether code with the old name fails.
        note: one sentence of the knowledge base, which describes the step forwards; empty backwards.
        sources: where this was read.
        of: what the first name in ``old`` stands for; empty if programs cannot be searched for it.
    """

    old: str
    new: str
    since: str
    breaking: bool
    note: str
    sources: tuple[Source, ...]
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A moved component that breaks code, or may.

    Attributes:
        component: its identifier in the new lock.
        old: its version before.
        new: its version after.
        step: the step between them.
        asked_by: who asks for it in the new lock; ``you`` for the group itself.
        renames: recorded changes between the two versions, breaking ones first; empty if only the version
            numbers announce that something may break.
    """

    component: str
    old: str
    new: str
    step: Step
    asked_by: tuple[str, ...]
    renames: tuple[Rename, ...]

    @property
    def backwards(self) -> bool:
        """Whether the new version is the older one."""
        return self.step.kind is StepKind.DOWNGRADE

    @property
    def breaking(self) -> bool:
        """Whether it is known to break code.

        Of a step back that is not known: what to write since a change was mostly there before it, too
        (``np.isin`` in place of ``np.in1d``, ``tf.compat.v1.Session`` in place of ``tf.Session``).
        """
        return not self.backwards and any(rename.breaking for rename in self.renames)

    @property
    def undoes(self) -> bool:
        """Whether it is a step back behind changes that broke code, so that what they brought may be gone."""
        return self.backwards and any(rename.breaking for rename in self.renames)


def find_breaks(
    moves: Iterable[Move], knowledge: Knowledge, asked_by: Mapping[str, tuple[str, ...]]
) -> tuple[Break, ...]:
    """Return what moves break: known breaks first, then possible ones; the group's own wishes before others.

    Args:
        moves: the components that moved.
        knowledge: the recorded changes.
        asked_by: component -> who asks for it in the new lock.
    """
    found = []
    for move in moves:
        renames = _renames(move, knowledge)
        if renames or (move.step.may_break and not _is_surroundings(move, knowledge)):
            found.append(
                Break(
                    component=move.new.component,
                    old=move.old.version,
                    new=move.new.version,
                    step=move.step,
                    asked_by=asked_by.get(move.new.component, ()),
                    renames=renames,
                )
            )
    return tuple(
        sorted(
            found,
            key=lambda b: (not b.breaking, not b.undoes, not b.renames, YOU not in b.asked_by, b.component),
        )
    )


def _is_surroundings(move: Move, knowledge: Knowledge) -> bool:
    """Whether the component is one of the node that no code is written against: driver, GPU, C library."""
    system = knowledge.systems.get(move.new.component)
    return system is not None and system.fixed


def _renames(move: Move, knowledge: Knowledge) -> tuple[Rename, ...]:
    parts = (move.old.component, move.new.component)
    names = {*parts, *(knowledge.flavour_of(name) for name in parts)}
    back = move.step.kind is StepKind.DOWNGRADE
    low, high = move.old.version, move.new.version
    if back:
        low, high = high, low
    crossed = [
        change
        for name in sorted(names)
        for change in knowledge.changes.get(name, ())
        if _crosses(low, high, change.version)
    ]
    renames = [_undone(change) if back else _done(change) for change in crossed]
    return tuple(sorted(renames, key=lambda rename: (not rename.breaking, parse_version(rename.since))))


def _crosses(low: str, high: str, version: str) -> bool:
    """Whether a release lies after the lower version and not after the higher one."""
    try:
        return parse_version(low) < parse_version(version) <= parse_version(high)
    except InvalidVersion:
        return False


def _done(change: Change) -> Rename:
    return Rename(
        old=change.old,
        new=change.new,
        since=change.version,
        breaking=change.breaking,
        note=change.note,
        sources=change.sources,
        of=change.of,
    )


def _undone(change: Change) -> Rename:
    """Reverse a change: its new name is gone, and a name that it removed is back."""
    return Rename(
        old=change.new,
        new=change.old,
        since=change.version,
        breaking=change.breaking and bool(change.new),
        note="",
        sources=change.sources,
    )
