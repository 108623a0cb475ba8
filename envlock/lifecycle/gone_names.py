"""Names that releases have removed, by the knowledge base: what comparing sources cannot see."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from envlock.lifecycle.diff import Diff
from envlock.lifecycle.steps import Move
from envlock.model.component import PYTHON
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.removal import Removal


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneName:
    """A name that the old release of a component has, and the new one has not.

    Attributes:
        note: since when, or what else is known of it.
        sure: whether whoever reads it fails.
    """

    note: str
    sure: bool


def gone_names(
    difference: Diff, installed: Collection[str], knowledge: Knowledge
) -> dict[str, Mapping[str, GoneName]]:
    """Map the components that moved, Python among them, to the names that went with the move.

    Args:
        difference: that of two locks.
        installed: the distributions of the new one, which may provide modules that Python has no longer.
        knowledge: the removals.
    """
    moves = [*difference.distributions.moved, *([difference.python] if difference.python else [])]
    found = {move.new.component: dict(_of(move, installed, knowledge)) for move in moves}
    return {component: names for component, names in found.items() if names}


def _of(move: Move, installed: Collection[str], knowledge: Knowledge) -> Iterator[tuple[str, GoneName]]:
    component = knowledge.flavour_of(move.new.component)
    providers = knowledge.modules if component == PYTHON else {}
    for removal in knowledge.removals.get(component, ()):
        if not _went(removal, move):
            continue
        for name in removal.names:
            others = providers.get(name.partition(".")[0], ())
            if not any(other in installed for other in others):
                beside = f"; {others[0]} provides it" if others else ""
                note = removal.warning or f"gone since {move.new.component} {removal.since}{beside}"
                yield name, GoneName(note=note, sure=not removal.warning)


def _went(removal: Removal, move: Move) -> bool:
    return removal.has_happened(move.new.version) and not removal.has_happened(move.old.version)
