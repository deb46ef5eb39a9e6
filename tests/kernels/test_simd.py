"""AUCBENCH_SIMD: every level gives the same bits, and a level that is not there is refused."""

import json
import os
import subprocess
import sys
from itertools import cycle

import pytest

from aucbench.data.sorting import SORTS
from aucbench.kernels import simd

# Prints a hash of the results of each name; the names reach all kernels that have levels.
CODE = """
import hashlib, json, warnings
import numpy as np, scipy.sparse
import aucbench
import aucbench.scale.auc_bins, aucbench.scale.bins, aucbench.scale.survey
from aucbench import aum
from aucbench.kernels import simd

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.standard_normal((300, 43)) * (rng.random((300, 43)) < 0.4)
y = np.where(X @ rng.standard_normal(43) + 2.0 * rng.standard_normal(300) > 0.3, 1, -1)
found = {}

def keep(name, *parts):
    found[name] = hashlib.sha256(b"".join(np.asarray(p).tobytes() for p in parts)).hexdigest()

solvers = (
    "aum aum-margin fsauc oam-gra oam-seq opauc opauc-lr reg-solam solam spam-l1 spam-l2 spam-net "
    "uni-exp ls-svm spdam rank-svm roc-svm svm-or hsg-ht sht-auc sto-iht"
).split()
for kind, rows in (("dense", X), ("csr", scipy.sparse.csr_array(X))):
    data = aucbench.Data.of(rows, y)
    for name in solvers:
        options = {"opauc-lr": {"rank": 9}}.get(name, {})
        run = aucbench.solve(aucbench.get_solver(name, **options), data, passes=2)
        keep(f"{name} {kind}", run.w)
    w = rng.standard_normal(43)
    few = aucbench.Data.of(rows, y, dtype="float32")
    keep(f"float32 {kind}", few.scores(w), few.pullback(rng.standard_normal(300)))
    keep(f"float32 gradient {kind}", aucbench.get_objective("pairwise-square", few).grad(w))
    keep(f"scores {kind}", data.scores(w), data.pullback(rng.standard_normal(300)))
    for name in ("pairwise-hinge", "pairwise-squared-hinge", "pairwise-logistic"):
        keep(f"{name} {kind}", *aucbench.get_objective(name, data).both(w))
    piece = aucbench.scale.Piece(data.rows, data.y)
    grid = aucbench.scale.bins.Grid(-2.0, 7.0, 40)
    bins = aucbench.scale.bins.binned(piece, np.zeros(43), w, grid)
    keep(f"bins {kind}", bins.counts, bins.sums, bins.ends)
columns = tuple(np.ascontiguousarray(c.astype(["f4", "f8"][j % 2])) for j, c in enumerate(X.T))
piece = aucbench.scale.Piece(aucbench.scale.Columns(columns), data.y)
known = aucbench.scale.survey.survey(piece, X.mean(axis=0), 50, 0)
tally = aucbench.scale.auc_bins.ScoreTally(aucbench.scale.auc_bins.ScoreBins.of(X[:99, 1], 300))
tally.add(piece)
keep("bins of scores", tally.table)
keep("survey", known.sums, known.squares, known.low, known.high)
bins = aucbench.scale.bins.binned(piece, X.mean(axis=0), w, grid)
pulled = aucbench.scale.bins.pulled(piece, X.mean(axis=0), w, grid, rng.standard_normal((2, 40)))
keep("bins of columns", bins.counts, bins.sums, bins.ends, pulled.total)
users, days = rng.integers(0, 40, 300), rng.integers(1, 60, 300)
one, six = np.zeros((3001, 1)), rng.integers(0, 6, 3001)
for name in ("pairwise-hinge", "pairwise-squared-hinge", "pairwise-logistic"):
    for kind, target, how in (
        ("groups", y, {"groups": users, "pairs": aucbench.pairs.Group()}),
        ("times", aucbench.data.Survival.of(days, y > 0), {}),
    ):
        some = aucbench.Data.of(X, target, **how)
        keep(f"{name} {kind}", *aucbench.get_objective(name, some).both(w))
    many = aucbench.Data.of(one, aucbench.data.Grades.of(six))
    keep(f"{name} many", *aucbench.get_objective(name, many).of_scores(rng.standard_normal(3001)))
v = rng.standard_normal(3001)
for name, options in (("top-k", {"k": 300}), ("l1-ball", {"R": 9.0}), ("l2-ball", {})):
    keep(name, aucbench.get_projector(name, **options)(v.copy()))
s, d = rng.standard_normal(3001), np.round(rng.standard_normal(3001), 1)
sides = np.where(v > 0, 1, -1)
keep("auc", aucbench.auc(sides, s), aucbench.auc(sides, d))
loss = aum.aum_loss(aucbench.data.Breakpoints.of_labels(sides), s)
keep("aum", loss.value, loss.left, loss.right)
fp = np.where(sides > 0, 0.0, 1.0)
path = aum.aum_path(s, d, fp, fp - 1.0, max_events=2000)
keep("aum path", path.step, path.aum, path.auc)
line = aum.aum_line_min(s, d, sides)
keep("aum line", line.step_lo, line.step_hi, line.aum)
print(json.dumps([simd.level(), found]))
"""


def run(code, **variables):
    names = {name: value for name, value in os.environ.items() if name not in variables}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**names, **variables},
    )


def test_every_level_and_every_sort_gives_the_same_bits():
    levels = simd.levels()
    ways = [*zip(levels, cycle(SORTS), strict=False), (levels[0], SORTS[1])]
    found = {}
    for level, named in ways:
        done = run(CODE, AUCBENCH_SIMD=level, AUCBENCH_SORT=named)
        assert done.returncode == 0, done.stderr
        used, found[level, named] = json.loads(done.stdout)
        assert used == level

    first, *others = found.values()
    assert len(first) > 50
    for other in others:
        assert other == first


@pytest.mark.parametrize("asked", ["avx9", "AVX2", "none "])
def test_a_level_that_is_not_there_is_refused(asked):
    done = run("import aucbench.kernels.ranks", AUCBENCH_SIMD=asked)

    assert done.returncode == 1
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"ImportError: AUCBENCH_SIMD is '{asked}', and this machine has")


def test_the_command_shows_the_sentence_only():
    done = run(
        "import sys; from aucbench.cli import main; sys.argv[1:] = ['list', 'solvers']; main()",
        AUCBENCH_SIMD="avx9",
    )

    assert done.returncode == 2
    assert done.stderr.startswith("error: AUCBENCH_SIMD is 'avx9', and this machine has")
    assert len(done.stderr.splitlines()) == 1


def test_without_a_name_the_highest_level_is_in_use():
    done = run("from aucbench.kernels import simd; print(simd.level())", AUCBENCH_SIMD="")

    assert done.stdout.strip() == simd.levels()[-1]
