"""What a plugin adds to a report: a title, and paragraphs, tables and charts as plain data.

aucbench lays them out and escapes every text, so that a section looks alike on a page, in Markdown
and in a terminal. There is no way to hand over markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, TypeAlias

from aucbench.errors import ParameterError, float_of

PARTS, TEXT, NAME = 50, 10_000, 200  # of a section: parts; characters of a text, and of a name
ROWS, COLUMNS = 1000, 30
LINES, POINTS = 30, 1000

Scalar: TypeAlias = str | float | None


@dataclass(frozen=True)
class Table:
    """A table of texts and numbers.

    Attributes
    ----------
    header : sequence of str
        At most 30.
    rows : sequence of sequences of str, float or None
        At most 1000, each as long as the header. A number that is not finite, and None, is a dash.

    Raises
    ------
    ParameterError
        When it is something else.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Scalar]]

    def __post_init__(self) -> None:
        _require_listed("header of a Table", self.header, COLUMNS)
        _require_listed("rows of a Table", self.rows, ROWS)
        for name in self.header:
            _require_text("a name in the header of a Table", name, NAME)
        for row in self.rows:
            _require_listed("a row of a Table", row, COLUMNS)
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
        x and y of each line by its name: at most 30 lines of 1000 points. A number that is not
        finite, and None, leaves its point out.
    log_x, log_y : bool
        Whether an axis is logarithmic; it then shows numbers above 0.
    bands : mapping of str to (sequence of float, sequence of float)
        Low and high at each point of some of the lines.
    diagonal : bool
        Whether the line y = x is drawn too, from 0 to 1.

    Raises
    ------
    ParameterError
        When it is something else.
    """

    title: str
    x: str
    y: str
    lines: Mapping[str, tuple[Sequence[float | None], Sequence[float | None]]]
    log_x: bool = False
    log_y: bool = False
    bands: Mapping[str, tuple[Sequence[float | None], Sequence[float | None]]] = field(
        default_factory=dict
    )
    diagonal: bool = False

    def __post_init__(self) -> None:
        for name in (self.title, self.x, self.y):
            _require_text("a title of a Chart", name, NAME)
        if not isinstance(self.lines, Mapping) or not 0 < len(self.lines) <= LINES:
            raise ParameterError(f"lines of a Chart must be a mapping of 1 to {LINES} names")
        for flag in (self.log_x, self.log_y, self.diagonal):
            if not isinstance(flag, bool):
                raise ParameterError(
                    f"log_x, log_y and diagonal of a Chart must be bools, got {flag!r}"
                )
        object.__setattr__(self, "lines", {name: _pair(name, x) for name, x in self.lines.items()})
        if not isinstance(self.bands, Mapping):
            raise ParameterError("bands of a Chart must be a mapping of names of its lines")
        bands = {name: _pair(name, band) for name, band in self.bands.items()}
        for name, band in bands.items():
            if name not in self.lines or len(band[0]) != len(self.lines[name][0]):
                raise ParameterError(f"the band {name!r} must be of a line, and of its length")
        object.__setattr__(self, "bands", bands)


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes
    ----------
    title : str
    parts : sequence of str, Table or Chart
        At most 50, in their order; a str is a paragraph of at most 10 000 characters.

    Raises
    ------
    ParameterError
        When it is something else.
    """

    title: str
    parts: Sequence[str | Table | Chart] = field(default=())

    def __post_init__(self) -> None:
        _require_text("the title of a Section", self.title, NAME)
        _require_listed("parts of a Section", self.parts, PARTS)
        for part in self.parts:
            if not isinstance(part, Table | Chart):
                _require_text("a part of a Section that is no Table and no Chart", part, TEXT)
        object.__setattr__(self, "parts", tuple(self.parts))

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        parts = [
            {"text": part} if isinstance(part, str) else {type(part).__name__.lower(): asdict(part)}
            for part in self.parts
        ]
        return {"title": self.title, "parts": parts}

    @staticmethod
    def from_json(plain: Any) -> Section:
        """Inverse of `to_json`, for values of a process that may have written anything.

        Raises
        ------
        ParameterError
            When they are no section.
        """
        try:
            return Section(plain["title"], [_part(part) for part in plain["parts"]])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise ParameterError(f"this is no section: {error}") from error


def _pair(name: object, line: Any) -> tuple[tuple[float | None, ...], ...]:
    """Return x and y of a line, or low and high of a band, as plain numbers."""
    _require_text("the name of a line", name, NAME)
    _require_listed(f"the line {name!r}", line, 2)
    if len(line) != 2 or len(line[0]) != len(line[1]):
        raise ParameterError(f"the line {name!r} must be x and y of one length")
    for values in line:
        _require_listed(f"the line {name!r}", values, POINTS)
    return tuple(tuple(map(_number, values)) for values in line)


def _part(plain: Any) -> str | Table | Chart:
    [(kind, value)] = plain.items()
    if kind == "text":
        return str(value) if isinstance(value, str) else _refused(value)
    return Table(**value) if kind == "table" else Chart(**value)


def _refused(value: object) -> str:
    raise ParameterError(f"a paragraph is {_short(value)}, wanted a text")


def _require_text(what: str, value: object, most: int) -> None:
    if not isinstance(value, str) or len(value) > most:
        came = f"{len(value)} characters" if isinstance(value, str) else type(value).__name__
        raise ParameterError(f"{what} must be a text of at most {most} characters, got {came}")


def _require_listed(what: str, value: object, most: int) -> None:
    listed = hasattr(value, "__len__") and hasattr(value, "__iter__")
    if not listed or isinstance(value, str | bytes | Mapping) or len(value) > most:  # type: ignore[arg-type]
        raise ParameterError(f"{what} must be a sequence of at most {most}, got {_short(value)}")


def _short(value: object) -> str:
    length = f" of {len(value)}" if hasattr(value, "__len__") else ""
    return f"a {type(value).__name__}{length}"


def _scalar(value: object) -> Scalar:
    if isinstance(value, str):
        _require_text("a cell of a Table", value, NAME)
        return str(value)
    return _number(value)


def _number(value: object) -> float | None:
    """Return a finite number, and None for every other one."""
    if value is None:
        return None
    number = float_of(value)
    if number is None:
        raise ParameterError(f"got {_short(value)}, wanted a number that a float holds, or None")
    if isinstance(value, int):
        return int(value)
    return number if isfinite(number) else None
