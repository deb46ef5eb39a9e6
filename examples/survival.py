"""Survival machines side by side: ours, Cox, and FastSurvivalSVM of scikit-survival.

scikit-survival is no dependency of aucbench, so that it stands in an environment of its own:

    python -m venv others && others/bin/pip install scikit-survival
    others/bin/python examples/survival.py data FOLDER      # its data sets, as CSV and as arrays
    others/bin/python examples/survival.py others FOLDER
    python examples/survival.py ours FOLDER docs/data/survival.json

Each data set is divided five times into five folds with equal shares of events. All methods see the
same features: indicators of levels, and columns of mean 0 and standard deviation 1 in the training
rows. The penalty is chosen among the same five values by three inner folds. Then C is Harrell's
concordance index on the test rows, and seconds are those of the processor for one fit, the median.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Model = Callable[[Array], Array]  # rows -> risks
Fit = Callable[[Array, Array, Array, float], Model]  # rows, times, events, λ
Measure = Callable[[Array, Array, Array], float]  # times, events, risks -> C

SETS = {
    "veterans": "load_veterans_lung_cancer",
    "gbsg2": "load_gbsg2",
    "whas500": "load_whas500",
}
LAMBDAS = (1e-3, 1e-2, 1e-1, 1.0, 10.0)  # of the mean squared hinge of a pair + λ/2 ‖w‖²
TIMES = 5  # fits whose median time is told
REPEATS, FOLDS, INNER = 5, 5, 3
MOST_COUNTED = 10_000  # rows whose pairs are gone through one by one
LARGE = (1000, 10_000, 100_000)  # rows of simulated times, for seconds alone


def data(folder: Path) -> None:
    """Write the sets of scikit-survival."""
    import pandas as pd
    import sksurv.datasets

    for name, loader in SETS.items():
        x, y = getattr(sksurv.datasets, loader)()
        event, time = (y[field] for field in y.dtype.names)
        table = x.copy()
        table["time"], table["event"] = time, event.astype(int)
        table.to_csv(folder / f"{name}.csv", index=False)
        levels = pd.get_dummies(x, drop_first=True).astype(float)
        X = levels.fillna(levels.mean()).to_numpy()
        folds = [folds_of(event, FOLDS, seed) for seed in range(REPEATS)]
        np.savez(folder / f"{name}.npz", X=X, time=time, event=event, folds=folds)
    for n in LARGE:
        np.savez(folder / f"simulated{n}.npz", **simulated(n))  # type: ignore[arg-type]


def simulated(n: int) -> dict[str, Array]:
    """Draw exponential times of which about a third is censored, rounded so that some are equal."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 10))
    risk = X @ np.linspace(1, 0, 10)
    times = rng.exponential(np.exp(-risk)), rng.exponential(2.0, n)
    time = np.ceil(np.minimum(*times) * 1000)
    return {"X": X, "time": time, "event": times[0] <= times[1]}


def folds_of(event: Array, count: int, seed: int) -> Array:
    """Return the fold of each row; the folds have the same share of events."""
    rng, fold = np.random.default_rng(seed), np.empty(event.size, int)
    for side in (True, False):
        rows = rng.permutation(np.flatnonzero(event == side))
        fold[rows] = np.arange(rows.size) % count
    return fold


