"""The rows that laws are checked on, and ways to compare numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.arrays import rows as rows_of
from aucbench.errors import ParameterError
from aucbench.testing.laws import LawBroken, require


@dataclass(frozen=True, slots=True)
class Extent:
    """How many rows and columns the sample has."""

    n: int
    d: int

    def __str__(self) -> str:
        return f"{self.n} x {self.d}"

    @staticmethod
    def of(text: str) -> Extent:
        """Return the extent that is written so, or raise `ParameterError`."""
        n, _, d = text.partition(" x ")
        if not (n.isdecimal() and d.isdecimal() and int(n) >= SMALL.n and int(d) > 0):
            raise ParameterError(f"{text!r} are no rows and columns; write them as in 2000 x 50")
        return Extent(int(n), int(d))

    @staticmethod
    def drawn() -> tuple[Extent, Extent]:
        """Return many rows, and more columns than rows: others at each call."""
        rng = np.random.default_rng()
        many = Extent(int(rng.integers(10_000, MOST_ROWS + 1)), int(rng.integers(6, 21)))
        return many, Extent(int(rng.integers(100, 301)), int(rng.integers(400, MOST_COLUMNS + 1)))

    def shrunk(self, factor: int) -> Extent:
        """Return fewer rows, or fewer columns where there are more of them."""
        if self.n > self.d:
            return Extent(max(SMALL.n, self.n // factor), self.d)
        return Extent(self.n, max(SMALL.d, self.d // factor))

    def for_laws_of(self, thing: Any) -> Extent:
        """Return as many rows with the columns of `law_columns`, if the thing takes no other."""
        return Extent(self.n, getattr(thing, "law_columns", self.d))


SMALL = Extent(90, 12)
MOST_ROWS, MOST_COLUMNS = 50_000, 5_000
_extent: ContextVar[Extent] = ContextVar("extent", default=SMALL)


def extent() -> Extent:
    """Return the extent of the sample that laws are checked on now."""
    return _extent.get()


@contextmanager
def extended(to: Extent) -> Iterator[None]:
    """Let the sample have another extent inside the context."""
    token = _extent.set(to)
    try:
        yield
    finally:
        _extent.reset(token)


@lru_cache(maxsize=1)
def _drawn(n: int, d: int) -> tuple[Vector, Any]:
    rng = np.random.default_rng(11)
    y = np.where(rng.random(n) < 0.2, 1, -1)
    X = np.round(rng.normal(size=(n, d)) + 0.5 * y[:, None], 3)
    X[rng.random(X.shape) < 0.3] = 0.0
    return X, y


def features() -> Vector:
    """A fresh copy of the rows, (90, 12): 30 % zeros, class means one standard deviation apart."""
    return _drawn(extent().n, extent().d)[0].copy()


def labels() -> Any:
    """A fresh copy of the labels, (90,): one in five is +1."""
    return _drawn(extent().n, extent().d)[1].copy()


def sample(layout: Callable[[Any], Any] = np.asarray, rows: Any = slice(None)) -> Data:
    """Some of these rows in a layout, whose arrays cannot be written."""
    return locked(layout(features()[rows]), labels()[rows])


def locked(M: Any, y: Any, **more: Any) -> Data:
    """`Data.of`, with arrays that cannot be written."""
    if not isinstance(M, Rows):  # whose arrays are read-only
        for part in [M] if isinstance(M, np.ndarray) else [M.data, M.indices, M.indptr]:
            part.setflags(write=False)
    return Data.of(M, y, **more)


def csr(M: Any) -> Any:
    """The rows as a CSR array of scipy."""
    from scipy.sparse import csr_array

    return csr_array(M)


def messy(M: Any) -> Any:
    """The rows as CSR with stored zeros, columns in no order, and numbers that are sums of two."""
    from scipy.sparse import csr_array

    n, d = M.shape
    both = np.r_[np.arange(d)[::-1], np.arange(d)]
    return csr_array(
        (0.5 * M[:, both].ravel(), np.tile(both, n), 2 * d * np.arange(n + 1)), shape=(n, d)
    )


LAYOUTS: Mapping[str, Callable[[Any], Any]] = {
    "CSR rows": csr,
    "CSR rows with stored zeros": messy,
    "rows in Fortran order": np.asfortranarray,
}


def single(M: Any) -> Rows:
    """The rows, dense or CSR, stored as float32: `Data.of` keeps them so."""
    return rows_of(M, np.float32)


def rounded(M: Any) -> Any:
    """The same numbers as `single` has, in the same layout, stored as float64."""
    return M.astype(np.float32).astype(np.float64)


def weights(count: int, d: int, seed: int = 3) -> Iterable[Vector]:
    """Random weights of the length d."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=d) for _ in range(count))


def require_close(
    what: str, came: Any, wanted: Any, *, rtol: float = 0.0, atol: float = 0.0
) -> None:
    """Raise `LawBroken` unless |found − wanted| ≤ atol + rtol |wanted| everywhere."""
    a, b = np.asarray(came, np.float64), np.asarray(wanted, np.float64)
    require(a.shape == b.shape, f"{what}: shape {a.shape}, wanted {b.shape}")
    if not np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
        with np.errstate(invalid="ignore"):
            apart = np.abs(np.where(np.isnan(a) | np.isnan(b), np.inf, a - b)).max()
        raise LawBroken(
            f"{what}: the numbers differ by up to {apart:.3g}, allowed are {atol:.3g} and "
            f"{rtol:.3g} of their size"
        )


def under_two_states(make: Callable[[], Any]) -> list[Any]:
    """Return what two calls make, while the global generators are in different states."""
    before = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        answers = []
        for seed in (1, 2):
            np.random.seed(seed)  # noqa: NPY002
            random.seed(seed)
            answers.append(make())
        return answers
    finally:
        np.random.set_state(before[0])  # noqa: NPY002
        random.setstate(before[1])
