"""The AUM: the area under the minimum of false positives and false negatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from aucbench.aum import AumLoss, aum_loss
from aucbench.contract import Objective
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.summaries import breakpoints_of
from aucbench.data.targets import Labels
from aucbench.errors import UnsupportedError, require_at_least


@dataclass(frozen=True, eq=False)
class Aum(Objective):
    """f(w) = ∫ min(FP(c), FN(c)) dc over all thresholds c, the AUM of the scores s = Xw.

    FP and FN are rates: shares of the errors that thresholds can change. For labels

        f(w) = min_c (1/n₋) Σ_j [s_j − c]₊ + (1/n₊) Σ_i [m + c − s_i]₊,

    which is convex in w. With the margin m = 0 it is also positively homogeneous, so its minimum
    is 0 at w = 0. For error functions f is piecewise linear, but neither convex nor homogeneous.

    Parameters
    ----------
    data : Data
        Training rows with labels or with breakpoints.
    margin : float
        m ≥ 0, in units of the scores. A positive counts as found if its score is at least m
        above the threshold. For labels only.

    Raises
    ------
    ParameterError
        When the margin is not a finite number of at least 0.
    UnsupportedError
        When there is a margin and the target is breakpoints.

    References
    ----------
    Hillman & Hocking, "Optimizing ROC curves with a sort-based surrogate loss for binary
    classification and changepoint detection", JMLR 24, 2023.
    """

    expected_failures: ClassVar[Mapping[str, str]] = {
        "blocks": "the AUM of a block has a threshold of its own, so blocks do not add up"
    }

    data: Data
    margin: float = 0.0

    def __post_init__(self) -> None:
        require_at_least(0, margin=self.margin)
        self.data.require_no_weights("aum")
        if self.margin and not isinstance(self.data.target, Labels):
            raise UnsupportedError(
                f"a margin of {self.margin} between classes needs labels, but the rows have error "
                "functions instead; use margin=0"
            )

    @cached_property
    def shift(self) -> Vector:
        """What the margin subtracts from each score, (n,): m for positives, else 0."""
        return np.where(self.data.y > 0, self.margin, 0.0) if self.margin else np.zeros(self.data.n)

    @cached_property
    def rates(self) -> Breakpoints:
        """The breakpoints of the rows, with errors as rates."""
        # For labels, the kernel recognises breakpoints that come from `of_labels`.
        labelled = isinstance(self.data.target, Labels)
        return Breakpoints.of_labels(self.data.y) if labelled else breakpoints_of(self.data).rates

    def loss(self, s: Vector) -> AumLoss:
        """Return the AUM of the scores s (n,) and its one-sided derivatives."""
        return aum_loss(self.rates, s - self.shift if self.margin else s)

    def of_scores(self, s: Vector) -> tuple[float, Vector]:
        """Return f and the means c (n,) of its one-sided derivatives in s; ∇f = Xᵀc."""
        loss = self.loss(s)
        return loss.value, loss.gradient

    def subgradient(self, s: Vector) -> tuple[float, Vector]:
        """Return f and, for labels, an element c (n,) of its subdifferential in the scores.

        The means of the one-sided derivatives are not such an element where scores are tied at
        the threshold that balances the errors: an element adds up to 0, and they need not. Here
        the same share of each tied example counts as above the threshold, and the share is such
        that c adds up to 0.
        """
        loss = self.loss(s)
        tied = np.flatnonzero(loss.left != loss.right)
        if not (tied.size and isinstance(self.data.target, Labels)):
            return loss.value, loss.gradient
        c, labels = loss.gradient, self.data.labels
        positive = labels.y[tied] > 0
        below, above = np.where(positive, -1.0 / labels.n_pos, 0.0), ~positive / labels.n_neg
        c[tied] = below
        share = -c.sum() / (above - below).sum()
        c[tied] += min(max(share, 0.0), 1.0) * (above - below)
        return loss.value, c

    def value(self, w: Vector) -> float:
        """Return f(w)."""
        return self.of_scores(self.data.scores(w))[0]

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return Xᵀc for the AUM of a block of rows; 0 if one kind of error does not occur."""
        s = self.data.scores(w, rows)
        if isinstance(rows, slice) and rows.indices(self.data.n) == (0, self.data.n, 1):
            return self.data.pullback(self.of_scores(s)[1])
        s = s - self.shift[rows] if self.margin else s
        part = breakpoints_of(self.data).take(rows)
        if not part.fp_diff.sum() > 0.0 > part.fn_diff.sum():
            return np.zeros(self.data.d)
        return self.data.pullback(aum_loss(part.rates, s).gradient, rows)
