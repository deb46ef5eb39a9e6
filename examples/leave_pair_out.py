"""Leave-pair-out cross-validation of ls-svm: how near it is to the AUC of new rows, and as a judge.

    AUCBENCH_DATA=FOLDER python examples/leave_pair_out.py

It writes two tables. The first has estimates of the AUC from a few rows of two normal classes, over
draws: the mean, and the root mean square of the difference to the AUC of the model of all these
rows on 600 new ones. The second learns from n rows of a table, with λ by four rules, and judges by
all its other rows; columns have mean 0 and standard deviation 1 in the rows that are learnt from.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from statistics import median
from time import process_time

import numpy as np

from aucbench import Data, Run, auc, get_dataset, get_solver, solve
from aucbench.data.arrays import Index, Vector
from aucbench.data.folds import splits
from aucbench.optim import default_ridge
from aucbench.optim.choice import EXPONENTS
from aucbench_plugins.ridge.leave_pair_out import LeavePairOut

DRAWS, NEW, LAM = 400, 300, 1.0
# Positive rows, negative rows, features, and the distance of the means in each feature.
CASES = ((10, 20, 5, 0.0), (10, 20, 5, 0.5), (10, 20, 20, 0.3), (5, 35, 20, 0.4))
SETS, SIZES, REPEATS, FOLDS = ("breast-cancer", "diabetes", "german", "spambase"), (40, 100), 60, 5


def weights(data: Data, lam: float = LAM) -> Vector:
    """Return the weights of ls-svm, by the closed form of few features."""
    m_neg, m_pos = data.means
    X, delta = data.rows.dense().matrix, m_neg - m_pos
    centred = X - np.where((data.y > 0)[:, None], m_pos, m_neg)
    H = 2.0 * (centred.T * data.labels.shares) @ centred + 2.0 * np.outer(delta, delta)
    found: Vector = np.linalg.solve(H + lam * np.eye(data.d), -2.0 * delta)
    return found


def held_out(data: Data, folds: list[tuple[Index, Index]]) -> tuple[float, Vector]:
    """Return the mean AUC over the folds, and the score of each row by the fit without it."""
    scores, aucs = np.empty(data.n), []
    for learnt, held in folds:
        scores[held] = data.scores(weights(data.take(learnt)))[held]
        aucs.append(auc(data.y[held], scores[held]) if held.size > 1 else np.nan)
    return float(np.mean(aucs)), scores


def estimates(data: Data, seed: int) -> list[float]:
    """Return five estimates of the AUC of a draw."""
    every = np.arange(data.n)
    ones = [(np.delete(every, i), every[i : i + 1]) for i in every]
    folds = [held_out(data, splits(data, FOLDS, 5 * seed + k, None)) for k in range(5)]
    return [
        LeavePairOut(data).auc(LAM),
        auc(data.y, held_out(data, ones)[1]),
        auc(data.y, folds[0][1]),
        folds[0][0],
        float(np.mean([mean for mean, _ in folds])),
    ]


def simulate(n_pos: int, n_neg: int, d: int, shift: float) -> str:
    """Return a line of the first table."""
    rng, found = np.random.default_rng(0), []

    def drawn(n_pos: int, n_neg: int) -> Data:
        y = np.repeat([1, -1], [n_pos, n_neg])
        return Data.of(rng.normal(size=(y.size, d)) + shift * (y > 0)[:, None], y)

    for seed in range(DRAWS):
        data, new = drawn(n_pos, n_neg), drawn(NEW, NEW)
        truth = auc(new.y, new.scores(weights(data)))
        found.append([truth, *estimates(data, seed)])
    values = np.array(found)
    errors = np.sqrt(((values - values[:, :1]) ** 2).mean(axis=0))
    cells = [f"{m:.3f} ({e:.2f})" for m, e in zip(values.mean(axis=0)[1:], errors[1:], strict=True)]
    case = f"{n_pos} + {n_neg} rows, d = {d}, shift {shift}"
    return f"| {' | '.join([case, f'{values[:, 0].mean():.3f}', *cells])} |"


def by_folds(data: Data, seed: int) -> float:
    """Return the λ with the highest mean AUC over five inner folds, of the values of auto."""
    lams = [default_ridge(data) * 10.0**e for e in EXPONENTS]
    table = []
    for learnt, held in splits(data, FOLDS, seed, None):
        rest, judges = data.take(learnt), data.take(held)
        runs = [solve(get_solver("ls-svm", lam=lam), rest) for lam in lams]
        table.append([auc(judges.y, run.decision_function(judges.rows)) for run in runs])
    return float(lams[int(np.mean(table, axis=0).argmax())])


def fits(data: Data, seed: int) -> Iterator[tuple[Run, float]]:
    """Yield the fit of each rule, and CPU seconds."""
    for lam in (None, "auto", by_folds, "leave-pair-out"):
        start = process_time()
        value = lam(data, seed) if callable(lam) else lam
        run = solve(get_solver("ls-svm", lam=value), data, seed=seed)
        yield run, process_time() - start


def judge(name: str, n: int) -> str:
    """Return a line of the second table."""
    whole, aucs, seconds = get_dataset(name), [], []
    X, y = whole.rows.dense().matrix, whole.y
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        pos, neg = (rng.permutation(np.flatnonzero(y == side)) for side in (1, -1))
        k = round(n * pos.size / y.size)
        rows = np.r_[pos[:k], neg[: n - k]]
        mean, deviation = X[rows].mean(axis=0), X[rows].std(axis=0)
        Z = (X - mean) / np.where(deviation > 0, deviation, 1.0)
        found = [*fits(Data.of(Z[rows], y[rows]), seed)]
        rest = np.delete(np.arange(y.size), rows)
        test = Data.of(Z[rest], y[rest])
        aucs.append([auc(test.y, run.decision_function(test.rows)) for run, _ in found])
        seconds.append([taken for _, taken in found])
    of = np.array(aucs)
    times = [f"{1e3 * median(column):.0f}" for column in zip(*seconds, strict=True)]
    gain, error = of[:, 3] - of[:, 1], 1.96 / REPEATS**0.5
    last = f"{gain.mean():+.4f} ± {error * gain.std(ddof=1):.4f}"
    cells = [f"{m:.4f}, {ms}" for m, ms in zip(of.mean(axis=0), times, strict=True)]
    return f"| {' | '.join([f'{name}, {n} rows', *cells, last])} |"


def main() -> None:
    """Write both tables."""
    for case in CASES:
        sys.stdout.write(f"{simulate(*case)}\n")
    for n in SIZES:
        for name in SETS:
            sys.stdout.write(f"{judge(name, n)}\n")


if __name__ == "__main__":
    main()
