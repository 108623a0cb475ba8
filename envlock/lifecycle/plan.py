"""What to ask of the probe, derived from a lock."""

from __future__ import annotations

from collections.abc import Iterator

from envlock.lifecycle.expectations import expectations
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.integrity import Inventory
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import YOU, DistributionPin
from envlock.model.proving.probing import Deadlines, Plan, ToImport

LARGEST = 1 << 28
"""Default size of the largest message in bytes, 256 MiB: what a large model's layers sum at once."""

_PATIENCE_S = 20.0
"""Seconds for messages beyond 1 MiB, so that a first proof takes only minutes on any network."""

_LONG_S = 24 * 3600.0
"""Seconds for the whole run where messages grow however long that takes; each phase has its own limit."""


def plan_verification(
    lock: Lock,
    knowledge: Knowledge,
    inventory: Inventory | None = None,
    *,
    ranks: int,
    max_bytes: int | None = None,
) -> Plan:
    """Plan to verify all that the lock promises: everything in one process, and every way to communicate.

    What the group asked for by name is imported first, as its users do. Distributions that only carry a
    system component have no module to import, and plug-ins that only another one loads are left to it.

    Args:
        lock: the group's lock.
        knowledge: says what carries a system component, and which builds are TensorFlow.
        inventory: the environment's files when it was complete; without it, unowned files are not reported.
        ranks: how many ranks communicate.
        max_bytes: the largest message, however long it takes; by default 256 MiB, or less if time runs out.
    """
    carriers = {provider.distribution for provider in knowledge.providers}
    pins = sorted(lock.distributions, key=lambda pin: (YOU not in pin.asked_by, pin.name))
    return Plan(
        distributions=tuple(
            ToImport(
                name=pin.name,
                version=pin.version,
                wanted=YOU in pin.asked_by,
                imports=() if _left_to_another(pin, knowledge) else None,
            )
            for pin in pins
            if pin.component not in carriers
        ),
        back_ends=tuple(_back_ends(lock, knowledge)),
        ranks=ranks,
        max_bytes=LARGEST if max_bytes is None else max_bytes,
        patience_s=_PATIENCE_S if max_bytes is None else 0.0,
        deadlines=Deadlines() if max_bytes is None else Deadlines(ranks=_LONG_S),
        expect=expectations(lock, knowledge, inventory),
    )


def _left_to_another(pin: DistributionPin, knowledge: Knowledge) -> bool:
    """Whether it is loaded by another alone; a list of everything that was installed names it as well."""
    return any(
        plugin.distribution == pin.component and plugin.range.contains(pin.version.partition("+")[0])
        for plugin in knowledge.running.plugins
    )


def _back_ends(lock: Lock, knowledge: Knowledge) -> Iterator[str]:
    pins = {knowledge.flavour_of(pin.component): pin for pin in lock.distributions}
    if "mpi4py" in pins:
        yield "mpi4py"
    if "torch" in pins:
        yield from ("torch-gloo", "torch-nccl", "torch-mpi")
    if "horovod" in pins:
        yield from (f"horovod-{name}" for name in ("torch", "tensorflow") if name in pins)
