"""Charts of a page as SVG, without scripts.

Colours, markers and dashes come from the style sheet, by the number of a line: class `s3` is the
line with number 3. Coordinates are whole numbers of half a pixel, and points without which a line
looks the same are left out, so that a curve takes some tens of bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from json import dumps
from math import ceil, floor, log10
from typing import TypeAlias

from aucbench.report.chart import DASHES, MARKERS, STYLES, Chart
from aucbench.report.elements import Html, join, tag

WIDTH, HEIGHT = 840, 540
LEFT, RIGHT, TOP, BOTTOM = 116, 820, 16, 452
TOLERANCE = 2.0  # how far a point that is left out may be from the line
FEW = 12  # points, each of which has a marker
SHAPES = (
    "M-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0",
    "M-8-8h16v16h-16z",
    "M0-10l10 18h-20z",
    "M0-11l11 11-11 11-11-11z",
    "M0 10l10-18h-20z",
    "M-3-10h6v7h7v6h-7v7h-6v-7h-7v-6h7z",
)
GLYPHS = "●■▲◆▼✚"  # the same shapes in a legend
DASH_LENGTHS = ("none", "12 6", "4 6", "18 6 4 6")
Place: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Axis:
    """From values to places between two ends of an axis."""

    low: float
    high: float
    first: int
    last: int
    log: bool

    @staticmethod
    def of(values: Sequence[float], first: int, last: int, *, log: bool, share: bool) -> Axis:
        """Return the axis of some values, with some room at its ends; a share needs none."""
        low, high = min(values), max(values)
        if share and low >= 0.0 and high <= 1.0:
            return Axis(0.0, 1.0, first, last, log)
        if low == high and log:
            low, high = low / 2, high * 2
        elif low == high:
            low, high = low - (abs(low) or 1.0) * 0.05, high + (abs(high) or 1.0) * 0.05
        elif log:
            room = (high / low) ** 0.03
            low, high = low / room, high * room
        else:
            room = 0.03 * (high - low)
            low, high = low - room, high + room
        return Axis(low, high, first, last, log)

    def place(self, value: float) -> int:
        """Return the place of a value."""
        low, high, x = (
            (log10(self.low), log10(self.high), log10(value))
            if self.log
            else (self.low, self.high, value)
        )
        return round(self.first + (x - low) / (high - low) * (self.last - self.first))

    def ticks(self, count: int) -> list[float]:
        """Return about as many round values."""
        if not self.log:
            return _linear_ticks(self.low, self.high, count)
        first, last = ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9)
        step = max(1, ceil((last - first + 1) / count))
        ticks = [10.0**k for k in range(first, last + 1, step)]
        if len(ticks) >= 2:
            return ticks
        return [x for x in _linear_ticks(self.low, self.high, count - 1) if x > 0]

    @property
    def scale(self) -> list[float]:
        """The ends in places and in values, from which a script tells the value of a place."""
        ends = (self.first, self.last, float(f"{self.low:.5g}"), float(f"{self.high:.5g}"))
        return [*ends, int(self.log)]


def _linear_ticks(low: float, high: float, count: int) -> list[float]:
    raw = (high - low) / count
    unit = 10.0 ** floor(log10(raw))
    step = next(k * unit for k in (1, 2, 5, 10) if k * unit >= raw * 0.999)
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def format_short(value: float) -> str:
    """Return a number in few characters, as an axis shows it."""
    text = f"{value:.4g}" if abs(value) < 1e5 else f"{value:.2g}"
    if "e" not in text:
        return text
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}"


def plot(chart: Chart) -> Html:
    """Return a chart as SVG; empty if none of its points has a place."""
    lines = {name: points for name in chart.lines if (points := chart.points(name))}
    if not lines:
        return Html()
    bands = {name: chart.band(name) for name in lines}
    every = [p for points in lines.values() for p in points]
    every += [(x, y) for band in bands.values() for x, *edges in band for y in edges]
    xs, ys = zip(*every, strict=True)
    x = Axis.of(xs, LEFT, RIGHT, log=chart.log_x, share=chart.diagonal)
    y = Axis.of(ys, BOTTOM, TOP, log=chart.log_y, share=chart.diagonal)
    bands_and_lines = [
        *(_band(bands[name], x, y, chart.style(name)) for name in lines if bands[name]),
        *(_line(name, points, x, y, chart.style(name)) for name, points in lines.items()),
    ]
    return tag(
        "svg",
        *_axes(chart, x, y),
        *bands_and_lines,
        class_="plot",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=f"{chart.title}: {chart.y} against {chart.x}",
        data_scale=dumps([x.scale, y.scale], separators=(",", ":")),
    )


def _axes(chart: Chart, x: Axis, y: Axis) -> list[Html]:
    """Return the lines and the numbers of both axes."""
    xs, ys = x.ticks(5), y.ticks(5)
    grid = [f"M{LEFT} {y.place(tick)}H{RIGHT}" for tick in ys]
    grid += [f"M{x.place(tick)} {TOP}V{BOTTOM}" for tick in xs]
    parts = [tag("path", class_="grid", d="".join(grid))]
    axes = f"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"
    if chart.diagonal:
        low, high = max(0.0, x.low, y.low), min(1.0, x.high, y.high)
        axes += f"M{x.place(low)} {y.place(low)}L{x.place(high)} {y.place(high)}"
    parts.append(tag("path", class_="axis", d=axes))
    parts += [tag("text", format_short(t), class_="y", x=LEFT - 8, y=y.place(t) + 7) for t in ys]
    parts += [tag("text", format_short(t), x=x.place(t), y=BOTTOM + 30) for t in xs]
    parts.append(tag("text", chart.x, x=(LEFT + RIGHT) // 2, y=HEIGHT - 22))
    middle = (TOP + BOTTOM) // 2
    parts.append(tag("text", chart.y, transform=f"translate(24 {middle})rotate(-90)"))
    return parts


def _line(name: str, points: Sequence[tuple[float, float]], x: Axis, y: Axis, number: int) -> Html:
    places = [(x.place(a), y.place(b)) for a, b in points]
    is_marked = len(places) <= FEW
    kept = places if is_marked else simplify(places)
    # Markers of lines that lie upon each other stand at different places.
    path = _path(kept) if is_marked else _path(kept) + _mark(places[(number * 7 + 3) % len(places)])
    marks = " marks" if is_marked else ""
    if len(kept) == 1:
        path = _mark(kept[0])
    return tag("path", tag("title", name), class_=f"line s{number % STYLES}{marks}", d=path)


def _band(edges: Sequence[tuple[float, float, float]], x: Axis, y: Axis, number: int) -> Html:
    there = simplify([(x.place(a), y.place(low)) for a, low, _ in edges])
    back = simplify([(x.place(a), y.place(high)) for a, _, high in edges])[::-1]
    return tag("path", class_=f"band s{number % STYLES}", d=f"{_path([*there, *back])}z")


def _mark(place: Place) -> str:
    return f"M{place[0]} {place[1]}h0"


def _path(places: Sequence[Place]) -> str:
    """Return a path in steps from each place to the next one."""
    (a, b), steps = places[0], list[str]()
    for c, d in places[1:]:
        steps.append(f"{c - a}{'' if d < b else ' '}{d - b}")
        a, b = c, d
    joined = "".join(s if s.startswith("-") or not k else f" {s}" for k, s in enumerate(steps))
    return f"M{places[0][0]} {places[0][1]}" + (f"l{joined}" if joined else "")


def simplify(places: Sequence[Place]) -> list[Place]:
    """Return the places without which a line looks another one (Douglas and Peucker)."""
    kept, spans = {0, len(places) - 1}, [(0, len(places) - 1)]
    while spans:
        first, last = spans.pop()
        (a, b), (c, d) = places[first], places[last]
        length = ((c - a) ** 2 + (d - b) ** 2) ** 0.5
        far, distance = first, TOLERANCE
        for k in range(first + 1, last):
            p, q = places[k]
            cross = abs((c - a) * (q - b) - (d - b) * (p - a))
            away = cross / length if length else ((p - a) ** 2 + (q - b) ** 2) ** 0.5
            if away > distance:
                far, distance = k, away
        if far != first:
            kept.add(far)
            spans += [(first, far), (far, last)]
    return [places[k] for k in sorted(kept)]


def style_rules(numbers: Sequence[int]) -> str:
    """Return the rules of a style sheet for the lines with these numbers."""
    return "".join(
        f".s{n}{{--c:var(--c{n % 7});--m:url(#m{n});--g:'{GLYPHS[n % MARKERS]}';"
        f"--d:{DASH_LENGTHS[n // 7 % DASHES]}}}"
        for n in sorted({n % STYLES for n in numbers})
    )


def markers(numbers: Sequence[int]) -> Html:
    """Return the markers of the lines with these numbers, to which the style sheet refers."""
    each = (
        tag(
            "marker",
            tag("path", d=SHAPES[n % MARKERS]),
            id=f"m{n}",
            class_=f"s{n}",
            markerUnits="userSpaceOnUse",
            overflow="visible",
        )
        for n in sorted({n % STYLES for n in numbers})
    )
    return tag("svg", join(each), class_="markers", aria_hidden="true")
