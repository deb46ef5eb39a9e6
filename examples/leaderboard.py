"""All solvers and the trees on 20 binary tasks: one leaderboard with its report, by one command.

    AUCBENCH_DATA=FOLDER python examples/leaderboard.py OUT

A large data set is cut to a sample of its rows, so that every solver can be tuned on every task.
news20 and sector are left out: with 60 000 features a tuned fit of a tree takes minutes.
The command can be interrupted: when it is run again, it goes on with what is missing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import dump_svmlight_file

from aucbench.bench.cell import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import write_plan
from aucbench.datasets import load

FEWEST = 100  # rows of the rarer class that a sample keeps, where there are so many
TASKS: dict[str, tuple[str, ...]] = {  # data set -> labels that are positive; (): as in the file
    "a9a": (),
    "accelerometer": ("0",),  # standing
    "adult": (),
    "bank": (),
    "colon": (),
    "diabetes": (),
    "fourclass": (),
    "german": (),
    "ijcnn1": (),
    "leukemia": (),
    "mammography": (),
    "mnist": ("8",),
    "mushrooms": (),
    "pendigits": ("8",),
    "satimage": ("4",),  # damp grey soil
    "skin": ("1",),
    "spambase": (),
    "splice": (),
    "usps": ("9",),  # the digit 8
    "w8a": (),
}
SOLVERS = (
    *("logistic", "logistic-balanced", "linear-svc", "sgd-logistic"),
    *("hist-gradient-boosting", "random-forest"),
    *("lightgbm", "lightgbm-pairs", "xgboost", "xgboost-pairs"),
    *("svm-or", "ls-svm", "spdam", "sht-auc", "sto-iht", "hsg-ht"),
    *("spam-l1", "spam-l2", "spam-net", "solam", "reg-solam", "fsauc"),
    *("opauc", "opauc-lr", "oam-seq", "oam-gra", "uni-exp"),
    *("roc-svm", "roc-svm-full", "roc-svm-kernel", "roc-svm-nystrom", "aum", "aum-margin"),
)


def main() -> None:
    """Write the samples and the plan, run it, and write the report."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("out", type=Path, help="folder for samples, plan, results and report")
    asked.add_argument("--rows", type=int, default=1500, help="rows of a sample at most")
    asked.add_argument("--points", type=int, default=5, help="points by which a solver is tuned")
    asked.add_argument("--tasks", nargs="*", choices=TASKS, default=[*TASKS], metavar="TASK")
    asked.add_argument("--solvers", nargs="*", choices=SOLVERS, default=SOLVERS, metavar="SOLVER")
    given = asked.parse_args()
    samples = given.out / "samples"
    samples.mkdir(parents=True, exist_ok=True)
    for name in given.tasks:
        write_sample(name, samples / f"{name}.svm", given.rows)
    plan = Plan.of(
        {
            "data": tuple(f"samples/{name}.svm" for name in given.tasks),
            "solvers": [Choice(one, True) for one in given.solvers],
            "splits": 2,
            "repeats": 5,
            "tune_evals": given.points,
            "inner_splits": 2,
            "timeout": 300,
            "memory": 4000,
        }
    )
    (given.out / "plan.toml").write_text(write_plan(plan))
    program = Path(sys.executable).with_name("aucbench")
    for command in (
        ["run", "plan.toml", "--out", "results"],
        ["report", "results", "--html", "report.html"],
        ["export", "results", "cells.csv"],
    ):
        subprocess.run([program, *command], cwd=given.out, check=True)
    cells = pd.read_csv(given.out / "cells.csv")
    write(leaderboard(cells), given.out / "leaderboard.csv")
    write(tasks_of(samples, given.tasks), given.out / "leaderboard_tasks.csv")


def leaderboard(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each solver on each task: mean AUC, median seconds, certified fits.

    The AUC and the seconds are empty where a cell failed.
    """
    cells = cells.assign(
        task=cells["dataset"].map(lambda file: Path(file).stem),
        certified=cells["stop"] == "CERTIFIED",
        ok=cells["status"] == "ok",
    )
    by = cells.groupby(["task", "solver"])
    found = pd.DataFrame(
        {
            "auc": by["auc"].mean(),
            "seconds": by["fit_seconds"].median(),
            "nnz": by["nnz"].mean(),
            "certified": by["certified"].sum(),
            "cells": by.size(),
        }
    )
    found.loc[~by["ok"].all(), ["auc", "seconds", "nnz"]] = np.nan
    return found.reset_index()


def tasks_of(samples: Path, tasks: Sequence[str]) -> pd.DataFrame:
    """Return rows, features, share of stored values and share of positives of each sample."""
    found = []
    for name in tasks:
        data = load(str(samples / f"{name}.svm"))
        stored = np.count_nonzero(data.rows.dense().matrix) / (data.n * data.d)
        found.append((name, data.n, data.d, stored, data.labels.p))
    return pd.DataFrame(found, columns=["task", "rows", "features", "stored", "positive"])


def write(table: pd.DataFrame, path: Path) -> None:
    """Write a table with six digits."""
    table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")


def write_sample(name: str, path: Path, rows: int) -> None:
    """Write at most `rows` rows of a task, drawn with the seed 0; keep an older file."""
    if path.exists():
        return
    data = load(name, positive=TASKS[name], negative="rest") if TASKS[name] else load(name)
    rng = np.random.default_rng(0)
    share = min(1.0, rows / data.n)
    rarer = 1 if data.labels.p <= 0.5 else -1
    of_rarer = np.flatnonzero(data.y == rarer)
    others = np.flatnonzero(data.y != rarer)
    count = min(of_rarer.size, rows // 2, max(round(share * of_rarer.size), FEWEST))
    kept = np.sort(
        np.concatenate(
            [
                rng.choice(of_rarer, count, replace=False),
                rng.choice(others, min(others.size, rows - count), replace=False),
            ]
        )
    )
    dump_svmlight_file(data.rows.matrix[kept], data.y[kept], str(path), zero_based=False)


if __name__ == "__main__":
    main()
