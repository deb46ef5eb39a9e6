"""The tables of `trial_tables`, from the file to the decision, beside three plain pipelines.

Run it as `python -m benchmarks.trial`, or for some tables as
`python -m benchmarks.trial shop "1/2"`.
It says for each table what `aucbench fit --solver auto` understood and warned of, the AUC on rows
that nobody trained on, the CPU seconds, and what was promised of the decisions beside what they
did.
Further options, such as --minutes=1, are those of `fit`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from aucbench.models import Model
from aucbench.stats import Interval
from benchmarks.trial_tables import TABLES, Trial, trial

GOAL = 0.005  # below the best of the pipelines, at most
SHARES = ("flags", "sensitivity", "precision")
FORMATS = ("%Y-%m-%d", "%d.%m.%Y")
COMMAND = Path(sys.executable).with_name("aucbench")


@dataclass(frozen=True)
class Outcome:
    """What came of a table."""

    name: str
    first: list[str]  # said without any option but the target: warnings, or why not
    said: list[str]  # understood and warned of
    solver: str
    auc: float
    seconds: float
    peers: dict[str, tuple[float, float]]  # AUC and seconds
    shares: dict[str, tuple[Interval, float]]  # promised, and on the rows held out

    @property
    def behind(self) -> float:
        """How far it is below the best of the pipelines; negative where it is above."""
        return max(auc for auc, _ in self.peers.values()) - self.auc

    def lines(self) -> Iterator[str]:
        """Yield it for people."""
        yield from (f"## {self.name}", "without options:", *self.first)
        yield from ("with the options of the trial:", *self.said, f"auto took {self.solver}")
        peers = ", ".join(f"{name} {auc:.4f} ({s:.0f} s)" for name, (auc, s) in self.peers.items())
        yield f"AUC of auto {self.auc:.4f} ({self.seconds:.0f} s); {peers}"
        yield "goal reached" if self.behind <= GOAL else f"MISSED: {self.behind:.4f} below the best"
        for name, (told, share) in self.shares.items():
            inside = "inside" if told.low <= share <= told.high else "OUTSIDE"
            told_text = f"{told.estimate:.4f} ({told.low:.4f} to {told.high:.4f})"
            yield f"{name}: promised {told_text}, held out {share:.4f}, {inside}"

    def row(self) -> str:
        """Return it as a row of a table."""
        each = [f"{value:.4f}" for value, _ in self.peers.values()]
        first = [f"| {self.name}", f"{self.auc:.4f}", f"{self.seconds:.0f}"]
        return " | ".join([*first, *each, f"{self.behind:+.4f} |"])


def outcome(name: str, folder: Path, *more: str, seed: int = 0) -> Outcome:
    """Fit `auto` and the pipelines to a table, and score the rows held out."""
    table = trial(name, seed)
    first = looked_at(table, folder)
    begin = cpu_seconds()
    model, said = fitted(table, folder, *more)
    seconds = cpu_seconds() - begin
    scored, warned = predicted(table, folder)
    labels = table.held[table.target].astype(str) == table.positive
    flagged = (scored["decision"].astype(str) == named(model)).to_numpy()
    shares = dict(zip(SHARES, rates(flagged, labels.to_numpy()), strict=True))
    point = model.function.operating
    told = {} if point is None else {s: getattr(point, s) for s in SHARES}
    held = {share: (told[share], shares[share]) for share in told}
    solver, reached = str(model.provenance.get("solver")), auc(table, scored["score"])
    return Outcome(name, first, [*said, *warned], solver, reached, seconds, peers(table), held)


def cpu_seconds() -> float:
    """Return the CPU seconds of the commands that have ended."""
    spent = getrusage(RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def looked_at(table: Trial, folder: Path) -> list[str]:
    """Return what a short comparison says of the table to somebody who gives no option."""
    table.train.to_csv(folder / "train.csv", index=False, **table.csv)
    short = ("--solvers", "svm-or", "--splits", "2", "--passes", "1")
    ended = command(folder, "compare", "--data", "train.csv", "--target", table.target, *short)
    lines = (ended.stdout + ended.stderr).splitlines()
    about = [line for line in lines if line.startswith(("  ", "error", "train.csv"))]
    return [*takewhile(lambda line: not ("AUC" in line and " solver" in line), about)]


def fitted(table: Trial, folder: Path, *more: str) -> tuple[Model, list[str]]:
    """Return the model of `auto`, and what the command said before it began."""
    table.train.to_csv(folder / "train.csv", index=False, **table.csv)
    asked = ["fit", "--data", "train.csv", "--target", table.target, "--out", "model.aucbench"]
    ended = command(folder, *asked, *table.options, *more)
    if ended.returncode:
        raise SystemExit(f"{' '.join(asked)} failed: {ended.stderr[-2000:]}")
    lines = ended.stderr.splitlines()
    said = [line for line in lines if not (line[:1].isdigit() and "left" in line)]
    return Model.load(folder / "model.aucbench"), said


def predicted(table: Trial, folder: Path) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores and decisions for the rows held out, and what the command warned of."""
    held = table.held.drop(columns=table.target)
    held.to_csv(folder / "held.csv", index=False, **table.csv)
    ended = command(folder, "predict", "model.aucbench", "held.csv", "--out", "scores.csv")
    told = " ".join(ended.stderr.split())
    warned = [told[told.index("warning: ") :]] if "warning: " in told else []
    return pd.read_csv(folder / "scores.csv"), warned


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run aucbench in a folder."""
    words = [str(COMMAND), *arguments]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def named(model: Model) -> str:
    """Return how the command writes the positive class."""
    positive = model.labels[1]
    return str(positive[0]) if len(positive) == 1 else "positive"


def rates(flagged: Any, positive: Any) -> tuple[float, float, float]:
    """Return the shares of rows flagged, of positives flagged, and of flagged that are positive."""
    hits = float(np.sum(flagged & positive))
    precision = hits / flagged.sum() if flagged.any() else float("nan")
    return float(flagged.mean()), hits / positive.sum(), precision


def auc(table: Trial, scores: Any) -> float:
    """Return the AUC on the rows held out, weighted where the table has weights."""
    from sklearn.metrics import roc_auc_score

    labels = table.held[table.target].astype(str) == table.positive
    weights = table.held[table.weights] if table.weights else None
    return float(roc_auc_score(labels, scores, sample_weight=weights))


def features(table: Trial, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that a careful user gives to a pipeline; dates are days and months."""
    X = frame.drop(columns=[table.target, *table.aside])
    for name in X.columns:
        for form in FORMATS if X[name].dtype.kind not in "biuf" else ():
            days = pd.to_datetime(X[name], format=form, errors="coerce")
            if days.notna().mean() > 0.9:
                X[f"{name} days"] = (days - pd.Timestamp("2000-01-01")).dt.days
                X[f"{name} month"] = days.dt.month
                X = X.drop(columns=name)
                break
    return X


