"""A chart as plain data: a page plots it as SVG, and a figure for print by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TypeAlias, TypeGuard

from aucbench.errors import ParameterError

Numbers: TypeAlias = Sequence[float | None]
COLOURS = 7  # of lines; after them the dashes change
MARKERS = 6  # a number that shares no factor with that of the colours
STYLES = COLOURS * MARKERS
DASHES = 4


@dataclass(frozen=True)
class Chart:
    """Lines in a plane.

    Attributes
    ----------
    title, x, y : str
        The titles of the chart and of its axes.
    lines : mapping of str to (sequence of float, sequence of float)
        x and y of each line by its name. A number that is not finite, and None, leaves its point
        out. A line of one point is a marker.
    log_x, log_y : bool
        Whether an axis is logarithmic; it then shows numbers above 0.
    bands : mapping of str to (sequence of float, sequence of float)
        Low and high at each point of some of the lines.
    diagonal : bool
        Whether the line y = x is plotted too, from 0 to 1.
    note : str
        What is to be known of it, below its title.
    styles : mapping of str to int
        The number of the style of each line: its colour, marker and dashes. Without it, the lines
        are numbered, and a legend names them.

    Raises
    ------
    ParameterError
        When there is no line, when x and y of a line have two lengths, or when a band is of no
        line or not as long as it.
    """

    title: str
    x: str
    y: str
    lines: Mapping[str, tuple[Numbers, Numbers]]
    log_x: bool = False
    log_y: bool = False
    bands: Mapping[str, tuple[Numbers, Numbers]] = field(default_factory=dict)
    diagonal: bool = False
    note: str = ""
    styles: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.lines:
            raise ParameterError(f"the chart {self.title!r} has no lines; give at least one")
        lines = {name: _pair(name, line) for name, line in self.lines.items()}
        bands = {name: _pair(name, band) for name, band in self.bands.items()}
        for name, band in bands.items():
            if name not in lines or len(band[0]) != len(lines[name][0]):
                raise ParameterError(f"the band {name!r} must be of a line, and of its length")
        object.__setattr__(self, "lines", lines)
        object.__setattr__(self, "bands", bands)

    def style(self, name: str) -> int:
        """Return the number of the style of a line."""
        return self.styles.get(name, [*self.lines].index(name))

    def points(self, name: str) -> list[tuple[float, float]]:
        """Return the points of a line that have a place on both axes."""
        both = zip(*self.lines[name], strict=True)
        return [(x, y) for x, y in both if _has_place(x, self.log_x) and _has_place(y, self.log_y)]

    def band(self, name: str) -> list[tuple[float, float, float]]:
        """Return x, low and high of the band of a line where they have a place."""
        low, high = self.bands.get(name, ((), ()))
        return [
            (x, a, b)
            for x, a, b in zip(self.lines[name][0], low, high, strict=False)
            if _has_place(x, self.log_x) and _has_place(a, self.log_y) and _has_place(b, self.log_y)
        ]


def _has_place(value: float | None, log: bool) -> TypeGuard[float]:
    return value is not None and (not log or value > 0)


def _pair(name: str, line: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    """Return x and y of a line, or low and high of a band, as plain numbers."""
    if len(line) != 2 or len(line[0]) != len(line[1]):
        raise ParameterError(f"the line {name!r} must be x and y of one length")
    first, second = (tuple(map(finite_or_none, values)) for values in line)
    return first, second


def finite_or_none(value: float | None) -> float | None:
    """Return a finite number, and None for every other one."""
    if value is None or not isfinite(value):
        return None
    return int(value) if isinstance(value, int) else float(value)
