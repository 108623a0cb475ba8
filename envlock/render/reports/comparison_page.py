"""Communication stacks side by side on the page of a report: what to use, curves, training, timelines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree import ElementTree as ET

from envlock.lifecycle.evidence.comparison import TIE
from envlock.lifecycle.evidence.timeline import KINDS
from envlock.model.node_sets import folded
from envlock.model.proving.comparison import SINGLE, Advice, Comparison, Scaling, Timeline, Way
from envlock.model.proving.measurement import Curve, message_size, time_text
from envlock.render.reports.curves import time_label
from envlock.render.reports.log_chart import Axis, Series, log_chart
from envlock.render.reports.markup import element, html_table

IDLE_NOTE = "Idle: no tensor is under way; Horovod looks for tensors once in HOROVOD_CYCLE_TIME milliseconds."
_ROOM = 12
"""Per cent of a bar that a word needs."""


def comparison_section(comparison: Comparison | None) -> ET.Element | None:
    """Return the section; ``None`` where nothing was compared."""
    if comparison is None or not (comparison.curves or comparison.failed):
        return None
    ranks = f"{comparison.ranks} ranks on {folded(comparison.hosts)}"
    note = (
        f"Measured {comparison.started:%Y-%m-%d %H:%M} UTC, allreduce of float32 among {ranks}; "
        "medians, of all ranks the slowest counts. Eight tensors are ready at once, and are reduced fused or "
        "one by one."
    )
    return element(
        "section",
        element("h2", "Which stack is fastest here"),
        element("p", note, class_="note"),
        element("p", crowd_text(comparison), class_="note"),
        element("div", _advice(comparison), class_="wide"),
        element("div", *_charts(comparison), class_="charts"),
        *_training(comparison.scaling),
        *(_timeline(name, one) for name, one in comparison.timelines.items()),
        element("p", IDLE_NOTE, class_="note") if comparison.timelines else None,
        *(element("p", line, class_="note") for line in _left_out(comparison)),
        id="comparison",
    )


def crowd_text(comparison: Comparison) -> str:
    """Return what a shared machine means for the times; empty where each node is one of its own."""
    crowd = comparison.crowd
    return f"{crowd}: times say more about sharing them than about a network" if crowd else ""


def _advice(comparison: Comparison) -> ET.Element | None:
    kinds = [("one message", advice) for advice in comparison.one]
    kinds += [("eight tensors", advice) for advice in comparison.many]
    if not kinds:
        return None
    head = ("messages", "sizes", "use", "as good", "the slowest takes")
    rows = [
        element(
            "tr",
            element("th", what, scope="row"),
            element("td", sizes_text(one)),
            element("td", element("b", way_text(one.best)), class_="good"),
            element("td", ", ".join(map(way_text, one.close))),
            element("td", slowest_text(one)),
        )
        for what, one in kinds
    ]
    return html_table(head, rows)


def slowest_text(advice: Advice) -> str:
    """Return how many times as long the slowest way takes; empty where none is slower."""
    factor = float(f"{advice.factor:.3g}")  # three digits, and no power of ten
    return f"{factor:,.7g} times as long" if factor > TIE else ""


def sizes_text(advice: Advice) -> str:
    """Return the sizes of messages that an advice is for."""
    least = message_size(advice.least)
    return least if advice.least == advice.most else f"{least} to {message_size(advice.most)}"


def way_text(way: Way) -> str:
    """Return a stack and its way, for people to read."""
    return way.back_end if way.mode == SINGLE else f"{way.back_end} {way.mode}"


def _charts(comparison: Comparison) -> Iterator[ET.Element]:
    size = Axis(title="message size", base=2, label=message_size)
    time = Axis(title="", base=10, label=time_label)
    for title, single in (("One message", True), ("Eight tensors", False)):
        lines = list(_lines(comparison.curves, single=single))
        if lines:
            yield log_chart(f"{title}: median time (lower is better)", size, time, lines)


def _lines(curves: Mapping[str, tuple[Curve, ...]], *, single: bool) -> Iterator[Series]:
    for name, found in curves.items():
        for curve in found:
            if (curve.mode == SINGLE) is single:
                way = way_text(Way(back_end=name, mode=curve.mode))
                points = tuple(
                    (
                        point.bytes,
                        point.median,
                        f"{way}: {message_size(point.bytes)} in {time_label(point.median)}",
                    )
                    for point in curve.points
                    if point.bytes > 0 and point.median > 0
                )
                if points:
                    yield Series(name=way, points=points)


def _training(scaling: tuple[Scaling, ...]) -> Iterator[ET.Element]:
    """Yield seconds per step by the number of ranks."""
    counts = sorted({count for stack in scaling for count in stack.seconds})
    if not counts:
        return
    names = ["stack", "gradients", *(f"{count} rank{'s' if count > 1 else ''}" for count in counts)]
    rows = [
        element(
            "tr",
            element("th", stack.back_end, scope="row"),
            element("td", message_size(stack.gradient_bytes), class_="number"),
            *(element("td", _step(stack, count), class_="number") for count in counts),
        )
        for stack in scaling
    ]
    table = element(
        "table",
        element(
            "thead",
            element(
                "tr",
                *(
                    element("th", text, scope="col", class_="number" if n else None)
                    for n, text in enumerate(names)
                ),
            ),
        ),
        element("tbody", *rows),
    )
    yield element("h3", "A step of training with constant work per rank, and the efficiency of so many ranks")
    yield element("div", table, class_="wide")


def _step(scaling: Scaling, count: int) -> str:
    if count not in scaling.seconds:
        return ""
    efficiency = scaling.efficiency(count)
    percentage = "" if efficiency is None or count == 1 else f", {efficiency * 100:.0f} %"
    return time_label(scaling.seconds[count]) + percentage


def _timeline(name: str, timeline: Timeline) -> ET.Element:
    """Return Horovod's own record; kinds may overlap, so their shares need not add up."""
    bars = (
        element(
            "span",
            kind if _share(timeline, kind) >= _ROOM else "",
            class_=f"share k{number}",
            style=f"width:{_share(timeline, kind):.1f}%",
        )
        for number, kind in enumerate(KINDS)
        if _share(timeline, kind) >= 1
    )
    heading = element("p", element("b", f"{name}: "), timeline_text(timeline))
    return element("div", heading, element("div", *bars, class_="shares", aria_hidden="true"))


def timeline_text(timeline: Timeline) -> str:
    """Return what a step of Horovod's consists of."""
    parts = (
        f"{kind} {time_text(seconds / timeline.steps)} ({seconds / timeline.recorded:.0%})"
        for kind, seconds in timeline.seconds.items()
    )
    step = time_text(timeline.recorded / timeline.steps)
    return f"a step of {step}, {timeline.tensors} tensors: {', '.join(parts)}"


def _share(timeline: Timeline, kind: str) -> float:
    return 100 * timeline.seconds[kind] / timeline.recorded


def _left_out(comparison: Comparison) -> Iterator[str]:
    yield from (f"{name} is not applicable: {why}" for name, why in comparison.absent.items())
    yield from (f"{name} failed: {why}" for name, why in comparison.failed.items())
