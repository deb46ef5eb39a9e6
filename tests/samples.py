"""Rows and labels for solvers and objectives: plain, and with pairs of each kind."""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from aucbench.data import Categories, Data, Grades, Survival
from aucbench.pairs import Group

LAYOUT = {"dense": np.asarray, "csr": csr_array}


def sample(
    seed=0,
    n=60,
    d=4,
    *,
    positives=0.3,
    shift=0.5,
    density=1.0,
    ties=False,
    offset=0.0,
    scale=1.0,
    dtype=np.float64,
    layout="dense",
):
    """Rows (n, d) and labels (n,) in {-1, 1}; the first row is positive, the second negative.

    Parameters
    ----------
    positives, density : float
        The shares of positive rows and of entries that are not zero.
    shift : float
        Half the distance between the means of the classes, in each column.
    ties : bool
        Round the rows to halves, so that scores tie.
    offset, scale : float or (d,)
        Each row x becomes scale · (offset + x).
    layout : "dense", "csr", or a function of X
    """
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < positives, 1, -1)
    y[:2] = 1, -1
    X = rng.normal(size=(n, d)) + shift * y[:, None]
    X = scale * (offset + (np.round(2 * X) / 2 if ties else X))
    X[rng.random((n, d)) >= density] = 0.0
    return LAYOUT.get(layout, layout)(X.astype(dtype)), y


def data(seed=0, n=60, d=4, *, kind="labels", weighted=False, pairs=None, **how):
    """Data of a sample: the target is "labels", "groups", "grades", "times" or "classes".

    Better grades, shorter times and the classes 0, 1, 2 follow the first columns of the sample.
    Groups have 5 rows. `weighted` gives rows a weight of 1, 2 or 3; `pairs` says which pairs count.
    """
    X, y = sample(seed, n, d, **how)
    rng = np.random.default_rng([seed, 1])
    weights = rng.integers(1, 4, n).astype(float) if weighted else None
    if kind in ("labels", "groups"):
        group, default = (np.arange(n) // 5, Group()) if kind == "groups" else (None, None)
        return Data.of(X, y, weights=weights, groups=group, pairs=pairs or default)
    plain = X.toarray() if hasattr(X, "toarray") else X
    signal = (plain - plain.mean(axis=0))[:, 0] + 0.3 * rng.normal(size=n)
    if kind == "classes":
        return Data.of(X, Categories.of(np.argsort(np.argsort(signal)) * 3 // n, weights))
    target = {
        "grades": lambda: Grades.of(np.clip(np.round(2 * signal), -2, 2), weights),
        "times": lambda: Survival.of(np.exp(-signal), rng.random(n) < 0.7, weights),
    }[kind]()
    made = Data.of(X, target)
    return made if pairs is None else replace(made, pairs=pairs)
