"""What the effects of columns on the score must be: increasing, decreasing, convex or concave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aucbench.errors import DataError, ParameterError, UnknownNameError, short

SIGNS = {"+1": "increasing", "1": "increasing", "-1": "decreasing"}
SLOPES = {"increasing": 1, "decreasing": -1}
BENDS = {"convex": 1, "concave": -1}


@dataclass(frozen=True)
class Shape:
    """The shape of the effect of a column.

    Attributes
    ----------
    slope : int
        1: it never falls; -1: it never rises; 0: either.
    bend : int
        1: it is convex; -1: it is concave; 0: either.
    """

    slope: int = 0
    bend: int = 0

    @staticmethod
    def of(text: Any) -> Shape:
        """Read +1, -1, increasing, decreasing, convex, concave, or two such as increasing-convex.

        Raises
        ------
        UnknownNameError
            When a word is none of these.
        ParameterError
            When the words contradict each other.
        """
        words = [SIGNS.get(word, word) for word in _words(str(text).strip())]
        known = {**SLOPES, **BENDS}
        for word in words:
            if word not in known:
                raise UnknownNameError("shape of an effect", word, [*SIGNS, *known])
        slopes = [SLOPES[word] for word in words if word in SLOPES]
        bends = [BENDS[word] for word in words if word in BENDS]
        if max(len(slopes), len(bends)) > 1:
            raise ParameterError(
                f"the shape {text} says the same thing twice; give one of {', '.join(SLOPES)}, one "
                f"of {', '.join(BENDS)}, or both with a hyphen"
            )
        return Shape(*(sum(part) for part in (slopes, bends)))

    def __str__(self) -> str:
        """Return the words, as `of` reads them."""
        slope = [word for word, sign in SLOPES.items() if sign == self.slope]
        return "-".join([*slope, *(word for word, sign in BENDS.items() if sign == self.bend)])


def _words(text: str) -> list[str]:
    return [text] if text in SIGNS else text.split("-")


def asked_shapes(asked: Any) -> dict[str, Shape]:
    """Return the shape that is asked for each column, by the names of the columns.

    Parameters
    ----------
    asked : str, or mapping of str to shape
        Text such as `income=+1,age=-1`, in which a name may hold commas and equals signs; or what
        `Shape.of` reads for each column.

    Raises
    ------
    ParameterError
        When there is none, an entry is no NAME=SHAPE, or a column is named twice.
    UnknownNameError
        As `Shape.of`.
    """
    entries = [*(asked.items() if isinstance(asked, Mapping) else _entries(asked))]
    if not entries:
        raise ParameterError("no column has a shape; give NAME=SHAPE, such as income=+1,age=-1")
    shapes: dict[str, Shape] = {}
    for name, shape in entries:
        if str(name) in shapes:
            raise ParameterError(f"column {name!r} has a shape twice; give one")
        shapes[str(name)] = shape if isinstance(shape, Shape) else Shape.of(shape)
    return shapes


def written_shapes(shapes: Mapping[str, Shape]) -> str:
    """Return the text that `asked_shapes` reads, the columns in the order of their names."""
    return ",".join(f"{name}={shapes[name]}" for name in sorted(shapes))


def _entries(text: Any) -> Iterator[tuple[str, str]]:
    """Yield name and shape of each entry; a part without a shape belongs to the next name."""
    if not isinstance(text, str):
        raise ParameterError(
            f"got {type(text).__name__}, wanted text such as income=+1,age=-1, or a mapping of "
            "columns to shapes"
        )
    before = ""
    for part in text.split(",") if text.strip() else ():
        name, mark, shape = f"{before}{part}".rpartition("=")
        before = "" if mark else f"{before}{part},"
        if mark:
            yield name.strip(), shape.strip()
    if before:
        raise ParameterError(f"{before[:-1]!r} has no shape; give NAME=SHAPE, such as income=+1")


@dataclass(frozen=True)
class Shapes:
    """What the effects of some columns must be.

    Attributes
    ----------
    of_columns : tuple of (int, Shape)
        The numbers of columns, ascending, and their shapes.
    """

    of_columns: tuple[tuple[int, Shape], ...]

    @staticmethod
    def of(asked: Any, columns: Sequence[str] | None, d: int) -> Shapes:
        """Find the columns of shapes by their names, or by their numbers where there are none.

        Parameters
        ----------
        asked : str, or mapping of str to shape
            As `asked_shapes` reads it.
        columns : sequence of str, or None
            The names of the columns.
        d : int
            Their number.

        Raises
        ------
        DataError
            When there is no such column.
        UnknownNameError, ParameterError
            As `asked_shapes`.
        """
        shapes = {_number(name, columns, d): shape for name, shape in asked_shapes(asked).items()}
        return Shapes(tuple(sorted(shapes.items(), key=lambda pair: pair[0])))

    @staticmethod
    def of_signs(signs: Any, d: int) -> Shapes:
        """Return the shapes of 1, -1 or 0 for each of d columns: rising, falling, or either.

        Raises
        ------
        ParameterError
            When there are others, or another number of them.
        """
        each = [*signs]
        if len(each) != d or any(sign not in (-1, 0, 1) for sign in each):
            raise ParameterError(f"give 1, -1 or 0 for each of {d} columns, got {short(each)}")
        known = ((j, Shape(slope=int(sign))) for j, sign in enumerate(each) if sign)
        return Shapes(tuple(known))

    def get(self, column: int) -> Shape:
        """Return the shape of a column; one that is either way where none was asked."""
        return dict(self.of_columns).get(column, Shape())


def _number(name: str, columns: Sequence[str] | None, d: int) -> int:
    if columns is not None and name in columns:
        return list(columns).index(name)
    if columns is None and name.isdecimal() and int(name) < d:
        return int(name)
    known = f"numbers from 0 to {d - 1}" if columns is None else ", ".join(columns[:12])
    raise DataError(
        f"there is no column {name!r} whose effect could have a shape; there are {known}"
    )
