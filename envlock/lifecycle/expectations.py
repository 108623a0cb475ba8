"""What a lock and the knowledge base expect of node and builds, in the form that the probe compares with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envlock.model.component import Range
from envlock.model.gpu import AMD
from envlock.model.knowing.fact import Source
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.integrity import Inventory
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import mpi_of
from envlock.model.locked.pins import DistributionPin, SystemPin


def expectations(lock: Lock, knowledge: Knowledge, inventory: Inventory | None) -> dict[str, object]:
    """Return the plan's ``expect``.

    Its parts: ``python``; ``systems``, ``modules`` and ``mpi`` of the lock, the last with the expression that
    finds the version in what its library tells; ``carriers``, distributions that only carry a system
    component; ``editable``, those whose sources lie elsewhere; ``gfx``, the LLVM targets of the nodes' AMD
    GPUs; ``built``, what was compiled in this environment, and against what; ``processor``, ``variables`` and
    ``features``, what the knowledge base says of these releases; and, if there is an inventory of the
    environment, ``unowned``, its files that belong to no distribution, and ``misrecorded``, the hashes of
    those whose RECORD says otherwise.
    """
    systems = {pin.component: pin for pin in lock.systems}
    mpi = mpi_of(lock, knowledge)
    return {
        "python": lock.python,
        "systems": {name: {"version": pin.version, "prefix": pin.prefix} for name, pin in systems.items()},
        "modules": [module for pin in lock.systems for module in pin.modules],
        "mpi": _mpi(mpi, knowledge) if mpi else {},
        "carriers": [index_name(provider.distribution) for provider in knowledge.providers],
        "editable": [pin.name for pin in lock.distributions if pin.file.editable],
        "gfx": sorted({pin.version for pin in lock.systems if pin.component == AMD}),
        "built": {pin.name: dict(pin.build.against) for pin in lock.distributions if pin.build},
        "processor": list(_processor(lock, knowledge)),
        "variables": list(_variables(lock, knowledge)),
        "features": list(_features(lock, knowledge)),
        **({} if inventory is None else _of_inventory(inventory)),
    }


def _of_inventory(inventory: Inventory) -> dict[str, object]:
    return {"unowned": sorted(inventory.unowned), "misrecorded": dict(inventory.misrecorded)}


def _mpi(pin: SystemPin, knowledge: Knowledge) -> dict[str, str]:
    source = knowledge.running.library_version(pin.component)
    return {"component": pin.component, "version": pin.version, "prefix": pin.prefix, "told-by": source}


def _processor(lock: Lock, knowledge: Knowledge) -> Iterator[dict[str, object]]:
    for pin in lock.distributions:
        for known in knowledge.running.instructions:
            names = (pin.component, knowledge.flavour_of(pin.component))
            if pin.build is None and known.distribution in names and _within(known.range, pin.version):
                yield {
                    "distribution": pin.name,
                    "version": pin.version,
                    "machine": known.machine,
                    "features": list(known.features),
                    "source": _first(known.sources),
                }


def _variables(lock: Lock, knowledge: Knowledge) -> Iterator[dict[str, object]]:
    versions = _versions(lock, knowledge)
    for known in knowledge.running.variables:
        if known.component in versions and _within(known.range, versions[known.component]):
            yield {
                "name": known.name,
                "pattern": known.pattern,
                "beside": known.beside,
                "message": known.message,
                "source": _first(known.sources),
            }


def _features(lock: Lock, knowledge: Knowledge) -> Iterator[dict[str, object]]:
    present = _versions(lock, knowledge)
    for pin in lock.distributions:
        for known in knowledge.running.features:
            if known.distribution != knowledge.flavour_of(pin.component) or not _within(
                known.range, pin.version
            ):
                continue
            if known.variable and _built_with(pin).get(known.variable) != known.value:
                continue
            yield {
                "modules": [module for name, module in known.modules.items() if not name or name in present],
                "call": known.call,
                "expected": known.expected,
                "because": f"{known.variable}={known.value}" if known.variable else "every build has it",
            }


def _versions(lock: Lock, knowledge: Knowledge) -> dict[str, str]:
    """Map components to versions; a flavour goes by the name of the distribution that it is a build of."""
    distributions = {knowledge.flavour_of(pin.component): pin.version for pin in lock.distributions}
    return distributions | {pin.component: pin.version for pin in lock.systems}


def _built_with(pin: DistributionPin) -> Mapping[str, str]:
    return pin.build.variables if pin.build else {}


def _within(known: Range, version: str) -> bool:
    return known.contains(version.partition("+")[0])


def _first(sources: tuple[Source, ...]) -> str:
    return sources[0].title if sources else ""
