"""Boosted trees at many rows: CPU seconds of 100 trees, and the AUC of rows that nobody saw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import aucbench
from benchmarks.losses.trees import Plan, methods

SIZES = (10**5, 10**6)
PLAN = Plan(100, 0.1)
D, LATER = 10, 100_000
SHARES = {10**5: (0.05, 0.5), 10**6: (0.05,)}  # of the positives
METHODS = {  # up to how many rows; of lambdarank without truncation, a tree takes seconds at 10⁵
    "LightGBM, binary": 10**6,
    "LightGBM, exact squared-hinge": 10**6,
    "LightGBM, exact squared-hinge, doubled": 10**6,
    "LightGBM, exact logistic": 10**6,
    "LightGBM, lambdarank": 10**6,
    "XGBoost, binary": 10**5,
    "XGBoost, exact squared-hinge": 10**5,
    "XGBoost, exact squared-hinge, doubled": 10**5,
    "XGBoost, exact logistic": 10**5,
    "XGBoost, rank:pairwise": 10**5,
    "CatBoost, Logloss": 10**5,
    "CatBoost, exact squared-hinge": 10**5,
    "CatBoost, exact squared-hinge, doubled": 10**5,
}


def rows(n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return normal rows with an interaction, a bend, and noise; the highest are positive."""
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, D))
    told = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.sin(3.0 * X[:, 3]) + 0.3 * X[:, 4:8].sum(axis=1)
    noisy = told + 1.5 * rng.standard_normal(n)
    return X, (noisy > np.quantile(noisy, 1.0 - share)).astype(int)


def cells() -> Iterator[tuple[int, float, str]]:
    """Yield the numbers of rows, their shares of positives, and the methods that are installed."""
    for n in SIZES:
        for share in SHARES[n]:
            for method in methods():
                if METHODS.get(method, 0) >= n:
                    yield n, share, method


def measure(n: int, share: float, method: str) -> dict[str, Any]:
    """Return the AUC of a method on rows that nobody saw, and its CPU seconds."""
    X, y = rows(n + LATER, share)
    done = methods()[method](PLAN, X[:n], y[:n])
    auc = aucbench.auc(y[n:], done.scores(X[n:], PLAN.trees))
    row = {"n": n, "share": share, "method": method, "auc": float(auc)}
    return row | {"seconds": done.seconds}
