"""The weights that the states of a descent of the AUM show: the latest, or the best so far."""

from __future__ import annotations

from math import inf

from aucbench.aum import intercept_of_least_errors, roc_auc
from aucbench.aum.steps import AumObjective
from aucbench.data.arrays import Vector
from aucbench.data.summaries import breakpoints_of

from .settings import Settings

BESIDE = 1e-9  # relative distance of two points on both sides of a kink, far above rounding


class Shown:
    """Weights with the greatest AUC so far on validation rows; without early stopping the latest.

    Attributes
    ----------
    weights : array of shape (d,)
        With the intercept of least errors, if the settings ask for one.
    value : float
        Their AUM.
    """

    def __init__(
        self,
        settings: Settings,
        f: AumObjective,
        held: AumObjective | None,
        w: Vector,
        s: Vector,
        value: float,
    ) -> None:
        self.settings, self.f, self.held = settings, f, held
        self.auc = -inf
        self._show(w, s, value)

    def judge(self, w: Vector, before: Vector, value: float, s: Vector) -> None:
        """Show w, unless earlier weights have a greater AUC.

        Parameters
        ----------
        before : array of shape (n,)
            Scores of the training rows just before w on the line: there no two are tied.
        s : array of shape (n,)
            Scores at w.
        """
        if self.settings.early_stopping:
            judged = before if self.held is None else self.held.data.scores(w)
            auc = roc_auc(breakpoints_of((self.held or self.f).data), judged)
            if not auc > self.auc:
                return
            self.auc = auc
        self._show(w, s, value)

    def _show(self, w: Vector, s: Vector, value: float) -> None:
        self.weights, self.value = w.copy(), value
        if self.settings.intercept:
            self.weights[-1] = intercept_of_least_errors(breakpoints_of(self.f.data), s)
