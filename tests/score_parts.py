"""Scores in parts, for tests: any cutting of them, each part in one piece or in several."""

from dataclasses import dataclass

import numpy as np

from aucbench.scale.parts import Columns, Piece


@dataclass(frozen=True, eq=False)
class ScoreParts:
    """Parts of `sizes` rows; columns are the score, and others where they are given."""

    y: np.ndarray
    columns: tuple
    sizes: tuple
    weights: np.ndarray | None = None
    pieces: int = 1

    n = property(lambda self: len(self.y))
    d = property(lambda self: len(self.columns))
    names = None
    fingerprint = "scores"

    @staticmethod
    def of(y, *columns, size=100, weights=None, pieces=1):
        """Cut rows into parts of `size`."""
        y = np.asarray(y, np.int8)
        sizes = tuple(min(size, y.size - lo) for lo in range(0, y.size, size))
        held = tuple(np.ascontiguousarray(c, getattr(c, "dtype", float)) for c in columns)
        return ScoreParts(y, held, sizes, weights, pieces)

    def read(self, i):
        lo, n = sum(self.sizes[:i]), self.sizes[i]
        for part in np.array_split(np.arange(lo, lo + n), min(self.pieces, max(n, 1))):
            rows = slice(part[0], part[-1] + 1) if part.size else slice(lo, lo)
            own = None if self.weights is None else self.weights[rows]
            columns = Columns(tuple(c[rows] for c in self.columns))
            yield Piece(columns, self.y[rows], own, part=i, first=rows.start - lo)

    def labels(self, i):
        lo = sum(self.sizes[:i])
        return self.y[lo : lo + self.sizes[i]]

    def where(self, i, row):
        return f"part {i}, row {row}"


def normal_scores(n, seed=0, kind="normal"):
    """Labels and scores of one of several shapes."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1).astype(np.int8)
    s = rng.standard_normal(n) + (y > 0)
    if kind == "ties":
        s = np.round(s, 1)
    elif kind == "infinite":
        s[::7], s[1::7], s[2::7], s[3::7] = np.inf, -np.inf, -0.0, 0.0
    elif kind == "zeros":
        s = np.maximum(s, 0.0)
    elif kind == "heavy tails":
        s = np.tan(np.pi * (rng.random(n) - 0.5)) + (y > 0)
    elif kind == "near 0":
        s = np.exp(3.0 * s - 9.0)
    elif kind == "single":
        s = s.astype(np.float32)
    elif kind == "sorted":
        order = np.argsort(s)
        y, s = y[order], s[order]
    elif kind == "far away":
        s = 1e6 + s
    return y, s


KINDS = (
    "normal", "ties", "infinite", "zeros", "heavy tails", "near 0", "single", "sorted", "far away",
)  # fmt: skip
