"""Whether ranks reach rank 0 by name and each other by TCP, and whether their clocks agree (L11 to L13)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from envlock.model.counting import number_of
from envlock.model.node_sets import folded
from envlock.model.proving.rank_result import RankResult, texts
from envlock.model.proving.report import Check, Outcome

_LOOPBACK = ("127.", "::1")
_CLOCKS_S = 1.0
"""Clocks synchronised by NTP agree within milliseconds."""


def network_checks(ranks: tuple[RankResult, ...]) -> Iterator[Check]:
    """Yield L11 to L13, for the ranks that tried."""
    tried = ((rank, rank.facts.get("network")) for rank in ranks)
    reported = [(rank, network) for rank, network in tried if isinstance(network, Mapping) and network]
    for identifier, name, judge in (
        ("L11", "master", _master),
        ("L12", "network", _network),
        ("L13", "clocks", _clocks),
    ):
        if reported:
            outcome, message = judge(reported)
        else:
            outcome, message = Outcome.NOT_APPLICABLE, "not reached, or one rank alone"
        details = {rank.label: network for rank, network in reported} if identifier == "L12" else {}
        yield Check(id=identifier, name=name, outcome=outcome, message=message, details=details)


def _master(reported: list[tuple[RankResult, Mapping[str, object]]]) -> tuple[Outcome, str]:
    masters = [
        (rank, master)
        for rank, one in reported
        if isinstance(master := one.get("master"), Mapping) and master
    ]
    failed = [(rank, master) for rank, master in masters if master.get("problem")]
    if failed:
        rank, master = failed[0]
        return Outcome.FAILED, f"{len(failed)} of {len(reported)} ranks; {rank.label}: {master['problem']}"
    if not masters:
        return Outcome.NOT_APPLICABLE, "not reached: no rank looked for rank 0"
    name, address = masters[0][1].get("name"), masters[0][1].get("address")
    given = "MASTER_ADDR" if masters[0][1].get("given") else "the host of rank 0"
    return Outcome.PASSED, f"{len(masters)} ranks reach {given}, {name} ({address})"


def _network(reported: list[tuple[RankResult, Mapping[str, object]]]) -> tuple[Outcome, str]:
    failed = [(rank, text) for rank, one in reported for text in texts(one.get("failed"))]
    hosts = {rank.host for rank, _ in reported}
    if lost := _without_address(reported, hosts):
        return Outcome.FAILED, lost
    if failed:
        rank, text = failed[0]
        return Outcome.FAILED, f"{number_of(len(failed), 'connection')} failed; {rank.label}: {text}"
    tried = sum(number for _, one in reported if isinstance(number := one.get("tried"), int))
    known = (number for _, one in reported if isinstance(number := one.get("expected"), int))
    expected = max(known, default=len(reported))  # one who ended before that told none
    if tried == 0 and expected <= 1:  # of many ranks, one of each node meets the others
        return Outcome.NOT_APPLICABLE, "not applicable: one node, and too many ranks there to try each other"
    if tried == 0:
        return Outcome.FAILED, f"none of {expected} ranks found another to connect to"
    appeared = [number for _, one in reported if isinstance(number := one.get("appeared"), int)]
    if appeared and min(appeared) < expected:
        return Outcome.WARNED, (
            f"{tried} connections succeeded, but only {min(appeared)} of {expected} had come when a rank "
            "stopped waiting: what lies between it and the rest was not tried"
        )
    interfaces = sorted({str(one.get("interface")) or str(one.get("address")) for _, one in reported})
    alone = ", all on one host" if len(hosts) == 1 else ""
    return (
        Outcome.PASSED,
        f"{number_of(tried, 'connection')} among {len(reported)} ranks over {', '.join(interfaces)}{alone}",
    )


def _without_address(reported: list[tuple[RankResult, Mapping[str, object]]], hosts: Collection[str]) -> str:
    """Say which ranks have no address at which others reach them, and why; empty if all have one."""
    lost = [(rank, why) for rank, one in reported if (why := one.get("problem"))]
    if lost:
        rank, why = lost[0]
        return f"{len(lost)} of {len(reported)} ranks; {rank.label}: {why}"
    loopback = {
        rank.host: str(one.get("chosen_by"))
        for rank, one in reported
        if str(one.get("address")).startswith(_LOOPBACK)
    }
    if len(hosts) == 1 or not loopback:
        return ""
    return (
        f"{folded(loopback)} would give the others its loopback address, "
        f"by {min(loopback.values())}: set GLOO_SOCKET_IFNAME, or correct /etc/hosts"
    )


def _clocks(reported: list[tuple[RankResult, Mapping[str, object]]]) -> tuple[Outcome, str]:
    """Compare nodes' clocks: munge and Kerberos credentials expire in minutes, and make reads file times."""
    offsets = [
        (rank, str(clock.get("of")), float(ahead))
        for rank, one in reported
        if isinstance(clock := one.get("clock"), Mapping)
        and isinstance(ahead := clock.get("ahead"), int | float)
    ]
    if not offsets:
        return Outcome.NOT_APPLICABLE, "not reached: no two ranks compared their clocks"
    rank, other, ahead = max(offsets, key=lambda offset: abs(offset[2]))
    if abs(ahead) <= _CLOCKS_S:
        return (
            Outcome.PASSED,
            f"clocks agree within {_CLOCKS_S:g} s, as {len(offsets)} ranks saw them",
        )
    word = "ahead of" if ahead > 0 else "behind"
    return Outcome.WARNED, (
        f"the clock of {other} is {abs(ahead):.1f} s {word} that of {rank.label}: credentials of schedulers "
        "and file systems expire by it, and files seem to be from the future; synchronise the nodes (chronyd)"
    )
