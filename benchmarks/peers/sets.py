"""Data sets for all peers: read once, kept as arrays, scaled.

Features are scaled by their largest magnitude, and rows of words to length 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.preprocessing import maxabs_scale, normalize

import aucbench
from aucbench.errors import AucbenchError

TEXTS = ("news20", "sector")  # rows of length 1
SMALL = "made"  # for a try without any file
MADE = {SMALL: (400, 8), "normal": (1_000_000, 20)}  # sets of random rows: n, d


class Kept(NamedTuple):
    """A set in a folder; `why` says why there is none."""

    name: str
    folder: Path
    n: int = 0
    d: int = 0
    positives: int = 0
    why: str = ""


class Labelled(NamedTuple):
    """Rows, dense or CSR, with labels ±1."""

    X: Any
    y: np.ndarray

    def data(self) -> aucbench.Data:
        """Return them as our solvers want them."""
        return aucbench.Data.of(self.X, self.y)


def keep(name: str, folder: Path) -> Kept:
    """Read a set and write its scaled rows; say why if it is not at hand."""
    try:
        data = made(*MADE[name]) if name in MADE else aucbench.get_dataset(name)
    except AucbenchError as error:
        return Kept(name, folder, why=str(error).splitlines()[0])
    X: Any = (normalize if name in TEXTS else maxabs_scale)(data.rows.matrix)
    if hasattr(X, "tocsr"):
        sparse.save_npz(folder / f"{name}.npz", sparse.csr_matrix(X), compressed=False)
    else:
        np.save(folder / f"{name}.npy", X)
    np.save(folder / f"{name}.labels.npy", data.y)
    return Kept(name, folder, data.n, data.d, int(np.count_nonzero(data.y > 0)))


def whole(kept: Kept) -> Labelled:
    """Return all rows of a set."""
    y = np.load(kept.folder / f"{kept.name}.labels.npy")
    packed = kept.folder / f"{kept.name}.npz"
    X = sparse.load_npz(packed) if packed.exists() else np.load(packed.with_suffix(".npy"))
    return Labelled(X, y)


def halves(kept: Kept) -> tuple[Labelled, Labelled]:
    """Return three quarters of each class to learn from, and the others for the test."""
    rows, rng = whole(kept), np.random.default_rng(0)
    place = np.empty(rows.y.size)
    for label in (-1, 1):
        mine = rows.y == label
        place[mine] = rng.permutation(np.count_nonzero(mine)) / np.count_nonzero(mine)
    learnt, held = np.flatnonzero(place >= 0.25), np.flatnonzero(place < 0.25)
    return Labelled(rows.X[learnt], rows.y[learnt]), Labelled(rows.X[held], rows.y[held])


def made(n: int, d: int) -> aucbench.Data:
    """Return n × d normal rows, of which a linear score explains most; three in ten positive."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    noisy = X @ rng.standard_normal(d) + rng.standard_normal(n)
    return aucbench.Data.of(X, np.where(noisy > np.quantile(noisy, 0.7), 1, -1))
