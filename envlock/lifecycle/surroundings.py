"""Which system components the evidence for a lock depends on, from a target as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envlock.lifecycle.drift import place_of
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import decided_by_node
from envlock.model.locked.pins import Origin, SystemPin
from envlock.model.project.target import Target

_MPI = "mpi"
_NOT_OFFERED = "not offered"


def systems_now(lock: Lock, target: Target, knowledge: Knowledge) -> dict[str, str]:
    """Map what the node decides to its version, and what the lock takes from the site to version and place.

    What the target's architecture implies is left out: it differs only on another target.
    """
    implied = {offer.component for offer in target.implied}
    decided = {
        name: ", ".join(dict.fromkeys(one.version for one in chosen))
        for name, chosen in decided_by_node(target, knowledge).items()
        if name not in implied
    }
    taken = {pin.component: _taken(pin, target) for pin in lock.systems if pin.origin is Origin.SITE}
    return dict(sorted({**decided, **taken}.items()))


def _taken(pin: SystemPin, target: Target) -> str:
    same = [offer for offer in target.offered(pin.component) if offer.version == pin.version]
    if not same:
        return _NOT_OFFERED
    offer = next((one for one in same if (one.prefix, one.modules) == (pin.prefix, pin.modules)), same[0])
    return f"{offer.version}, {place_of(offer.prefix, offer.modules)}"


def mpi_libraries(families: Mapping[str, object], prefix: str) -> Iterator[str]:
    """Yield the MPI libraries that ranks had mapped, except the environment's, which its lock vouches for.

    Args:
        families: family of native libraries -> paths.
        prefix: the environment's prefix.
    """
    paths = families.get(_MPI)
    for path in paths if isinstance(paths, list) else ():
        if not str(path).startswith(f"{prefix}/"):
            yield str(path)
