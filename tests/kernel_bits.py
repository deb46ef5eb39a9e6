"""Writes a hash of the results of each kernel that has levels, as JSON, and the level in use.

Builds and levels that give the same bits write the same hashes.
"""

import hashlib
import json
import sys
import warnings

import numpy as np
import scipy.sparse

import aucbench
import aucbench.scale.auc_bins
import aucbench.scale.bins
import aucbench.scale.survey
from aucbench import aum
from aucbench.kernels import simd

SOLVERS = [
    *("aum", "aum-margin", "fsauc", "hsg-ht", "ls-svm", "oam-gra", "oam-seq", "opauc", "opauc-lr"),
    *("rank-svm", "reg-solam", "roc-svm", "sht-auc", "solam", "spam-l1", "spam-l2", "spam-net"),
    *("spdam", "sto-iht", "svm-or", "uni-exp"),
]
PAIRWISE = ("pairwise-hinge", "pairwise-squared-hinge", "pairwise-logistic")


def of_rows(rng, X, y):
    """Solvers, products and losses, of dense and sparse rows."""
    for kind, rows in (("dense", X), ("csr", scipy.sparse.csr_array(X))):
        data = aucbench.Data.of(rows, y)
        for name in SOLVERS:
            options = {"opauc-lr": {"rank": 9}}.get(name, {})
            run = aucbench.solve(aucbench.get_solver(name, **options), data, passes=2)
            yield f"{name} {kind}", run.w
        w = rng.standard_normal(43)
        few = aucbench.Data.of(rows, y, dtype="float32")
        yield f"float32 {kind}", few.scores(w), few.pullback(rng.standard_normal(300))
        yield f"float32 gradient {kind}", aucbench.get_objective("pairwise-square", few).grad(w)
        yield f"scores {kind}", data.scores(w), data.pullback(rng.standard_normal(300))
        for name in PAIRWISE:
            yield f"{name} {kind}", *aucbench.get_objective(name, data).both(w)


def of_parts(rng, X, y):
    """Rows in chunks: bins of rows and of columns, and what is said of columns."""
    of, scale = aucbench.scale.Piece, aucbench.scale
    w, grid = rng.standard_normal(43), scale.bins.Grid(-2.0, 7.0, 40)
    for kind, rows in (("dense", X), ("csr", scipy.sparse.csr_array(X))):
        data = aucbench.Data.of(rows, y)
        bins = scale.bins.binned(of(data.rows, data.y), np.zeros(43), w, grid)
        yield f"bins {kind}", bins.counts, bins.sums, bins.ends
    columns = [np.ascontiguousarray(c.astype(["f4", "f8"][j % 2])) for j, c in enumerate(X.T)]
    piece = of(scale.Columns(tuple(columns)), aucbench.Data.of(X, y).y)
    known = scale.survey.survey(piece, X.mean(axis=0), 50, 0)
    yield "survey", known.sums, known.squares, known.low, known.high
    tally = scale.auc_bins.ScoreTally(scale.auc_bins.ScoreBins.of(X[:99, 1], 300))
    tally.add(piece)
    yield "bins of scores", tally.table
    bins = scale.bins.binned(piece, X.mean(axis=0), w, grid)
    pulled = scale.bins.pulled(piece, X.mean(axis=0), w, grid, rng.standard_normal((2, 40)))
    yield "bins of columns", bins.counts, bins.sums, bins.ends, pulled.total


def of_pairs(rng, X, y):
    """Losses over pairs within groups, of times, and of grades that many rows share."""
    users, days = rng.integers(0, 40, 300), rng.integers(1, 60, 300)
    groups = aucbench.Data.of(X, y, groups=users, pairs=aucbench.pairs.Group())
    times = aucbench.Data.of(X, aucbench.data.Survival.of(days, y > 0))
    grades = aucbench.data.Grades.of(rng.integers(0, 6, 3001))
    many, w = aucbench.Data.of(np.zeros((3001, 1)), grades), rng.standard_normal(43)
    for name in PAIRWISE:
        yield f"{name} groups", *aucbench.get_objective(name, groups).both(w)
        yield f"{name} times", *aucbench.get_objective(name, times).both(w)
        loss = aucbench.get_objective(name, many)
        yield f"{name} many", *loss.of_scores(rng.standard_normal(3001))


def of_scores(rng):
    """Projections, the AUC, and the AUM with its path and its line."""
    v = rng.standard_normal(3001)
    for name, options in (("top-k", {"k": 300}), ("l1-ball", {"R": 9.0}), ("l2-ball", {})):
        yield name, aucbench.get_projector(name, **options)(v.copy())
    s, d = rng.standard_normal(3001), np.round(rng.standard_normal(3001), 1)
    sides = np.where(v > 0, 1, -1)
    yield "auc", aucbench.auc(sides, s), aucbench.auc(sides, d)
    loss = aum.aum_loss(aucbench.data.Breakpoints.of_labels(sides), s)
    yield "aum", loss.value, loss.left, loss.right
    fp = np.where(sides > 0, 0.0, 1.0)
    path = aum.aum_path(s, d, fp, fp - 1.0, max_events=2000)
    yield "aum path", path.step, path.aum, path.auc
    line = aum.aum_line_min(s, d, sides)
    yield "aum line", line.step_lo, line.step_hi, line.value


def hashes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 43)) * (rng.random((300, 43)) < 0.4)
    y = np.where(X @ rng.standard_normal(43) + 2.0 * rng.standard_normal(300) > 0.3, 1, -1)
    for results in (of_rows(rng, X, y), of_parts(rng, X, y), of_pairs(rng, X, y), of_scores(rng)):
        for name, *parts in results:
            content = b"".join(np.asarray(part).tobytes() for part in parts)
            yield name, hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump({"level": simd.level(), "hashes": dict(hashes())}, sys.stdout, indent=1)
