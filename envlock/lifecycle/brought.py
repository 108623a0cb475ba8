"""Distributions of a lock that the site's modules bring: nothing here can install them."""

from __future__ import annotations

from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import modules_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What a lock rests on that is the site's own.

    Attributes:
        distributions: each distribution with its version.
        modules: what is loaded to use the whole lock, in order; none where the site's are there without.
    """

    distributions: tuple[str, ...]
    modules: tuple[str, ...]

    @property
    def use(self) -> str:
        """What a person does, where an environment of ours cannot be had."""
        return f"module load {' '.join(self.modules)}" if self.modules else "use the site's own installation"


def brought_by_site(lock: Lock, knowledge: Knowledge) -> Brought | None:
    """What a lock takes of the site besides system components; ``None`` where its environment can be made."""
    pins = [pin for pin in lock.systems if pin.component not in knowledge.systems]
    if not pins:
        return None
    return Brought(
        distributions=tuple(f"{pin.component} {pin.version}" for pin in pins),
        modules=modules_of(lock.systems),
    )
