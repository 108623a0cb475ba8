"""Which ranks share a machine: several host names may be one kernel, as with containers and namespaces.

Each boot has one identifier, which all its containers and network namespaces see
(``/proc/sys/kernel/random/boot_id``, random(4)). Processors are those that a rank may run on.
"""

from __future__ import annotations

from collections.abc import Iterator

from envlock.model.frozen import dataclass
from envlock.model.node_sets import folded
from envlock.model.proving.rank_result import RankResult

_WAITED = 0.05
"""The fraction of its time that a rank may wait for a processor and still be judged by its times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine, and what runs on it.

    Attributes:
        hosts: the host names that its ranks report, sorted.
        ranks: its ranks.
    """

    hosts: tuple[str, ...]
    ranks: tuple[RankResult, ...]

    @property
    def name(self) -> str:
        """Its name for people: its host, or several hosts with the remark that they are one machine."""
        return folded(self.hosts) + (", which are one machine" if len(self.hosts) > 1 else "")

    @property
    def processors(self) -> int:
        """How many processors it has; 0 if no rank told."""
        counts = (rank.facts.get("host_cpus") for rank in self.ranks)
        return next((number for number in counts if isinstance(number, int)), 0)


def machines(ranks: tuple[RankResult, ...]) -> tuple[Machine, ...]:
    """Group ranks by machine; a rank that told no boot identifier is grouped by its host name."""
    found: dict[str, list[RankResult]] = {}
    for rank in ranks:
        found.setdefault(str(rank.facts.get("boot") or rank.host), []).append(rank)
    return tuple(
        Machine(hosts=tuple(sorted({rank.host for rank in local})), ranks=tuple(local))
        for local in found.values()
    )


def crowded(ranks: tuple[RankResult, ...]) -> str:
    """Say that ranks share processors, so that times reflect the scheduler more than a network; or empty."""
    return next((crowd for machine in machines(ranks) for crowd in _crowds(machine)), "")


def waited(ranks: tuple[RankResult, ...], back_end: str) -> str:
    """Say that a rank waited, while it was timed, for a processor that others used; empty if none did."""
    shares = {
        rank.label: share
        for rank in ranks
        if back_end in rank.back_ends
        and isinstance(share := rank.back_ends[back_end].facts.get("waited_share"), float)
    }
    longest = max(shares, key=lambda label: shares[label], default="")
    if not longest or shares[longest] <= _WAITED:
        return ""
    return f"{longest} waited for a processor during {min(1.0, shares[longest]):.0%} of its timing"


def _crowds(machine: Machine) -> Iterator[str]:
    """Describe the sets of processors to which more ranks are bound than there are processors."""
    allowed = [_allowed(rank, machine.processors) for rank in machine.ranks]
    for processors in sorted({one for one in allowed if one}, key=lambda one: (len(one), sorted(one))):
        inside = sum(1 for one in allowed if one <= processors)
        if inside > len(processors):
            yield f"{inside} ranks share {len(processors)} processors of {machine.name}"


def _allowed(rank: RankResult, processors: int) -> frozenset[int]:
    affinity = rank.facts.get("affinity")
    if isinstance(affinity, (list, tuple)) and affinity:
        return frozenset(number for number in affinity if isinstance(number, int))
    return frozenset(range(processors))
