"""How well a method learns row by row from a shuffle of two levels, beside other orders.

    python -m benchmarks.orders

400 000 rows of 20 features in 40 parts, one pass of a solver, the AUC of 50 000 fresh rows: the
mean of a few seeds, and its standard error. The rows of a file are in a random order, sorted by
their labels, sorted by a feature, or drift.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from warnings import catch_warnings, simplefilter

import numpy as np

import aucbench
from aucbench.data import Data
from aucbench.metrics import auc
from aucbench.scale import ChunkedData, InMemory

N, D, PARTS, TEST = 400_000, 20, 40, 50_000
FILES = ("random", "label", "feature", "drift")
ORDERS = ("full", "two levels", "file")


def rows_of(file: str, seed: int) -> tuple[Data, np.ndarray, np.ndarray]:
    """Return training rows in the order of a file, and fresh rows with their labels."""
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((N, D)), rng.standard_normal(D) / np.sqrt(D)
    y = np.where(X @ w + rng.standard_normal(N) > 0.8, 1, -1)
    if file == "drift":
        X[:, :3] += np.linspace(-3.0, 3.0, N)[:, None]
    keys = {"label": y, "feature": X[:, 0]}
    order = np.argsort(keys[file], kind="stable") if file in keys else np.arange(N)
    Z = rng.standard_normal((TEST, D))
    return Data.of(X[order], y[order]), Z, np.where(Z @ w + rng.standard_normal(TEST) > 0.8, 1, -1)


def quality(solver: str, order: str, seed: int, rows: tuple[Data, np.ndarray, np.ndarray]) -> float:
    """Return the AUC of the fresh rows after one pass in an order."""
    data, Z, y = rows
    if order == "full":
        run = aucbench.solve(solver, data, passes=1, seed=seed)
    else:
        parts = ChunkedData(InMemory(data, N // PARTS))
        options = "" if order == "two levels" else "[shuffle=False]"
        run = aucbench.solve(solver + options, parts, passes=2, seed=seed)  # one is the survey
    return auc(y, Z @ run.w)


def main(names: Sequence[str]) -> None:
    """Print a table for each solver."""
    for solver in names or ("uni-exp", "solam"):
        for file in FILES:
            table = np.empty((5, len(ORDERS)))
            for seed, row in enumerate(table):
                rows = rows_of(file, seed)
                row[:] = [quality(solver, order, 100 + seed, rows) for order in ORDERS]
            apart = table - table[:, :1]
            error = apart.std(axis=0, ddof=1) / np.sqrt(len(table))
            cells = zip(ORDERS, table.mean(axis=0), error, strict=True)
            told = ", ".join(f"{name} {mean:.4f} (± {e:.4f})" for name, mean, e in cells)
            print(f"{solver}, {file}: {told}", flush=True)


if __name__ == "__main__":
    with catch_warnings():
        simplefilter("ignore")
        main(sys.argv[1:])
