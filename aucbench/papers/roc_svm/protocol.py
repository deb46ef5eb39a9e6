"""What the three tables of the paper share: the grids, the budget, and how numbers are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from aucbench.bench.plan.fields import Choice
from aucbench.papers.parts import Published

PAPER: Final = "roc-svm"
SECONDS: Final = "seconds"
FOLDS: Final = 3  # of the cross-validation that chooses λ
# The certified optimum ends most fits earlier.
BUDGET: Final[Mapping[str, Any]] = {"passes": 500, "gap_tol": 1e-4, "inner_splits": FOLDS}

# What the paper prints: the mean and the number in parentheses, of an AUC in % and in 1e-3.
Cell = tuple[float, float]


def auc_printed(cell: Cell, runs: int) -> Published:
    """Return "90.370 (0.88)" as a mean of 0.90370 with a deviation of 0.00088."""
    percent, thousandths = cell
    return Published(round(percent / 100, 6), round(thousandths / 1000, 6), runs)


def seconds_printed(cell: Cell, runs: int) -> Published:
    """Return a time and its deviation, in seconds."""
    return Published(*cell, runs)


def tuned(spec: str, lams: Sequence[float]) -> Choice:
    """Return a solver whose λ is chosen by cross-validation inside the training rows."""
    return Choice(spec, tune={"lam": tuple(lams)})


def grid_note(lams: Sequence[float]) -> str:
    """Return what is said of λ."""
    shown = ", ".join(f"{lam:g}" for lam in lams)
    return (
        f"λ is chosen among {shown} by {FOLDS}-fold cross-validation inside the training rows of "
        "each run; the paper says that it does so, but prints neither its grid nor its folds."
    )


TIMES_TITLE = "Mean seconds of a fit, and how many times as long the paper's took on its machine"
TIMES_NOTE = (
    "Times are those of the last fit, with the λ that was chosen, as those of the paper. Two fits "
    "may run at once on two cores. They are not comparable as numbers, because the machine and the "
    "language differ; how they grow with the rows is."
)
BUDGET_NOTE = (
    "The paper prints neither the step nor the number of steps of AdaMax. Here the step is 1/D, "
    "where D² is the mean square distance of a pair of rows, and a fit ends at a certified gap of "
    f"{BUDGET['gap_tol']:g}, or after {BUDGET['passes']} steps."
)
