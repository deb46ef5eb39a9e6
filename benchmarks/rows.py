"""The inputs of the benchmarks, the same in every process.

asv runs `setup` before each sample, so the data are cached. They never change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array, random_array

import aucbench

DENSE = (20_000, 1_000)
A9A = (32_561, 123, 14)  # rows, features and non-zeros a row of the data set a9a


def labels(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return labels -1 and 1; one in four is positive, and the scores explain them in part."""
    noisy = scores + scores.std() * rng.standard_normal(scores.size)
    return np.where(noisy > np.quantile(noisy, 0.75), 1, -1)


@cache
def dense(n: int, d: int) -> aucbench.Data:
    """Uniform features in [-1, 1]."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.0, 1.0, (n, d))
    return aucbench.Data.of(X, labels(X @ rng.standard_normal(d), rng))


@cache
def ones(n: int, d: int, stored: int) -> aucbench.Data:
    """CSR rows that hold `stored` ones each, like the coded categories of a9a."""
    rng = np.random.default_rng(1)
    first = np.sort(rng.integers(0, d - stored + 1, (n, stored)), axis=1)
    columns = (first + np.arange(stored)).reshape(-1)  # strictly increasing within a row
    starts = np.arange(0, n * stored + 1, stored)
    X = csr_array((np.ones(n * stored), columns, starts), shape=(n, d))
    return aucbench.Data.of(X, labels(X @ rng.standard_normal(d), rng))


@cache
def sector() -> aucbench.Data:
    """CSR rows of many features, like the words of the data set sector: 0.3 % stored."""
    rng = np.random.default_rng(1)
    X: Any = random_array((9_619, 55_197), density=0.003, format="csr", rng=rng)
    return aucbench.Data.of(X, labels(X @ rng.standard_normal(X.shape[1]), rng))


@cache
def single() -> aucbench.Data:
    """The dense rows, stored as float32."""
    data = dense(*DENSE)
    return aucbench.Data.of(data.rows, data.y, dtype="float32")


LAYOUTS = {"dense": lambda: dense(*DENSE), "csr": lambda: ones(*A9A)}
BULK: dict[str, Callable[[], aucbench.Data]] = {**LAYOUTS, "float32": single, "sector": sector}
