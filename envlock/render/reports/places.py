"""Where ranks ran and how each came out, node by node; and how fast each pair of them is."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from envlock.lifecycle.evidence.machines import crowded, machines
from envlock.lifecycle.evidence.performance import meetings
from envlock.model.counting import number_of
from envlock.model.frozen import dataclass
from envlock.model.node_sets import folded
from envlock.model.proving.measurement import Meeting, algorithm_gb_s, message_size
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Report
from envlock.render.reports.curves import time_label
from envlock.render.reports.markup import element

_MOST_IN_MATRIX = 24
_MOST_LISTED = 20
_SLOW, _VERY_SLOW = 2.0, 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Usual:
    """What the median pair takes for the small message and for the large one, in seconds."""

    small_s: float
    large_s: float

    def factor(self, meeting: Meeting) -> float:
        return max(meeting.small_s / self.small_s, meeting.large_s / self.large_s)


def places_section(report: Report) -> ET.Element | None:
    """Return every node as a box with its ranks; ``None`` where no ranks were started."""
    if not report.ranks and not report.ranks_asked:
        return None
    boxes = [
        _box(host, [rank for rank in report.ranks if rank.host == host])
        for host in sorted({rank.host for rank in report.ranks})
    ]
    seen = {rank.number for rank in report.ranks}
    missing = [number for number in range(report.ranks_asked) if number not in seen]
    if missing:
        cells = [element("li", element("b", str(number)), " missing", class_="bad") for number in missing]
        boxes.insert(
            0,
            element(
                "div", element("h3", "no sign of"), element("ul", *cells, class_="ranks"), class_="node lost"
            ),
        )
    asked = f" of {report.ranks_asked} asked for" if report.ranks_asked else ""
    nodes = len({rank.host for rank in report.ranks})
    note = f"{number_of(len(report.ranks), 'rank')}{asked}, on {number_of(nodes, 'node')}."
    shared = [machine for machine in machines(report.ranks) if len(machine.hosts) > 1]
    note += "".join(
        f" One machine: {folded(machine.hosts)}, {machine.processors} processors." for machine in shared
    )
    return element(
        "section",
        element("h2", "Nodes and ranks"),
        element("p", note, class_="note"),
        element("div", *boxes, class_="nodes"),
        id="nodes",
    )


def _box(host: str, ranks: list[RankResult]) -> ET.Element:
    facts = ranks[0].facts
    parts = [f"kernel {facts['kernel']}"] if facts.get("kernel") else []
    if facts.get("host_cpus"):
        parts.append(f"{facts['host_cpus']} processors")
    for maker in ("gpus", "amd_gpus"):
        gpus = facts.get(maker)
        if isinstance(gpus, dict) and gpus.get("uuids"):
            driver = f", {gpus['driver']}" if gpus.get("driver") else ""
            parts.append(f"{len(gpus['uuids'])} GPUs{driver}")
    ordered = sorted(ranks, key=lambda rank: -1 if rank.number is None else rank.number)
    return element(
        "div",
        element("h3", host),
        element("p", ", ".join(parts), class_="note"),
        element("ul", *(_rank(rank) for rank in ordered), class_="ranks"),
        class_="node",
    )


def _rank(rank: RankResult) -> ET.Element:
    failed = [name for name, result in rank.back_ends.items() if not result.good]
    if not rank.done:
        word, colour = f"stopped in {rank.phase}", "bad"
    elif failed:
        word, colour = f"failed: {', '.join(failed)}", "bad"
    else:
        word, colour = "ok", "good"
    right = [name for name, result in rank.back_ends.items() if result.good]
    title = f"{rank.label}, process {rank.pid}; right over {', '.join(right) or 'nothing'}"
    number = "?" if rank.number is None else str(rank.number)
    return element("li", element("b", number), f" {word}", title=title, class_=colour)


def pairs_section(report: Report) -> ET.Element | None:
    """Return pairs of ranks as a matrix, or the slowest of many; ``None`` for fewer than two pairs."""
    pairs = meetings(report.ranks)
    if len(pairs) < 2:  # noqa: PLR2004 - one pair is nothing to compare
        return None
    hosts = {rank.number: rank.host for rank in report.ranks}
    usual = _Usual(
        small_s=statistics.median_low([meeting.small_s for meeting in pairs.values()]),
        large_s=statistics.median_low([meeting.large_s for meeting in pairs.values()]),
    )
    numbers = sorted({number for pair in pairs for number in pair})
    body = (
        _matrix(numbers, pairs, hosts, usual)
        if len(numbers) <= _MOST_IN_MATRIX
        else _slowest(pairs, hosts, usual)
    )
    some = next(iter(pairs.values()))
    note = (
        f"Each pair alone, {message_size(some.large_bytes)} there and back; the median pair takes "
        f"{time_label(usual.large_s)}, and {time_label(usual.small_s)} for 8 bytes. Slow is over "
        f"{_SLOW:g} times either, very slow over {_VERY_SLOW:g}."
    )
    crowd = crowded(report.ranks)
    note += f" {crowd}, so that what is slow here may be its turn on a processor." if crowd else ""
    return element(
        "section",
        element("h2", "Pairs of ranks"),
        element("p", note, class_="note"),
        element("div", body, class_="wide"),
        id="pairs",
    )


def _matrix(
    numbers: list[int], pairs: dict[tuple[int, int], Meeting], hosts: dict[int | None, str], usual: _Usual
) -> ET.Element:
    head = element(
        "tr",
        element("th", "rank"),
        *(element("th", str(number), scope="col", title=hosts.get(number, "")) for number in numbers),
    )
    rows = []
    for row in numbers:
        cells = [_cell(pairs.get((min(row, other), max(row, other))), usual) for other in numbers]
        rows.append(element("tr", element("th", f"{row} {hosts.get(row, '')}", scope="row"), *cells))
    return element("table", element("thead", head), element("tbody", *rows), class_="matrix")


def _cell(meeting: Meeting | None, usual: _Usual) -> ET.Element:
    if meeting is None:
        return element("td", "·", class_="none")
    rate = algorithm_gb_s(meeting.large_bytes, meeting.large_s)
    word, colour = _speed(meeting, usual)
    title = f"{time_label(meeting.small_s)} for 8 bytes, {time_label(meeting.large_s)} for the large message"
    return element(
        "td", f"{rate:.3g}", element("small", word or " GB/s"), title=title, class_=f"number {colour}"
    )


def _speed(meeting: Meeting, usual: _Usual) -> tuple[str, str]:
    factor = usual.factor(meeting)
    if factor > _VERY_SLOW:
        return " very slow", "bad"
    return (" slow", "warn") if factor > _SLOW else ("", "good")


def _slowest(
    pairs: dict[tuple[int, int], Meeting], hosts: dict[int | None, str], usual: _Usual
) -> ET.Element:
    worst = sorted(pairs.items(), key=lambda item: -usual.factor(item[1]))[:_MOST_LISTED]
    head = ("ranks", "nodes", "GB/s", "times the median")
    return element(
        "table",
        element("caption", f"The slowest {len(worst)} of {len(pairs)} pairs"),
        element("thead", element("tr", *(element("th", text, scope="col") for text in head))),
        element("tbody", *_rows(worst, hosts, usual)),
    )


def _rows(
    worst: list[tuple[tuple[int, int], Meeting]], hosts: dict[int | None, str], usual: _Usual
) -> Iterator[ET.Element]:
    for (one, other), meeting in worst:
        rate = algorithm_gb_s(meeting.large_bytes, meeting.large_s)
        word, colour = _speed(meeting, usual)
        yield element(
            "tr",
            element("th", f"{one} and {other}", scope="row"),
            element("td", f"{hosts.get(one, '?')}, {hosts.get(other, '?')}"),
            element("td", f"{rate:.3g}", class_="number"),
            element("td", f"{usual.factor(meeting):.1f}{word}", class_=f"number {colour}"),
        )
