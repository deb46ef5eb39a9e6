"""An objective that counts the rows that are read through it, for `State.rows_seen`."""

from __future__ import annotations

from typing import Protocol, overload

from aucbench.data import ALL, Data
from aucbench.data.arrays import Block, Vector, size
from aucbench.protocols import Objective, Smooth


class SmoothObjective(Objective, Smooth, Protocol):
    """An objective with a curvature."""


class Counted:
    """An objective, and how many rows its values, gradients and products with H have read.

    Parameters
    ----------
    f : Objective
        What is counted.

    Attributes
    ----------
    rows_seen : int
        Rows that were read so far.
    """

    def __init__(self, f: Objective) -> None:
        self._f, self.rows_seen = f, 0

    @property
    def data(self) -> Data:
        """The rows."""
        return self._f.data

    def value(self, w: Vector) -> float:
        """f(w)."""
        self.rows_seen += self._f.data.n
        return self._f.value(w)

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Gradient averaged over the block `rows`."""
        self.rows_seen += size(rows, self._f.data.n)
        return self._f.grad(w, rows)


class CountedSmooth(Counted):
    """The same of an objective with a curvature."""

    _f: SmoothObjective

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """H v of the block `rows`."""
        self.rows_seen += size(rows, self._f.data.n)
        return self._f.curvature(v, rows)


@overload
def counted(f: SmoothObjective) -> CountedSmooth: ...


@overload
def counted(f: Objective) -> Counted: ...


def counted(f: Objective) -> Counted:
    """Return an objective that counts its rows; it has a curvature if `f` has one.

    Take it in place of `problem.objective`, and yield `State(t, w, f.rows_seen)`. So the gradients,
    the products of `lipschitz` and the values of a line search are all counted.
    """
    return CountedSmooth(f) if isinstance(f, Smooth) else Counted(f)
