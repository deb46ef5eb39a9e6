"""Tables of the form of docs/data/study, drawn at random: `python tests/study_tables.py FOLDER`.

The page of the study is built and tested with them before the real ones are there. What is true of
them is known: trees gain where data are curved, stochastic solvers lose a little everywhere, and
logistic regression and the exact optima over pairs are alike.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

SEED = 0
GROUPS = 80
FAILS = 0.01
TREES = ("random-forest", "hist-gradient-boosting", "lightgbm", "lightgbm-pairwise")
TREES += ("xgboost", "xgboost-pairwise", "additive", "roc-svm-nystrom")
EXACT = ("svm-or", "rank-svm", "ls-svm", "logistic", "logistic-balanced", "linear-svc", "aum")
STOCHASTIC = ("spdam", "sht-auc", "sto-iht", "spam-l1", "spam-l2", "solam", "fsauc", "opauc")
STOCHASTIC += ("oam-gra", "uni-exp", "roc-svm")
SOLVERS = (*EXACT, *STOCHASTIC, *TREES)
ARMS = ("tuned", "default", "seconds", "large")
FEW = ("logistic", "svm-or", "sht-auc", "lightgbm")  # of the arms seconds and large
ONLY_DEFAULT = ("hist-gradient-boosting", "spdam")


def tasks(rng: np.random.Generator, groups: int = GROUPS) -> pd.DataFrame:
    """Return tasks; every fourth group has several cuts of one table."""
    lines = []
    for g in range(groups):
        rows, features = int(np.exp(rng.uniform(5, 10.5))), int(np.exp(rng.uniform(1.2, 5)))
        kind = ("numbers", "mixed", "categories")[int(rng.integers(0, 3))]
        for cut in range(1 if g % 4 else 1 + int(rng.integers(1, 8))):
            share = float(np.exp(rng.uniform(np.log(0.01), np.log(0.5))))
            positives = max(10, round(rows * share))
            line = (f"task{g}-{cut}", f"keel:task{g}-{cut}", f"group{g}", "KEEL", "unknown", rows)
            line += (features, positives, round(positives / rows, 4), kind, 0.0, "a table of ours")
            lines.append(line)
    names = "task,dataset,group,source,licence,rows,features,positives,share,kind,missing,why"
    return pd.DataFrame(lines, columns=names.split(","))


def means(rng: np.random.Generator, of: pd.DataFrame, solvers: tuple[str, ...]) -> pd.DataFrame:
    """Return the means of each task, arm and solver."""
    groups = {name: (rng.normal(1.9, 0.9), rng.gamma(1.0, 0.4)) for name in of["group"].unique()}
    lines = []
    for task in of.itertuples():
        easy, curved = groups[task.group]
        for solver in solvers:
            gain = curved if solver in TREES else 0.0
            gain -= 0.15 if solver in STOCHASTIC else 0.0
            mean = easy + gain + 0.08 * rng.normal()
            for arm in ARMS:
                if (arm in ARMS[2:] and solver not in FEW) or (
                    arm == "tuned" and solver in ONLY_DEFAULT
                ):
                    continue
                odds = mean - (0.05 if arm == "default" else 0.0) + 0.03 * rng.normal()
                auc, half = 1 / (1 + np.exp(-odds)), 0.3 / np.sqrt(task.positives)
                failed = rng.uniform() < FAILS
                fit = np.exp(rng.normal(-3, 0.5)) * task.rows**0.5 * (5 if gain > 0 else 1)
                line = [task.task, task.group, arm, solver]
                line += [auc, max(0, auc - half), min(1, auc + half), auc - 0.05, auc * task.share]
                line += [fit, 0.0 if arm == "default" else 20 * fit]
                line += [np.nan if solver in TREES else rng.uniform(0.1, 1)]
                if failed:
                    line[4:9] = [np.nan] * 5
                lines.append([*line, 5, 3 if failed else 5])
    names = (
        "task,group,arm,solver,auc,auc_low,auc_high,pauc,ap,fit_seconds,tune_seconds,nnz,cells,ok"
    )
    return pd.DataFrame(lines, columns=names.split(",")).round(5)


def write(folder: Path, seed: int = SEED, groups: int = GROUPS) -> None:
    """Write the three files of a study."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    of = tasks(rng, groups)
    table = means(rng, of, SOLVERS)
    of.to_csv(folder / "tasks.csv", index=False)
    table.to_csv(folder / "means.csv", index=False)
    failed = int(table["cells"].sum() - table["ok"].sum())
    planned, ok = int(table["cells"].sum()) + 30, int(table["ok"].sum())
    run = {"planned": planned, "ok": ok, "not_run": 30, "hours": 7.3}
    run |= {"failed": {"spdam: timeout": failed - 2, "<aum|>: error": 2}}
    run |= {"plans": {"study": {"cells": planned, "ok": ok, "sha256": "0" * 64}}}
    run |= {"machine": ["a processor, 2 cores"], "versions": {"aucbench": "0.2.0"}}
    run |= {"protocol_commit": "0123456789abcdef"}
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
