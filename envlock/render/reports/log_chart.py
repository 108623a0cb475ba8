"""Line charts as SVG with both axes logarithmic, for quantities that grow by powers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from xml.etree import ElementTree as ET

from envlock.model.frozen import dataclass
from envlock.render.reports.markup import element

_WIDTH, _HEIGHT = 480, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 28, 12, 42
_COLOURS = 8
"""How many colours the page's style has."""
_MOST_X = 6
_MOST_Y = 7
_RADIUS = 3.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One line.

    Attributes:
        name: for the legend.
        points: x, y and the point's tooltip; x and y above 0.
        dashed: whether it is there only for comparison.
    """

    name: str
    points: tuple[tuple[float, float, str], ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One logarithmic axis.

    Attributes:
        title: what it shows, with the unit.
        base: the base whose powers bear ticks.
        label: formats a value of it for people.
    """

    title: str
    base: float
    label: Callable[[float], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return round(self.start + share * (self.end - self.start), 1)


def log_chart(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> ET.Element:
    """Return a chart with its legend as a figure; every point tells its value in a tooltip.

    Args:
        title: for the caption, and for those who cannot see it.
        x: the horizontal axis.
        y: the vertical axis.
        series: the lines; none is empty.
    """
    xs = [point[0] for line in series for point in line.points]
    ys = [point[1] for line in series for point in line.points]
    across = _Scale(low=min(xs), high=max(*xs, min(xs) * x.base), start=_LEFT, end=_WIDTH - _RIGHT)
    low, high = _decades(min(ys), max(ys), y.base)
    up = _Scale(low=low, high=high, start=_HEIGHT - _BOTTOM, end=_TOP)
    drawing = element(
        "svg",
        element("title", title),
        *_grid(across, up, x, y),
        *(part for number, line in enumerate(series) for part in _line(number, line, across, up)),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        class_="chart",
    )
    legend = element("ul", *(_entry(number, line) for number, line in enumerate(series)), class_="legend")
    return element("figure", element("figcaption", title), drawing, legend)


def _decades(low: float, high: float, base: float) -> tuple[float, float]:
    """Return whole powers around the values."""
    return base ** math.floor(math.log(low, base)), base ** (math.floor(math.log(high, base)) + 1)


def _powers(scale: _Scale, base: float, most: int) -> list[float]:
    first = math.ceil(math.log(scale.low, base) - 1e-9)
    last = math.floor(math.log(scale.high, base) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / most))
    return [base**power for power in range(first, last + 1, step)]


def _grid(across: _Scale, up: _Scale, x: Axis, y: Axis) -> Iterator[ET.Element]:
    bottom = _HEIGHT - _BOTTOM
    for value in _powers(across, x.base, _MOST_X):
        place = across.at(value)
        yield element("line", x1=place, x2=place, y1=_TOP, y2=bottom, class_="grid")
        yield element("text", x.label(value), x=place, y=bottom + 16, text_anchor="middle")
    for value in _powers(up, y.base, _MOST_Y):
        place = up.at(value)
        yield element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=place, y2=place, class_="grid")
        yield element("text", y.label(value), x=_LEFT - 6, y=place + 4, text_anchor="end")
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    yield element("text", x.title, x=middle, y=_HEIGHT - 6, text_anchor="middle", class_="axis")


def _line(number: int, line: Series, across: _Scale, up: _Scale) -> Iterator[ET.Element]:
    colour = f"s{number % _COLOURS}" + (" dashed" if line.dashed else "")
    places = [(across.at(x), up.at(y)) for x, y, _ in line.points]
    yield element("polyline", points=" ".join(f"{x},{y}" for x, y in places), class_=f"line {colour}")
    for (x, y), (_, _, title) in zip(places, line.points, strict=True):
        yield element("path", element("title", title), d=_mark(number, x, y), class_=f"mark {colour}")


def _entry(number: int, line: Series) -> ET.Element:
    colour = f"s{number % _COLOURS}" + (" dashed" if line.dashed else "")
    sample = element(
        "svg",
        element("line", x1=0, x2=26, y1=7, y2=7, class_=f"line {colour}"),
        element("path", d=_mark(number, 13, 7), class_=f"mark {colour}"),
        viewBox="0 0 26 14",
        width=26,
        height=14,
        aria_hidden="true",
    )
    return element("li", sample, line.name)


def _mark(number: int, x: float, y: float) -> str:
    """Return a point's mark; lines differ in shape too, for those who cannot tell colours apart."""
    r = _RADIUS
    forms = (
        f"M{x - r},{y}a{r},{r} 0 1 0 {2 * r},0a{r},{r} 0 1 0 {-2 * r},0z",
        f"M{x - r},{y - r}h{2 * r}v{2 * r}h{-2 * r}z",
        f"M{x},{y - 1.3 * r}l{1.2 * r},{2.2 * r}h{-2.4 * r}z",
        f"M{x},{y - 1.4 * r}l{1.4 * r},{1.4 * r}l{-1.4 * r},{1.4 * r}l{-1.4 * r},{-1.4 * r}z",
    )
    return forms[number % len(forms)]


def sparkline(values: Sequence[float], title: str) -> ET.Element:
    """Return a line of values in time, the last one marked; its axis begins at 0."""
    width, height, room = 140.0, 28.0, 4.0
    most = max(values) or 1.0
    step = (width - 2 * room) / max(1, len(values) - 1)
    places = [
        (round(room + number * step, 1), round(height - room - (height - 2 * room) * value / most, 1))
        for number, value in enumerate(values)
    ]
    parts = [
        element("line", x1=a[0], y1=a[1], x2=b[0], y2=b[1], class_="line s0") for a, b in pairwise(places)
    ]
    last = element("circle", cx=places[-1][0], cy=places[-1][1], r=3, class_="mark s0")
    return element(
        "svg",
        element("title", title),
        *parts,
        last,
        viewBox=f"0 0 {width:g} {height:g}",
        class_="spark",
        role="img",
    )
