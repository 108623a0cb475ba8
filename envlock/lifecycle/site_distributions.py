"""Distributions of a lock that the site's modules provide: envlock cannot install them."""

from __future__ import annotations

from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import modules_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteDistributions:
    """The site's own distributions that a lock relies on.

    Attributes:
        distributions: each distribution with its version.
        modules: the modules to load for the whole lock, in order; empty if none is needed.
    """

    distributions: tuple[str, ...]
    modules: tuple[str, ...]

    @property
    def use(self) -> str:
        """What a person can do where envlock cannot make an environment."""
        return f"module load {' '.join(self.modules)}" if self.modules else "use the site's own installation"


def site_distributions(lock: Lock, knowledge: Knowledge) -> SiteDistributions | None:
    """What a lock takes from the site besides system components; ``None`` if its environment can be made."""
    pins = [pin for pin in lock.systems if pin.component not in knowledge.systems]
    if not pins:
        return None
    return SiteDistributions(
        distributions=tuple(f"{pin.component} {pin.version}" for pin in pins),
        modules=modules_of(lock.systems),
    )
