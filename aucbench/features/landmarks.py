"""Landmarks: the rows at which a kernel is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Rows, rows
from aucbench.data.targets import Labels


def uniform(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Draw training rows without replacement."""
    return _taken(data, rng.choice(data.n, rank, replace=False))


def stratified(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Draw half of the landmarks from each class, without replacement.

    If a class has too few rows, more are drawn from the other class. (Rejected: the shares of
    the classes in the data, which leave a rare class with almost no landmark.) Of another target
    it draws as many from each stratum, such as a class of several, or events and censored rows.
    """
    if not isinstance(data.target, Labels):
        return _of_strata(data, rank, rng)
    positive, negative = (np.flatnonzero(data.y == side) for side in (1, -1))
    wanted = min(max(rank // 2, rank - negative.size), positive.size)
    drawn = [
        rng.choice(positive, wanted, replace=False),
        rng.choice(negative, rank - wanted, replace=False),
    ]
    return _taken(data, np.concatenate(drawn))


def _of_strata(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Draw as many landmarks from each stratum as its rows allow, the smallest first."""
    members = [
        np.flatnonzero(data.target.strata == stratum) for stratum in np.unique(data.target.strata)
    ]
    drawn: list[np.ndarray[tuple[int], np.dtype[np.intp]]] = []
    left = rank
    for done, rows_of_one in enumerate(sorted(members, key=len)):
        count = min(left // (len(members) - done), rows_of_one.size)
        drawn.append(rng.choice(rows_of_one, count, replace=False))
        left -= count
    return _taken(data, np.concatenate(drawn))


def kmeans(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Return the centres of the clusters of mini-batch k-means, dense."""
    from sklearn.cluster import MiniBatchKMeans  # a slow import that only k-means needs

    seed = int(rng.integers(2**31))
    X = data.rows.matrix
    X = X.copy() if data.rows.is_sparse else X  # it refuses CSR arrays that are read-only
    means = MiniBatchKMeans(rank, n_init=1, random_state=seed).fit(X)
    return rows(means.cluster_centers_)


def _taken(data: Data, numbers: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Rows:
    return data.rows.take(np.sort(numbers).astype(np.int32))


CHOICES: Mapping[str, Callable[[Data, int, np.random.Generator], Rows]] = {
    "uniform": uniform,
    "stratified": stratified,
    "kmeans": kmeans,
}


def choose(data: Data, rank: int, how: str, rng: np.random.Generator) -> Rows:
    """Return `rank` landmarks, chosen by a function of `CHOICES`; all rows if there are fewer."""
    return data.rows if rank >= data.n else CHOICES[how](data, rank, rng)