def scaled(X: Array, train: Array) -> Array:
    """Return columns of mean 0 and standard deviation 1 in the training rows."""
    spread = X[train].std(axis=0)
    scaled: Array = (X - X[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return scaled


def pairs_of(time: Array, event: Array) -> int:
    """Return the number of comparable pairs."""
    later = time.size - np.searchsorted(np.sort(time), time[event], side="right")
    here = np.array([np.count_nonzero(~event & (time == t)) for t in np.unique(time[event])])
    each = np.unique(time[event], return_counts=True)[1]
    return int(later.sum() + here @ each)


def judged(file: Path, fit: Fit, measure: Measure) -> dict[str, float]:
    """Choose λ by inner folds and return the mean C, its spread over repeats, and the seconds."""
    known = np.load(file)
    X, time, event = known["X"], known["time"], known["event"]
    values, seconds = [], []
    for folds in known["folds"]:
        own = []
        for fold in range(FOLDS):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            scores, spent = chosen((X, time, event), train, test, fit, measure)
            own.append(measure(time[test], event[test], scores))
            seconds.append(spent)
        values.append(np.mean(own))
    told = {"c": float(np.mean(values)), "sd": float(np.std(values, ddof=1))}
    return {**told, "seconds": float(np.median(seconds))}


def chosen(
    rows: tuple[Array, Array, Array], train: Array, test: Array, fit: Fit, measure: Measure
) -> tuple[Array, float]:
    """Return scores of test rows by a fit with the best λ of the inner folds, and its seconds."""
    X, time, event = rows
    inner = folds_of(event[train], INNER, 0)
    quality = []
    for lam in LAMBDAS:
        each = []
        for fold in range(INNER):
            rest, held = train[inner != fold], train[inner == fold]
            Z = scaled(X, rest)
            model = fit(Z[rest], time[rest], event[rest], lam)
            each.append(measure(time[held], event[held], model(Z[held])))
        quality.append(np.mean(each))
    Z, begin = scaled(X, train), process_time()
    model = fit(Z[train], time[train], event[train], LAMBDAS[int(np.argmax(quality))])
    spent = process_time() - begin
    return model(Z[test]), spent


def median_seconds(fit: Callable[[], Any]) -> float:
    """Return the median time of a few fits."""
    seconds = []
    for _ in range(TIMES):
        begin = process_time()
        fit()
        seconds.append(process_time() - begin)
    return float(np.median(seconds))


def objective(X: Array, time: Array, event: Array, w: Array, lam: float) -> float:
    """Return the mean squared hinge over comparable pairs + λ/2 ‖w‖², by blocks of rows."""
    s, total, pairs = X @ w, 0.0, 0
    for i in np.flatnonzero(event):
        later = (time > time[i]) | ((time == time[i]) & ~event)
        total += float((np.maximum(0.0, 1.0 - s[i] + s[later]) ** 2).sum())
        pairs += int(later.sum())
    return total / pairs + lam / 2 * float(w @ w)


def others(folder: Path) -> None:
    """Measure Cox and FastSurvivalSVM."""
    from sksurv.linear_model import CoxPHSurvivalAnalysis
    from sksurv.metrics import concordance_index_censored
    from sksurv.svm import FastSurvivalSVM
    from sksurv.util import Surv

    def measure(time: Array, event: Array, scores: Array) -> float:
        return float(concordance_index_censored(event, time, scores, tied_tol=0.0)[0])

    def cox(X: Array, time: Array, event: Array, lam: float) -> Any:
        model = CoxPHSurvivalAnalysis(alpha=lam * time.size / 100, n_iter=200)
        return model.fit(X, Surv.from_arrays(event, time)).predict

    def fast(X: Array, time: Array, event: Array, lam: float) -> Any:
        alpha = 2.0 / (lam * pairs_of(time, event))
        model = FastSurvivalSVM(rank_ratio=1.0, alpha=alpha, max_iter=1000, tol=1e-6)
        return model.fit(X, Surv.from_arrays(event, time)).predict

    told = {
        name: {"Cox": judged(file, cox, measure), "FastSurvivalSVM": judged(file, fast, measure)}
        for name in SETS
        for file in [folder / f"{name}.npz"]
    }
    for n in LARGE:
        known = np.load(folder / f"simulated{n}.npz")
        X, time, event = known["X"], known["time"], known["event"]
        y, alpha = Surv.from_arrays(event, time), 2.0 / (1e-2 * pairs_of(time, event))
        model = FastSurvivalSVM(rank_ratio=1.0, alpha=alpha, max_iter=1000)
        seconds = median_seconds(partial(model.fit, X, y))
        told[f"simulated{n}"] = {"FastSurvivalSVM": {"seconds": seconds}}
        np.save(folder / f"fast{n}.npy", -model.coef_)  # they order by the time, and not the risk
    (folder / "others.json").write_text(json.dumps(told, indent=1))


def ours(folder: Path, out: Path) -> None:
    """Measure ours, and write both."""
    from aucbench import Data, get_solver, solve
    from aucbench.data import Survival
    from aucbench.metrics import cindex

    def measure(time: Array, event: Array, scores: Array) -> float:
        return cindex(time, event, scores)

    def fitting(name: str) -> Fit:
        def fit(X: Array, time: Array, event: Array, lam: float) -> Model:
            data = Data.of(X, Survival.of(time, event))
            return solve(get_solver(name, lam=lam), data).decision_function

        return fit

    told = json.loads((folder / "others.json").read_text())
    for name in SETS:
        for solver in ("rank-svm", "svm-or", "ls-svm"):
            told[name][solver] = judged(folder / f"{name}.npz", fitting(solver), measure)
    exact = get_solver("rank-svm", lam=1e-2)

    def anew(data: Data) -> object:
        return solve(exact, replace(data))  # of which nothing is known yet

    for n in LARGE:
        known = np.load(folder / f"simulated{n}.npz")
        X, time, event = known["X"], known["time"], known["event"]
        data = Data.of(X, Survival.of(time, event))
        seconds = median_seconds(partial(anew, data))
        own = {"seconds": seconds}
        told[f"simulated{n}"]["rank-svm"] = own
        if n <= MOST_COUNTED:
            w = np.asarray(solve(exact, data).w)
            own["objective"] = objective(X, time, event, w, 1e-2)
            other = objective(X, time, event, np.load(folder / f"fast{n}.npy"), 1e-2)
            told[f"simulated{n}"]["FastSurvivalSVM"]["objective"] = other
    out.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    commands: dict[str, Callable[..., None]] = {"data": data, "others": others, "ours": ours}
    commands[what](*map(Path, paths))
