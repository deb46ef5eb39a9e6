"""The parts of a section of a document: paragraphs, tables and charts as plain data.

Every output lays them out and escapes every text, so that a section looks alike on a page, in
Markdown and in a terminal. There is no way to hand over markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, TypeAlias

from aucbench.errors import ParameterError

Scalar: TypeAlias = str | float | None
Numbers: TypeAlias = Sequence[float | None]


@dataclass(frozen=True)
class Table:
    """A table of texts and numbers.

    Attributes
    ----------
    header : sequence of str
    rows : sequence of sequences of str, float or None
        Each as long as the header. A number that is not finite, and None, is a dash.

    Raises
    ------
    ParameterError
        When a row is shorter or longer than the header.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Scalar]]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ParameterError(
                    f"a row of a Table has {len(row)} cells, and its header {len(self.header)}"
                )
        plain = tuple(tuple(map(_scalar, row)) for row in self.rows)
        object.__setattr__(self, "header", tuple(self.header))
        object.__setattr__(self, "rows", plain)


@dataclass(frozen=True)
class Chart:
    """Lines in a plane.

    Attributes
    ----------
    title, x, y : str
        The titles of the chart and of its axes.
    lines : mapping of str to (sequence of float, sequence of float)
        x and y of each line by its name. A number that is not finite, and None, leaves its point
        out.
    log_x, log_y : bool
        Whether an axis is logarithmic; it then shows numbers above 0.
    bands : mapping of str to (sequence of float, sequence of float)
        Low and high at each point of some of the lines.
    diagonal : bool
        Whether the line y = x is drawn too, from 0 to 1.

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


def part_to_json(part: str | Table | Chart) -> dict[str, Any]:
    """Return a part of a section, of which a str is a paragraph, as plain values."""
    return {"text": part} if isinstance(part, str) else {type(part).__name__.lower(): asdict(part)}


def part_from_json(plain: Any) -> str | Table | Chart:
    """Inverse of `part_to_json`."""
    [(kind, value)] = plain.items()
    if kind == "text":
        return str(value)
    return Table(**value) if kind == "table" else Chart(**value)


def _pair(name: str, line: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    """Return x and y of a line, or low and high of a band, as plain numbers."""
    if len(line) != 2 or len(line[0]) != len(line[1]):
        raise ParameterError(f"the line {name!r} must be x and y of one length")
    first, second = (tuple(map(_number, values)) for values in line)
    return first, second


def _scalar(value: Scalar) -> Scalar:
    return value if isinstance(value, str) else _number(value)


def _number(value: float | None) -> float | None:
    """Return a finite number, and None for every other one."""
    if value is None or not isfinite(value):
        return None
    return int(value) if isinstance(value, int) else float(value)
