"""Boosted trees at many rows: CPU seconds of 100 trees, and the AUC of rows that nobody saw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import aucbench
from benchmarks.losses.trees import TREES, methods

SIZES = (10**5, 10**6)
D, LATER = 20, 200_000
SHARES = (0.05, 0.5)  # of the positives
# At 10⁶ rows these take minutes, and show nothing that 10⁵ rows do not.
UP_TO = {"LightGBM, lambdarank, no truncation": 10**5, "XGBoost": 10**5, "CatBoost": 10**5}
LEFT_OUT = ("CatBoost, YetiRank", "CatBoost, PairLogit")


def rows(n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return normal rows with an interaction, a bend, and noise; the highest are positive."""
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, D))
    told = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.sin(3.0 * X[:, 3]) + 0.3 * X[:, 4:8].sum(axis=1)
    noisy = told + 1.5 * rng.standard_normal(n)
    return X, (noisy > np.quantile(noisy, 1.0 - share)).astype(int)


def measure(n: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each method and share of positives."""
    for share in SHARES:
        X, y = rows(n + LATER, share)
        for name, fit in methods().items():
            if name in LEFT_OUT or n > min(v for k, v in (*UP_TO.items(), ("", n)) if k in name):
                continue
            done = fit(X[:n], y[:n])
            auc = aucbench.auc(y[n:], done.scores(X[n:], TREES))
            row = {"n": n, "share": share, "method": name, "auc": float(auc)}
            yield row | {"seconds": done.seconds}
