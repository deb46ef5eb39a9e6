"""Train for the left end of the ROC curve: when it helps, and when w = 0 is the best.

    AUCBENCH_DATA=FOLDER python examples/ranges.py docs/data/ranges.json

FOLDER has the data sets, see `aucbench data list`. Each is divided five times into five folds.
`svm-or` is fitted to all pairs, to those with FPR ≤ β, and to both with equal weight (`rest=0.5`),
on columns of mean 0 and standard deviation 1 in the training rows. Its λ is the default one. What
is compared is the area under the ROC curve of the test rows up to β, divided by β: by chance it is
β/2. β* is the range up to which w = 0 is the minimum on all rows (`least_range`).
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, diags_array, hstack

from aucbench import Data, get_dataset, solve
from aucbench.data.arrays import Vector
from aucbench.data.folds import splits
from aucbench.datasets.tables import encode_table
from aucbench.errors import CollapsedWarning
from aucbench.metrics import measure
from aucbench.pairs import Fpr
from aucbench.registry import get_features

SETS = ("mammography", "spambase", "diabetes", "german")
RANGES = (0.02, 0.05, 0.1, 0.2)
REPEATS, FOLDS = 5, 5


def parts(data: Data, repeat: int) -> list[tuple[Data, Data]]:
    """Return training and test rows of each fold, with features at one scale."""
    out = []
    for learnt, held in splits(data, FOLDS, repeat, None):
        train, test = data.take(learnt), data.take(held)
        scaled = get_features("standard").fit(train, np.random.default_rng(0))
        out.append((train.with_rows(scaled(train.rows)), test.with_rows(scaled(test.rows))))
    return out


def judged(train: Data, test: Data, beta: float, rest: float) -> tuple[float, bool]:
    """Return the area up to β of the test rows over β, and whether w = 0 was the best."""
    pairs = None if rest == 1.0 else Fpr(max=beta, rest=rest)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollapsedWarning)
        run = solve("svm-or", replace(train, pairs=pairs), passes=200)
    area = measure(f"pauc[max_fpr={beta},scale=norm]")
    return float(area(test.labels.y, run.decision_function(test.rows))), run.collapsed


def of_set(name: str) -> dict[str, object]:
    """Return β* of a set, and what the three losses reach in each range."""
    data = encode_table(get_dataset(name))
    rows = []
    folds = [part for repeat in range(REPEATS) for part in parts(data, repeat)]
    for beta in RANGES:
        row: dict[str, object] = {"beta": beta}
        for what, rest in (("range", 0.0), ("half", 0.5), ("all", 1.0)):
            values, collapsed = zip(*(judged(*fold, beta, rest) for fold in folds), strict=True)
            row[what] = round(float(np.mean(values)), 4)
            row[f"{what} collapsed"] = sum(collapsed)
        rows.append(row)
    return {"n": data.n, "positive": data.labels.n_pos, "least": least_range(data), "ranges": rows}


def least_range(data: Data, min_tpr: float = 0.0) -> float:
    """Return β*, the false-positive rate up to which w = 0 minimises the loss in a range.

    β* = 1/(V₋ t*), where t* is the least t with Σ_j b_j x_j = Σ_i a_i x_i, Σa = Σb = 1,
    0 ≤ a_i ≤ v_i/((1 − α)V₊) and 0 ≤ b_j ≤ v_j t: one linear programme with n + 1 unknowns. It is 0
    where the classes can be parted for each range, and then no range is too narrow. Scaling or
    moving the features changes nothing.

    At w = 0 all scores are tied, so that any choice of rows in the range gives a subgradient. So
    w = 0 is a minimum, for every loss that falls at 0 and every ridge, if and only if the reduced
    convex hulls of the classes meet: the mixtures of positives and of negatives that can be one.

    Parameters
    ----------
    data : Data
        Training rows with labels.
    min_tpr : float
        α in [0, 1).
    """
    X, positive = data.rows.dense().matrix.astype(np.float64), data.labels.y > 0
    shares = data.labels.shares
    scale = np.abs(X - X.mean(axis=0)).max(axis=0)
    X = (X - X.mean(axis=0)) / np.where(scale > 0.0, scale, 1.0)
    t = _least(X, positive, shares, min_tpr)
    return 0.0 if t is None else min(1.0, 1.0 / t)


def _least(X: Vector, positive: NDArray[np.bool_], shares: Vector, min_tpr: float) -> float | None:
    """Return the least t with b ≤ t · share, where the mixtures can be the same; else None."""
    a, b = shares[positive], shares[~positive]
    P, Q = X[positive].T, X[~positive].T
    ones = np.concatenate([np.ones(a.size), np.zeros(b.size)])
    equal = np.vstack([np.hstack([P, -Q]), ones, 1.0 - ones])
    equal = np.hstack([equal, np.zeros((len(equal), 1))])
    right = np.concatenate([np.zeros(X.shape[1]), [1.0, 1.0]])
    below = hstack(
        [csr_array((b.size, a.size)), diags_array(np.ones(b.size)), csr_array(-b[:, None])]
    )
    room = [(0.0, share / (1.0 - min_tpr)) for share in a.tolist()]
    cost = np.append(np.zeros(a.size + b.size), 1.0)
    bounds = [*room, *[(0.0, None)] * b.size, (0.0, None)]
    limits: Any = {"A_ub": below, "b_ub": np.zeros(b.size), "A_eq": equal, "b_eq": right}
    found: Any = linprog(cost, bounds=bounds, method="highs", **limits)
    if found.status not in (0, 2):
        raise ValueError(f"the linear programme has no answer: {found.message}")
    return float(found.fun) if found.status == 0 else None


def main() -> None:
    """Write a file with the numbers of each set."""
    found = {name: of_set(name) for name in SETS}
    Path(sys.argv[1]).write_text(json.dumps({"folds": REPEATS * FOLDS, "sets": found}, indent=1))


if __name__ == "__main__":
    main()
