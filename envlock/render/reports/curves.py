"""Times and bandwidths by message size, of every back end, as charts and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from envlock.lifecycle.evidence.performance import merged_curves
from envlock.model.counting import number_of
from envlock.model.proving.measurement import Point, algorithm_gb_s, bus_gb_s, message_size
from envlock.model.proving.report import Report
from envlock.render.reports.log_chart import Axis, Series, log_chart
from envlock.render.reports.markup import element, html_table

_TIMES = ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms"))
_RATES = ((1.0, 1.0, "GB"), (1e-3, 1e3, "MB"), (1e-6, 1e6, "kB"))
_BYTES = 1e9
_SINGLE = "single"
_TIMING = "C16"


def curves_section(report: Report) -> ET.Element | None:
    """Return both charts and the numbers; ``None`` where nothing was timed."""
    found = list(_curves(report))
    if not found:
        return None
    ranks = len(report.ranks)
    size = Axis(title="message size", base=2, label=message_size)
    times = [
        Series(
            name=name,
            points=tuple((point.bytes, point.least, _point_text(name, point, ranks)) for point in points),
        )
        for name, points in found
    ]
    widths = [
        Series(
            name=name,
            points=tuple(
                (point.bytes, bus_gb_s(point.bytes, point.least, ranks), _point_text(name, point, ranks))
                for point in points
            ),
        )
        for name, points in found
    ]
    references = list(_references(report))
    where = f"{number_of(ranks, 'rank')} on {number_of(len(report.hosts), 'node')}"
    charts = [
        log_chart(
            "Time of one allreduce, the least of all samples (lower is better)",
            size,
            Axis(title="", base=10, label=time_label),
            times + references,
        )
    ]
    if ranks > 1:
        rate = Axis(title="", base=10, label=_rate_label)
        charts.append(log_chart("Bus bandwidth (higher is better)", size, rate, widths))
    note = (
        f"{where}. Of all ranks the slowest counts in each sample. Bus bandwidth is size over time, times "
        "2 (n - 1) / n, as nccl-tests define it; 1 GB is 10^9 bytes."
    )
    return element(
        "section",
        element("h2", "Communication"),
        element("p", note, class_="note"),
        element("div", *charts, class_="charts"),
        _numbers(found, ranks),
        id="communication",
    )


def _curves(report: Report) -> Iterator[tuple[str, tuple[Point, ...]]]:
    for name in dict.fromkeys(name for rank in report.ranks for name in rank.back_ends):
        for curve in merged_curves(name, report.ranks):
            points = tuple(point for point in curve.points if point.bytes > 0 and point.least > 0)
            if points:
                yield (name if curve.mode == _SINGLE else f"{name} {curve.mode}"), points


def _references(report: Report) -> Iterator[Series]:
    """Yield what known benchmarks measured on the same ranks, as their checks tell."""
    for check in report.checks:
        reference = check.details.get("reference") if check.id == _TIMING else None
        if isinstance(reference, dict) and isinstance(reference.get("sizes"), list):
            program = str(reference.get("program"))
            points = tuple(
                (
                    float(row["bytes"]),
                    float(row["reference_s"]),
                    f"{program}: {message_size(row['bytes'])} in {time_label(row['reference_s'])}",
                )
                for row in reference["sizes"]
            )
            if points:
                yield Series(name=program, points=points, dashed=True)


def _point_text(name: str, point: Point, ranks: int) -> str:
    bus = bus_gb_s(point.bytes, point.least, ranks)
    return (
        f"{name}: {message_size(point.bytes)} in {time_label(point.least)} "
        f"(median {time_label(point.median)}, most {time_label(point.most)}), bus {bus:.3g} GB/s"
    )


def _numbers(found: list[tuple[str, tuple[Point, ...]]], ranks: int) -> ET.Element:
    head = ("back end", "size", "least", "median", "most", "algorithm GB/s", "bus GB/s")
    rows = [
        element(
            "tr",
            element("th", name, scope="row"),
            *(
                element("td", text, class_="number")
                for text in (
                    message_size(point.bytes),
                    time_label(point.least),
                    time_label(point.median),
                    time_label(point.most),
                    f"{algorithm_gb_s(point.bytes, point.least):.3g}",
                    f"{bus_gb_s(point.bytes, point.least, ranks):.3g}",
                )
            ),
        )
        for name, points in found
        for point in points
    ]
    table = html_table(head, rows)
    summary = element("summary", "The same as numbers (bandwidths of the least time)")
    return element("details", summary, element("div", table, class_="wide"))


def _rate_label(rate: float) -> str:
    """Format a rate given in GB/s, in the unit that suits it."""
    for least, factor, unit in _RATES:
        if rate >= least:
            return f"{rate * factor:.3g} {unit}/s"
    return f"{rate * _BYTES:.3g} B/s"


def time_label(seconds: float) -> str:
    """Format a time in the unit that suits it."""
    for limit, factor, unit in _TIMES:
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"
