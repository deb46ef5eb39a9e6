"""How far are surrogates from the best AUC, on pairs of features where it is known?

    cd examples; AUCBENCH_DATA=FOLDER python -m study.two_features

It writes docs/data/study/two_features.csv, a line for each table, pair of features, fold and
solver: the AUC of training and of test rows. The tables are tasks of the study whose features are
numbers. Pairs are drawn at random, folds are those of the study, and features are standardised.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from aucbench import Data, get_dataset, solve
from aucbench.data.folds import splits
from aucbench.datasets.tables import encode_table
from aucbench.metrics import auc
from aucbench.registry import get_features
from aucbench.study.plans import tasks
from study.study import TABLES

TASKS = (
    *("breast-cancer", "pima", "german", "mammography", "skin", "spambase", "ijcnn1"),
    *("satimage-4", "pendigits-8", "accelerometer"),
)
SOLVERS = ("auc-opt", "logistic", "ls-svm", "svm-or", "rank-svm", "aum")
ROWS, PAIRS, FOLDS, SEED = 2000, 8, 3, 0


def pairs_of(data: Data) -> list[tuple[int, int]]:
    """Return pairs of different columns that are not constant, drawn at random."""
    X = data.rows.dense().matrix
    columns = np.flatnonzero(np.ptp(X, axis=0) > 0)
    every = [*combinations(columns.tolist(), 2)]
    drawn = np.random.default_rng(SEED).permutation(len(every))[:PAIRS]
    return [every[number] for number in sorted(drawn)]


def measured(data: Data, pair: tuple[int, int]) -> Iterator[tuple[int, str, float, float]]:
    """Yield fold, solver, and its AUC of training and of test rows."""
    two = Data.of(data.rows.dense().matrix[:, pair], data.y)
    for fold, (learnt, held) in enumerate(splits(two, FOLDS, SEED)):
        train, test = two.take(learnt), two.take(held)
        scaled = get_features("standard").fit(train, np.random.default_rng(0))
        train, test = (part.with_rows(scaled(part.rows)) for part in (train, test))
        for solver in SOLVERS:
            run = solve(solver, train)
            of_train, of_test = (
                auc(part.y, run.decision_function(part.rows)) for part in (train, test)
            )
            yield fold, solver, of_train, of_test


def main() -> None:
    """Write the table."""
    known = {task.task: task for task in tasks()}
    with (TABLES / "two_features.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("task", "first", "second", "fold", "solver", "train", "test"))
        for name in TASKS:
            data = encode_table(get_dataset(known[name].capped(ROWS)))
            for pair in pairs_of(data):
                for fold, solver, *aucs in measured(data, pair):
                    out.writerow((name, *pair, fold, solver, *(f"{one:.6f}" for one in aucs)))


if __name__ == "__main__":
    main()
