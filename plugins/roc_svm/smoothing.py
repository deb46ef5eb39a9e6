"""The two ridges of an additive score, on slopes and on curvature, chosen by rows held out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from aucbench.data import Data, uncounted
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.data.columns import scale_columns
from aucbench.data.data import divide_rows
from aucbench.data.folds import drawn
from aucbench.data.layouts import stored_count
from aucbench.data.tally import READ
from aucbench.features import Splines
from aucbench.features.splines import EACH
from aucbench.objectives import PairwiseSquaredHinge
from aucbench.optim.choice import HELD, in_order, too_few
from aucbench.optim.scale import default_ridge
from aucbench.pairs import members_of
from aucbench.pairs.gram import pair_gram

from .preconditioner import sampled

CURVES = {  # deviation of curved features: log₁₀ of λ / `default_ridge`; the smoothest first
    0.0: (1.0, 0.0, -1.0),
    0.1: (1.0, 0.0, -1.0),
    0.3: (1.0, 0.5, 0.0, -0.5, -1.0, -1.5, -2.0, -2.5),
}
FOLDS = 5
WORK = 3e9  # multiplications of all folds, beyond which some of the five are left out
TRIED = sum(map(len, CURVES.values()))
MOST = 20_000  # rows that are judged by; more tell nothing new about two numbers
ROWS, RARE = 4000, 500  # rows, and those of each class, beyond which one fold is held out of five
STEPS = 12  # of a trial
WIDE, FEW = 1000, 600  # features beyond which trials learn from few rows, and their number
CUTOFF = 1e-12  # of products of rows, relative, which is rounding


System = tuple[Vector, Vector]  # 2A and 2b, see `_least_squares`


@dataclass(frozen=True)
class Smoothing:
    """λ on the linear parts, λ/curve² on the curved ones and on joint effects of `pairs` pairs.

    With curve = 0 there are linear parts only.
    """

    lam: float
    curve: float
    pairs: int = 0


@dataclass(frozen=True, eq=False)
class Tried:
    """What is tried, the smoothest first; None is chosen.

    Attributes
    ----------
    lam, curve : float or None
        See `Smoothing`.
    pairs : tuple of int
        Numbers of pairs, ascending.
    linear : bool
        Whether curve = 0 is tried where `curve` is None.
    """

    lam: float | None
    curve: float | None
    pairs: tuple[int, ...]
    linear: bool = True

    def grid(self, base: float) -> list[Smoothing]:
        """Return all of it, where `base` is the default ridge."""
        curves = [c for c in CURVES if c or self.linear] if self.curve is None else [self.curve]
        each = [(0, curve) for curve in curves] if 0 in self.pairs else []
        each += [(count, curves[-1]) for count in self.pairs if count]
        return [
            Smoothing(lam, curve, count) for count, curve in each for lam in self._lams(base, curve)
        ]

    def _lams(self, base: float, curve: float) -> list[float]:
        if self.lam is not None:
            return [self.lam]
        return [base * 10.0**e for e in CURVES.get(curve, CURVES[max(CURVES)])]


def smoothing(phi: Splines, data: Data, rng: np.random.Generator, tried: Tried) -> Smoothing:
    """Return with what the squared hinge over all pairs of rows ranks held-out rows best.

    Pairs of columns are found by the rows that are learnt from.

    Parameters
    ----------
    phi : Splines
        Fitted to the rows, with curve = 1 and without pairs.
    data : Data
        Training rows, before the map.
    rng : Generator
        Draws the folds.
    tried : Tried
        What to choose from.
    """
    mapped = data.with_rows(phi(data.rows))
    base = default_ridge(mapped)
    grid = tried.grid(base)
    if len(grid) == 1:
        return grid[0]
    if too_few(data):
        smoothest = [one for one in grid if one.curve == grid[0].curve]
        return smoothest[len(smoothest) // 2]
    whole = phi.width + EACH**2 * max(one.pairs for one in grid)
    with uncounted():
        trials = _Trials(phi, data, mapped, grid, base)
        found = np.array([trials.qualities(*rows) for rows in _folds(data, phi.width, whole, rng)])
    return grid[_best(found, grid)]


def _best(found: Vector, grid: Sequence[Smoothing]) -> int:
    """Return the number of the ridges with the highest mean, or of a smoother one that is as good.

    One is as good where it is behind by less than the standard error of the difference.
    """
    best = int(found.mean(axis=0).argmax())
    if len(found) < 2:
        return best
    behind = found[:, [best]] - found
    error = behind.std(axis=0, ddof=1) / np.sqrt(len(found))
    as_good = behind.mean(axis=0) <= error
    for _, some in groupby(range(len(grid)), key=lambda k: (grid[k].pairs, grid[k].curve)):
        own = [k for k in some if as_good[k]]
        if own:
            return max(own, key=lambda k: found[:, k].mean())
    return best


def _folds(
    data: Data, width: int, whole: int, rng: np.random.Generator
) -> Iterator[tuple[Index, Index]]:
    """Yield the numbers of the rows to learn from, and of those held out.

    Where there are many features few rows are learnt from: their products take the place of those
    of the features. `width` counts them without those of pairs of columns, and `whole` with them.
    """
    if width > WIDE and data.n > 2 * FEW:
        yield divide_rows(data, 1.0 - FEW / data.n, rng)
        return
    some = np.arange(data.n) if data.n <= MOST else sampled(data, MOST, rng)
    part = data.take(some)
    if part.n > ROWS and np.unique(part.target.strata, return_counts=True)[1].min() >= RARE:
        folds = iter([divide_rows(part, HELD, rng)])
    else:
        work = part.n * whole**2 + TRIED * whole**3 / 3
        count = int(np.clip(WORK / work, 1, FOLDS))
        folds = islice(drawn(part, FOLDS, int(rng.integers(2**31))), count)
    for rest, held in folds:
        yield some[rest], some[held]


@dataclass(frozen=True, eq=False)
class _Trials:
    """What is tried, on which rows.

    Attributes
    ----------
    phi : Splines
        The map without pairs.
    data, mapped : Data
        All rows, before and after it.
    grid : sequence of Smoothing
    base : float
        The default ridge of all rows. Fewer rows need a larger ridge in its proportion.
    """

    phi: Splines
    data: Data
    mapped: Data
    grid: Sequence[Smoothing]
    base: float

    def qualities(self, rest: Index, held: Index) -> Vector:
        """Return how well trials on some rows rank those held out, for the whole grid."""
        learnt, judged = (self.mapped.take(rows) for rows in (rest, held))
        more = default_ridge(learnt) / self.base
        found: list[float] = []
        for maps, some in self._maps(rest):
            curved = maps.terms().curved
            X, H = learnt.rows, judged.rows
            if maps.crosses:
                X, H = (maps(self.data.rows.take(rows)) for rows in (rest, held))
            whole = None if X.d > X.n else _least_squares(learnt.with_rows(X))
            for curve, each in groupby(some, key=lambda one: one.curve):
                sizes = np.where(curved, curve, 1.0)
                lams = np.array([more * one.lam for one in each])
                found += _ranked(learnt.with_rows(X), judged.with_rows(H), sizes, lams, whole)
        return np.array(found)

    def _maps(self, rest: Index) -> Iterator[tuple[Splines, Iterator[Smoothing]]]:
        """Yield the map of each number of pairs, and what of the grid has it."""
        most, data = max(one.pairs for one in self.grid), self.data.take(rest)
        pairs = self.phi.strongest(data, most) if most else []
        for count, some in groupby(self.grid, key=lambda one: one.pairs):
            yield self.phi.crossed(data, pairs[:count]), some


def _ranked(
    learnt: Data, judged: Data, sizes: Vector, lams: Vector, whole: System | None
) -> list[float]:
    """Return how well trials with each λ on features of some sizes rank the other rows."""
    kept = np.flatnonzero(sizes)
    if not kept.size:
        return [0.5] * lams.size
    X, H = (_scaled(part.rows, sizes) for part in (learnt, judged))
    if whole is None:
        X, H = _rotated(X, H)
        system = _least_squares(learnt.with_rows(X))
    else:
        A, b = whole
        own = sizes[kept]
        system = own[:, None] * A[np.ix_(kept, kept)] * own, own * b[kept]
    scores = H.matrix @ _trials(learnt.with_rows(X), lams, system)
    return [in_order(judged, np.ascontiguousarray(s)) for s in scores.T]


def _least_squares(data: Data) -> System:
    """Return 2A and 2b of the least squares Σ π_ij (1 − w·(x_i − x_j))², whose minimum is A⁻¹b."""
    members = members_of(data)
    above, below = members.row_masses
    return 2.0 * pair_gram(data, members), 2.0 * data.pullback(above - below)


def _scaled(X: Rows, sizes: Vector) -> Rows:
    """Return the features with another size, without those of size 0."""
    kept = np.flatnonzero(sizes)
    part = X if kept.size == X.d else rows(X.matrix[:, kept])
    return scale_columns(part, sizes[kept])


def _rotated(X: Rows, H: Rows) -> tuple[Rows, Rows]:
    """Return both in the coordinates in which X has no more features than rows.

    They are orthonormal, so that a ridge is the same there.
    """
    cross = X.matrix @ X.matrix.T
    values, U = np.linalg.eigh(cross.toarray() if hasattr(cross, "toarray") else cross)
    kept = values > CUTOFF * values[-1]
    U, root = U[:, kept], np.sqrt(values[kept])
    others = H.matrix @ X.matrix.T
    others = others.toarray() if hasattr(others, "toarray") else others
    return rows(U * root), rows(others @ (U / root))


def _trials(data: Data, lams: Vector, system: System) -> Vector:
    """Return about the minimisers of f(w) + (λ/2)‖w‖² for each λ, (d, number of λ).

    f is the squared hinge over the pairs. All pairs active would give it the Hessian 2A, A = XᵀLX
    with the Laplacian L of the pairs, which is above its own. So steps with (2A + λI)⁻¹ descend;
    they start from the least squares over all pairs, and are accelerated. All λ share the products
    with the rows.
    """
    X, (A, b) = data.rows.matrix, system
    READ.get().add(0, 2 * STEPS * lams.size * stored_count(data.rows))
    at = np.diag_indices(len(A))
    factors = []
    for lam in lams:
        H = A.copy()
        H[at] += lam
        factors.append(cho_factor(H, overwrite_a=True, check_finite=False))

    def solved(G: Vector) -> Vector:
        each = [cho_solve(f, g, check_finite=False) for f, g in zip(factors, G.T, strict=True)]
        return np.stack(each, axis=1)

    loss = PairwiseSquaredHinge(data)
    W = V = solved(np.tile(b[:, None], lams.size))
    momentum = 1.0
    for _ in range(STEPS):
        C = np.stack([loss.of_scores(np.ascontiguousarray(s))[1] for s in (X @ V).T], axis=1)
        G = X.T @ C + lams * V
        W, last = V - solved(G), W
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        V = W + (momentum - 1.0) / following * (W - last)
        momentum = following
    return W
