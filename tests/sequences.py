"""Small sets of sequences with error functions."""

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.data.breakpoints import Breakpoints

INF = np.inf


def breakpoints(example, value, fp_diff, fn_diff, n):
    """Breakpoints in any order, of which those of one example at one value are added up."""
    places, at = np.unique(np.c_[example, value], axis=0, return_inverse=True)
    changes = [np.bincount(at.ravel(), diff, len(places)) for diff in (fp_diff, fn_diff)]
    fp, fn = (change.astype(float) for change in changes)  # of no breakpoints they are whole
    e, zeros = places[:, 0].astype(np.int32), np.zeros(n)
    possible = (np.bincount(e, diff, n).astype(float) for diff in (fp, -fn))
    return Breakpoints(e, places[:, 1], fp, fn, n, zeros, zeros, *possible)


def penalties(tables, denominator="count"):
    """Breakpoints of sequences given as lists of (low, fp, fn)."""
    flat = [(e, *row) for e, table in enumerate(tables) for row in table]
    return Breakpoints.of_penalties(
        *(np.array(column) for column in zip(*flat, strict=True)), denominator=denominator
    )


def wide(n=40, d=3, seed=0):
    """Sequences with an interval that has both ends, one, or none; some are narrow."""
    rng = np.random.default_rng(seed)
    X, tables = rng.normal(size=(n, d)), []
    for k in range(n):
        a, width = rng.normal(), rng.choice([0.5, 3.0])
        kind = k % 4
        table = [(-INF, 1, 0), (a, 0, 0), (a + width, 0, 1)]
        tables.append([table, table[:2], [(-INF, 0, 0), (a, 0, 1)], [(-INF, 0, 0)]][kind])
    return Data(rows(X), penalties(tables))


def learnable(n=120, d=6, seed=0):
    """Sequences whose intervals lie around x_0 − x_1, one unit to both sides."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    middle = X[:, 0] - X[:, 1] + 0.2 * rng.normal(size=n)
    edges = np.c_[np.full(n, -INF), -middle - 1.0, -middle + 1.0]
    errors = [(1, 0), (0, 0), (0, 1)]
    tables = [[(a, *pair) for a, pair in zip(low, errors, strict=True)] for low in edges]
    return Data(rows(X), penalties(tables))
