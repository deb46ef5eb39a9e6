"""What losses of pairs by bins share: the memory of cuts, and the sums that make a cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.contract import Cut, Objective
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.rounding import UNIT, Slack, gamma
from aucbench.errors import UnsupportedError
from aucbench.objectives.margins import Margins, spread_of_margins
from aucbench.scale import ChunkedData
from aucbench.scale.bins import Binned, Grid, auc_between, binned, fits, pulled
from aucbench.scale.row_sums import additions

BINS, MOST = 1 << 10, 1 << 20  # at first, and at last
FINER = 4  # times as many bins


@dataclass(frozen=True, eq=False)
class BinnedCut(Cut):
    """A cut from scores in bins, which bound the AUC of the rows at w too, at no further cost."""

    auc: tuple[float, float] | None = None


class BinnedLoss(Objective, ABC):
    """A mean loss of pairs that is known by bounds, from scores in bins.

    Parameters
    ----------
    data : ChunkedData
        Rows in chunks.
    bins : int
        How many there are at first.
    """

    slope: ClassVar[float]  # of the loss of a pair at w = 0
    over_pairs: ClassVar[bool] = True

    def __init__(self, data: ChunkedData, bins: int = BINS) -> None:
        self.data = data  # type: ignore[assignment]  # rows in chunks
        self.bins = bins
        self.operations = 0  # rounded operations of a row of a sum, at most
        self._known: dict[bytes, tuple[int, Cut]] = {}  # bins and cut at a point

    def cut(self, w: Vector) -> Cut:
        """Return a cut, and a bound of f(w), from one reading of the rows, or two.

        It is two where the sums of the bins would take more than 64 MB. It is none at w = 0, and
        where it is known from as many bins.
        """
        key = w.tobytes()
        if key not in self._known or self._known[key][0] < self.bins:
            self._known[key] = (self.bins, self._at(w)) if w.any() else (MOST, self._at_zero())
        return self._known[key][1]

    def finer(self) -> bool:
        """Take four times as many bins from now on; return False when there are a million."""
        before, self.bins = self.bins, min(FINER * self.bins, MOST)
        return self.bins > before

    def margins(self, w: Vector, p: Vector) -> Margins:
        """Return mean and covariance of the margins of a pair of the sample, by w and by p."""
        return spread_of_margins(self.data.sample, None, w, p)

    def value(self, w: Vector) -> float:
        """Return the bound of f(w) from above, the best one that is known; f(0) = 1."""
        if not w.any():
            return 1.0
        known = self._known.get(w.tobytes())
        return known[1].value if known else self.cut(w).value

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return g of the cut at w.

        Raises
        ------
        UnsupportedError
            When `rows` is not all rows.
        """
        require_all(rows)
        return self.cut(w).slope

    @abstractmethod
    def rounding(self, w: Vector) -> Slack:
        """Return (e, η): f(w) ≤ value + e, and f(u) ≥ b + g·u − e − η‖u − w‖."""

    @abstractmethod
    def _grid(self, w: Vector) -> Grid:
        """Return the bins for the scores of w."""

    @abstractmethod
    def _weighed(self, rows: Binned, grid: Grid, w: Vector) -> tuple[Vector, float, float]:
        """Return c (2, bins) of each class and bin, b, and the slack of f(w) ≤ b + g·w + slack."""

    def _at(self, w: Vector) -> Cut:
        """Return the cut at w ≠ 0: g = Σ c_i z_i, with c_i of the class and the bin of row i."""
        grid = self._grid(w)
        rows = self._rows(w, grid)
        c, b, slack = self._weighed(rows, grid, w)
        g = self._pulled(rows, w, grid, c)
        return BinnedCut(b + float(g @ w) + slack, g, b, slack, auc=auc_between(rows, grid))

    def _at_zero(self) -> Cut:
        """Return the cut at w = 0 by the class means of the survey, whose sums count as others."""
        self.operations = max(self.operations, additions(self.data))
        m_neg, m_pos = self.data.means
        return Cut(1.0, self._flat(self.slope * (m_neg - m_pos)), 1.0)

    def _rows(self, w: Vector, grid: Grid) -> Binned:
        """Return the rows by bins, with their sums where these fit."""
        whole = fits(self.data, grid.count)
        return self.data.reduce(binned, self.data.centre, w / self.data.scale, grid, sums=whole)

    def _pulled(self, rows: Binned, w: Vector, grid: Grid, c: Vector) -> Vector:
        """Return Σ c_i z_i, where c (2, bins) is by class and bin."""
        if rows.sums is not None:
            total = c[0] @ rows.sums[0] + c[1] @ rows.sums[1]
            most = rows.most + int(np.count_nonzero(rows.counts))  # an empty bin adds exactly 0
        else:
            pull = self.data.reduce(pulled, self.data.centre, w / self.data.scale, grid, c)
            total, most = pull.total, pull.most
        self.operations = max(self.operations, most + 8)
        return self._flat(total / self.data.scale)

    def _flat(self, g: Vector) -> Vector:
        """Return g, which is exactly 0 in constant columns."""
        g[self.data.constant] = 0.0
        return g

    @property
    def _sum_error(self) -> float:
        """γ of the operations of a sum over rows so far; of the survey, where there is none."""
        return gamma(self.operations or self.data.n)


def require_all(rows: Block) -> None:
    """Raise `UnsupportedError` unless a block is all rows."""
    if not (isinstance(rows, slice) and rows == ALL):
        raise UnsupportedError("rows in chunks have a gradient over all of them only; ask for ALL")


def place_error(grid: Grid) -> float:
    """Return a bound of how far rounding moves the ends of the bins, for both rows of a pair."""
    return 8.0 * UNIT * (grid.high - grid.low) + 4.0 * UNIT * (abs(grid.low) + 1.0)
