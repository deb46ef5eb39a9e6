"""The weights that a descent of the AUM returns: the latest, or the best so far."""

from __future__ import annotations

from math import inf

from aucbench.aum import intercept_of_least_errors, roc_auc
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.summaries import breakpoints_of


class Shown:
    """Weights with the greatest AUC so far; without early stopping the latest.

    Parameters
    ----------
    train : Data
        The training rows.
    held : Data, optional
        The rows whose AUC decides: validation rows, or None for the training rows.
    early_stopping : bool
        Whether the AUC decides.
    intercept : bool
        Whether the last weight becomes the intercept of least errors.

    Attributes
    ----------
    weights : array of shape (d,)
        The weights that are shown.
    value : float
        Their AUM.
    """

    def __init__(
        self, train: Data, held: Data | None, *, early_stopping: bool, intercept: bool
    ) -> None:
        self.train, self.held = train, held
        self.early_stopping, self.intercept = early_stopping, intercept
        self.auc = -inf

    def show(self, w: Vector, s: Vector, value: float) -> None:
        """Show w, where the training rows have the scores s, (n,), and the AUM is `value`."""
        self.weights, self.value = w.copy(), value
        if self.intercept:
            self.weights[-1] = intercept_of_least_errors(breakpoints_of(self.train), s)

    def judge(self, w: Vector, before: Vector, value: float, s: Vector) -> None:
        """Show w, unless earlier weights have a greater AUC.

        Parameters
        ----------
        before : array of shape (n,)
            Scores of the training rows just before w on the line: there no two are tied.
        value, s
            As in `show`.
        """
        if self.early_stopping:
            rows, judged = self.train, before
            if self.held is not None:
                rows, judged = self.held, self.held.scores(w)
            auc = roc_auc(breakpoints_of(rows), judged)
            if not auc > self.auc:
                return
            self.auc = auc
        self.show(w, s, value)
