"""Landmarks: the rows at which a kernel is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Rows, rows


def uniform(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Training rows drawn without replacement."""
    return _rows(data, rng.choice(data.n, rank, replace=False))


def stratified(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Half of them from each class, drawn without replacement.

    Where a class has fewer rows the other one makes up for them. (Rejected: shares as in the
    data, under which a rare class has hardly a landmark.)
    """
    positive, negative = (np.flatnonzero(data.y == side) for side in (1, -1))
    wanted = min(max(rank // 2, rank - negative.size), positive.size)
    drawn = [
        rng.choice(positive, wanted, replace=False),
        rng.choice(negative, rank - wanted, replace=False),
    ]
    return _rows(data, np.concatenate(drawn))


def kmeans(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Centres of clusters (mini-batch k-means), dense."""
    from sklearn.cluster import MiniBatchKMeans  # takes its time, and only k-means needs it

    seed = int(rng.integers(2**31))
    found = MiniBatchKMeans(rank, n_init=1, random_state=seed).fit(data.rows.matrix)
    return rows(found.cluster_centers_)


def _rows(data: Data, numbers: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Rows:
    return data.rows.take(np.sort(numbers).astype(np.int32))


CHOICES: Mapping[str, Callable[[Data, int, np.random.Generator], Rows]] = {
    "uniform": uniform,
    "stratified": stratified,
    "kmeans": kmeans,
}


def choose(data: Data, rank: int, how: str, rng: np.random.Generator) -> Rows:
    """`rank` landmarks, chosen as `CHOICES` says; all rows where there are no more."""
    return data.rows if rank >= data.n else CHOICES[how](data, rank, rng)
