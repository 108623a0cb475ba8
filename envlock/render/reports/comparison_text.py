"""Communication stacks side by side in a terminal, and for programs."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from envlock.app.verifying.compare import Compared
from envlock.model.node_sets import folded
from envlock.model.proving.comparison import (
    SINGLE,
    Advice,
    Comparison,
    Scaling,
    encode_comparison,
)
from envlock.model.proving.measurement import Point, bus_gb_s, message_size, time_text
from envlock.render.reports.comparison_page import (
    IDLE_NOTE,
    crowd_text,
    sizes_text,
    slowest_text,
    timeline_text,
    way_text,
)
from envlock.render.terminal.sheets import Sheet

_SEVERAL = ("fused", "unfused")


def compared_text(compared: Compared, console: Console) -> None:
    """Print times by size, advice, scaling and timelines."""
    comparison = compared.comparison
    console.print(
        f"{compared.group} on {compared.target}: allreduce of float32 among {comparison.ranks} ranks on "
        f"{folded(comparison.hosts) or 'no host'}"
    )
    if crowd := crowd_text(comparison):
        console.print(crowd, style="yellow", soft_wrap=True)
    if comparison.curves:
        console.print(_one_message(comparison))
        console.print(_several(comparison))
    for title, advice in (("one message", comparison.one), ("eight tensors", comparison.many)):
        for line in _advice_lines(title, advice):
            console.print(line)
    if any(scaling.seconds for scaling in comparison.scaling):
        console.print(_scaling_table(comparison.scaling))
    for name, timeline in comparison.timelines.items():
        console.print(Text.assemble((f"{name}: ", "cyan"), timeline_text(timeline)), soft_wrap=True)
    if comparison.timelines:
        console.print(IDLE_NOTE, style="dim", soft_wrap=True)
    for name, why in comparison.absent.items():
        console.print(Text(f"{name} is not applicable: {why}", style="dim"), soft_wrap=True)
    for name, why in comparison.failed.items():
        console.print(Text.assemble((f"{name} failed: ", "bold red"), why), soft_wrap=True)
    _end_text(compared, console)


def _end_text(compared: Compared, console: Console) -> None:
    if compared.report:
        console.print(Text.assemble(("report  ", "cyan"), str(compared.report)), soft_wrap=True)
    else:
        console.print("no report of this lock to put it into: verify first", style="dim")
    for check in compared.troubles:
        console.print(Text.assemble((f"{check.name}: ", "bold red"), check.message), soft_wrap=True)


def _one_message(comparison: Comparison) -> Sheet:
    """Return median time and bus bandwidth of one tensor."""
    table = _table("one message", comparison)
    columns = [_points(comparison, name, SINGLE) for name in comparison.curves]
    for size in _sizes(comparison):
        cells = [_cell(found[size], comparison.ranks) if size in found else "" for found in columns]
        table.add_row(message_size(size), *cells)
    return table


def _cell(point: Point, ranks: int) -> str:
    return f"{time_text(point.median)}  {bus_gb_s(point.bytes, point.median, ranks):.2f} GB/s"


def _several(comparison: Comparison) -> Sheet:
    """Return the median time of eight tensors together, in flight at once and one after the other."""
    table = _table("eight tensors, fused / unfused", comparison)
    columns = [[_points(comparison, name, mode) for mode in _SEVERAL] for name in comparison.curves]
    for size in _sizes(comparison):
        cells = [
            " / ".join(time_text(found[size].median) for found in pair if size in found) for pair in columns
        ]
        if any(cells):  # the smallest messages are not cut into eight
            table.add_row(message_size(size), *cells)
    return table


def _table(title: str, comparison: Comparison) -> Sheet:
    headings = ("bytes", *comparison.curves)
    return Sheet(*headings, wrap=comparison.curves, numbers=headings, title=title)


def _points(comparison: Comparison, name: str, mode: str) -> dict[int, Point]:
    return {
        point.bytes: point
        for curve in comparison.curves[name]
        if curve.mode == mode
        for point in curve.points
    }


def _sizes(comparison: Comparison) -> list[int]:
    return sorted(
        {point.bytes for found in comparison.curves.values() for curve in found for point in curve.points}
    )


def _advice_lines(title: str, advice: tuple[Advice, ...]) -> Iterator[Text]:
    for part in advice:
        close = f", {' and '.join(map(way_text, part.close))} as good" if part.close else ""
        slowest = f"; the slowest takes {text}" if (text := slowest_text(part)) else ""
        yield Text.assemble(
            f"{title}, {sizes_text(part)}: ",
            (way_text(part.best), "bold green"),
            f"{close}{slowest}",
        )


def _scaling_table(scaling: tuple[Scaling, ...]) -> Sheet:
    counts = sorted({count for stack in scaling for count in stack.seconds})
    title = "a step of training with constant work per rank, and the efficiency of that many ranks"
    numbers = ("gradients", *(f"{count} ranks" if count > 1 else "1 rank" for count in counts))
    table = Sheet("stack", *numbers, numbers=numbers, title=title)
    for stack in scaling:
        cells = [_scaling_cell(stack, count) for count in counts]
        table.add_row(stack.back_end, message_size(stack.gradient_bytes), *cells)
    return table


def _scaling_cell(scaling: Scaling, count: int) -> str:
    if count not in scaling.seconds:
        return ""
    efficiency = scaling.efficiency(count)
    percentage = "" if efficiency is None or count == 1 else f"  {efficiency:.0%}"
    return time_text(scaling.seconds[count]) + percentage


def compared_document(compared: Compared) -> dict[str, object]:
    """Return the same for programs; seconds, bytes, and bandwidth in 10^9 bytes per second."""
    return {
        "schema": "envlock/verify/1",
        "complete": compared.complete,
        "group": compared.group,
        "target": compared.target,
        **encode_comparison(compared.comparison),
        "report": str(compared.report) if compared.report else None,
        "troubles": [check.message for check in compared.troubles],
    }
