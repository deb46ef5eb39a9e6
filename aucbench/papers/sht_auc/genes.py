"""The gene experiments: the two sets and the methods.

The protocol of the paper has rows of unit length, 20 random divisions ("trials") and 5 folds of
each. Its code never uses 12 of the 62 (14 of the 72) rows of a trial for the folds, and then takes
as test set rows that were in the folds by which it chose the parameters. Here the folds are those
of all rows, and the parameters are chosen inside the training rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.papers.parts import Line, Scale

SETS = {"colon": "Colon Cancer", "leukemia": "Leukemia"}  # as the paper calls them
FEATURES = "unit"
PASSES = 100.0  # of the published code
K = (1, *range(5, 51, 5), *range(60, 101, 10), *range(200, 501, 100))
BLOCKS = (1, 2, 3, 5, 10)  # blocks of 5 to 50 of the some 50 training rows; the paper: b of 1 to 40
DECADES = tuple(10.0**p for p in range(-5, 3))
XI = tuple(float(xi) for xi in range(1, 101, 9))
R = tuple(10.0**p for p in range(-1, 6))
TRIALS = 20
FOLDS = 5
POINTS = 20  # of each grid that are tried; all methods have the same number

THRESHOLDING: dict[
    str, tuple[str, dict[str, tuple[float, ...]]]
] = {  # method: solver and what is tuned besides k
    "SHT-AUC": ("sht-auc", {"blocks": BLOCKS}),
    "StoIHT": ("sto-iht", {"blocks": BLOCKS}),
    "HSG-HT": ("hsg-ht", {"tau": (1.0, 10.0, 100.0, 1000.0)}),
}
OTHERS = {
    "SPAM-ℓ1": Choice("spam-l1", {"xi": DECADES, "l1": DECADES}),
    "SPAM-ℓ2": Choice("spam-l2", {"xi": DECADES, "l2": DECADES}),
    "FSAUC": Choice("fsauc", {"eta": tuple(2.0**p for p in range(-10, 11)), "R": R}),
    "SOLAM": Choice("solam", {"xi": XI, "R": R}),
}
METHODS = {
    **{name: Choice(solver, {"k": K, **more}) for name, (solver, more) in THRESHOLDING.items()},
    **OTHERS,
}


def notes(scale: Scale) -> tuple[str, ...]:
    """Return the protocol in sentences."""
    return (
        f"Rows have unit length; nothing is fitted to test rows. Parameters are chosen by "
        f"{_inner(scale)} folds of the training rows, among {_points(scale)} points of each grid. "
        f"Each fit has {PASSES:g} passes, as in the published code.",
        "The published code divides the rows of a trial into 50 and 12 (58 and 14 for leukemia), "
        "chooses parameters by folds of the 50, and then permutes the rows once more. So its test "
        "rows overlap the rows by which it chose. All 5 folds of a trial have the same test rows.",
        "The leukemia set here has the 25 rows of AML as its positive class, and the paper the 47 "
        "of ALL. The AUC of w for one is that of -w for the other, and the losses are symmetric.",
    )


def _inner(scale: Scale) -> int:
    return 3 if scale is Scale.QUICK else FOLDS


def _points(scale: Scale) -> int:
    return 8 if scale is Scale.QUICK else POINTS


def repeats(scale: Scale) -> int:
    """Return the number of trials."""
    return 1 if scale is Scale.QUICK else TRIALS


def line(dataset: str, choice: Choice) -> Line:
    """Return the line of a method on a set."""
    return Line((dataset,), choice, FEATURES)


def fixed(method: str, k: int) -> Choice:
    """Return a method of thresholding with a given k; its other parameters are tuned."""
    solver, more = THRESHOLDING[method]
    return Choice(f"{solver}[k={k}]", more)


def plan(choices: Sequence[Choice], scale: Scale, trials: int) -> Plan:
    """Return a plan of the protocol above."""
    return Plan(
        tuple(SETS),
        tuple(choices),
        (FEATURES,),
        splits=FOLDS,
        repeats=trials,
        passes=PASSES,
        inner_splits=_inner(scale),
        tune_evals=_points(scale),
    )