def estimators() -> Iterator[tuple[str, Any]]:
    """Yield the classifiers that are installed, with their defaults."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    yield "logistic regression", LogisticRegression(max_iter=1000)
    yield "histogram boosting", HistGradientBoostingClassifier(random_state=0)
    with suppress(ImportError):
        from lightgbm import LGBMClassifier

        yield "LightGBM", LGBMClassifier(verbose=-1, random_state=0)


def peers(table: Trial) -> dict[str, tuple[float, float]]:
    """Return the AUC on the rows held out and the seconds of each pipeline."""
    known = table.train[table.train[table.target].astype(str) != ""]
    labels = known[table.target].astype(str) == table.positive
    X, later = features(table, known), features(table, table.held)
    more = {"model__sample_weight": known[table.weights]} if table.weights else {}
    results = {}
    for name, estimator in estimators():
        begin = perf_counter()
        pipeline = encoded(estimator).fit(X, labels, **more)
        chances = pipeline.predict_proba(later)[:, 1]
        results[name] = auc(table, chances), perf_counter() - begin
    return results


def encoded(estimator: Any) -> Any:
    """Return the estimator behind one-hot columns, medians with marks, and a scaling."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    one_hot = OneHotEncoder(handle_unknown="ignore", min_frequency=10, sparse_output=False)
    filled = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    columns = make_column_transformer(
        (filled, make_column_selector(dtype_include="number")),
        (one_hot, make_column_selector(dtype_exclude="number")),
    )
    return Pipeline([("columns", columns), ("model", estimator)])


def main() -> None:
    """Print what came of each table, and a table of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*TABLES])
    asked, more = parser.parse_known_args()  # options of `fit`
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    names = [name for name, _ in estimators()]
    rows = [" | ".join(["| table", "auto", "seconds", *names, "behind |"])]
    for name in asked.names:
        with tempfile.TemporaryDirectory() as folder:
            found = outcome(name, Path(folder), *more)
        sys.stdout.write("\n".join(found.lines()) + "\n\n")
        sys.stdout.flush()
        rows.append(found.row())
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
