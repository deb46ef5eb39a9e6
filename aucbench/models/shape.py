"""The shape of an effect, as plain values that the file of a model keeps."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from aucbench.data.arrays import Vector

TIMES = " × "  # between the names of two columns
ADDED = "added to the score"  # unit of an effect in a score that is a sum of effects


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The places of one column at which an effect is given.

    Attributes
    ----------
    column, kind : str
        Its name, and "numeric", "boolean", "category" or "date".
    names : tuple of str
        The level, the date, or that the cell is missing; empty for a number.
    values : tuple of float or None
        The number, or the seconds of a date; None for a level, and for a missing cell.
    rows : tuple of int
        Training rows at each place, at least 10.
    positives : tuple of int
        Those of them that are positive; empty if rows are ranked.
    """

    column: str
    kind: str
    names: tuple[str, ...]
    values: tuple[float | None, ...]
    rows: tuple[int, ...]
    positives: tuple[int, ...] = ()

    @property
    def line(self) -> list[int]:
        """Which places are numbers or dates, between which a line can be drawn."""
        return [k for k, value in enumerate(self.values) if value is not None]

    @property
    def texts(self) -> list[str]:
        """A text for each place."""
        pairs = zip(self.names, self.values, strict=True)
        return [name or _text(nan if value is None else value) for name, value in pairs]


def _text(value: float) -> str:
    """Return four significant digits, without an exponent up to a million."""
    return f"{float(f'{value:.4g}'):g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectShape:
    """What a model makes of one column, or of two.

    Attributes
    ----------
    axes : tuple of Axis
        Of one column, or of two.
    effect : tuple of float
        The effect at each place. Of two columns, all places of the second one for the first place
        of the first one, and so on.
    unit : str
        "added to the score": the score is the sum of such effects, each of which is 0 in the mean
        over the training rows. "probability" or "score": the mean prediction if a column has this
        value in all rows (partial dependence).
    """

    axes: tuple[Axis, ...]
    effect: tuple[float, ...]
    unit: str = ADDED

    @property
    def name(self) -> str:
        """The name of the column, or of both."""
        return TIMES.join(axis.column for axis in self.axes)

    @property
    def table(self) -> Vector:
        """The effect as an array of shape (places,) or (places, places)."""
        return np.reshape(self.effect, [len(axis.values) for axis in self.axes])
