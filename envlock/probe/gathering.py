"""Every rank's number, shared with all by a reduction: works over any library that can sum."""

import hashlib
from typing import Dict, List

from .back_ends.base import BackEnd, World


def everyones(back_end: BackEnd, world: World, mine: int, label: str) -> List[int]:
    """Return all ranks' numbers (of 62 bits), in order; collective."""
    values = [mine if rank == world.rank else 0 for rank in range(world.size)]
    (total,) = back_end.allreduce([back_end.tensor("int64", values, world.size)], back_end.modes[0], label)
    return [int(total[rank]) for rank in range(world.size)]


def by_host(back_end: BackEnd, world: World, host: str) -> List[List[int]]:
    """Return the ranks of each host or machine, in order of their first ranks; collective."""
    number = int(hashlib.sha256(host.encode()).hexdigest()[:15], 16)
    hosts: Dict[int, List[int]] = {}
    for rank, one in enumerate(everyones(back_end, world, number, "hosts")):
        hosts.setdefault(one, []).append(rank)
    return sorted(hosts.values())
