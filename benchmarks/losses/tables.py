"""Eight tables, the same five folds for all: AUC, partial AUC and CPU seconds of each loss.

A fifth of the training rows is held out. On it each method chooses how many of its 50 trees it
keeps, or when it stops. Networks have standardised features.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from operator import itemgetter
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

import aucbench
from aucbench.data.folds import splits
from aucbench.metrics import measure as measure_of
from aucbench.stats import Fold, SplitTest
from benchmarks.losses import trees

SETS: dict[str, dict[str, Any]] = {
    "german": {},
    "digits-8": {},
    "mammography": {},
    "satimage": {"positive": (4,), "negative": "rest"},
    "bank": {},
    "spambase": {},
    "adult": {},
    "w8a": {},
}
MOST = 4000  # rows of a table, drawn with its shares of the classes
FOLDS, HELD = 5, 0.2
PLAN, KEPT = trees.Plan(50, 0.2), (5, 10, 20, 35, 50)  # trees
METHODS = (
    "LightGBM, binary",
    "LightGBM, binary, balanced",
    "LightGBM, exact squared-hinge, doubled",
    "LightGBM, lambdarank, no truncation",
    "XGBoost, binary",
    "XGBoost, exact squared-hinge, doubled",
    "XGBoost, rank:pairwise",
    "CatBoost, Logloss",
    "CatBoost, exact squared-hinge, doubled",
    "CatBoost, PairLogit",
    "CatBoost, YetiRank",
)
MEASURES = {"auc": measure_of("auc"), "pauc": measure_of("pauc[max_fpr=0.1]")}
BASELINES = {  # of a family: the loss of rows that a user would take
    "LightGBM": "LightGBM, binary",
    "XGBoost": "XGBoost, binary",
    "CatBoost": "CatBoost, Logloss",
    "network": "network, cross entropy",
}
Row = dict[str, Any]
# rows and labels to learn from, rows and labels held out -> scores of rows, CPU seconds
Method = Callable[..., tuple[Callable[[np.ndarray], np.ndarray], float]]


def measure(
    name: str, family: str, asked: Mapping[str, Method], say: Callable[[str], None]
) -> list[Row]:
    """Return a row for each method on a table: means over the folds, and words against its base."""
    data = _read(name)
    matrix: Any = data.rows.matrix
    X = matrix.toarray() if data.rows.is_sparse else np.asarray(matrix)
    y = (data.y > 0).astype(int)
    found: dict[str, dict[tuple[int, int], Fold]] = {}
    seconds: dict[str, list[float]] = {}
    for fold, (learnt, test) in enumerate(splits(data, FOLDS, 0)):
        for method, fit in asked.items():
            scores, spent = _fitted(fit, X[learnt], y[learnt])
            found.setdefault(method, {})[0, fold] = Fold(y[test], scores(X[test]))
            seconds.setdefault(method, []).append(spent)
    about = {"set": name, "n": data.n, "d": data.d, "share": float(y.mean()), "family": family}
    words = {key: _words(found, BASELINES[family], by) for key, by in MEASURES.items()}
    rows = []
    for method in asked:
        values = {key: words[key][method] for key in MEASURES}
        spent = float(np.mean(seconds[method]))
        rows.append({**about, "method": method, "seconds": spent, **values})
        means = " ".join(f"{values[key]['mean']:.4f}" for key in MEASURES)
        say(f"{name:12} {method:42} {means} {spent:.2f} s")
    return rows


def _read(name: str) -> aucbench.Data:
    data = aucbench.get_dataset(name, **SETS[name])
    if data.n <= MOST:
        return data
    return data.split(MOST / data.n, np.random.default_rng(0))[1]


def _fitted(
    fit: Method, X: np.ndarray, y: np.ndarray
) -> tuple[Callable[[np.ndarray], np.ndarray], float]:
    """Return the scores of a fit that has chosen on a fifth of the rows, and its CPU seconds."""
    order = np.random.default_rng(0).permutation(y.size)
    order = order[np.argsort(y[order], kind="stable")]  # one of five, of each class
    held, rest = order[::5], np.setdiff1d(order, order[::5])
    return fit(X[rest], y[rest], X[held], y[held])


def methods(libauc: Any) -> dict[str, dict[str, Method]]:
    """Return the methods of each family that is installed."""
    found: dict[str, Method] = {
        name: _kept(fit) for name, fit in trees.methods().items() if name in METHODS
    }
    if find_spec("torch") is not None:
        from benchmarks.losses import networks

        found |= {f"network, {m.name}": _network(m) for m in networks.methods(libauc)}
        found["network, mlp, squared-hinge"] = _mlp
    families: dict[str, dict[str, Method]] = {}
    for name, method in found.items():
        families.setdefault(name.partition(", ")[0], {})[name] = method
    return families


def _kept(fit: trees.Fit) -> Method:
    """Return the fit of trees, of which as many are kept as have the largest AUC."""

    def chosen(X: np.ndarray, y: np.ndarray, held: np.ndarray, labels: np.ndarray) -> Any:
        done = fit(PLAN, X, y)
        values = [aucbench.auc(labels, done.scores(held, k)) for k in KEPT]
        k = KEPT[int(np.argmax(values))]
        return lambda X: done.scores(X, k), done.seconds

    return chosen


def _network(method: Any) -> Method:
    from benchmarks.losses import networks

    def chosen(X: np.ndarray, y: np.ndarray, held: np.ndarray, labels: np.ndarray) -> Any:
        scale = StandardScaler().fit(X)

        def quality(scores: np.ndarray, by: str) -> float:
            if not np.isfinite(scores).all():
                return -np.inf
            return float(MEASURES[by](labels, scores))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of batches, by LibAUC
            rows, later = scale.transform(X), scale.transform(held)
            scores, _, spent = networks.fit(method, rows, y, later, quality)
        return lambda X: scores(scale.transform(X)), spent

    return chosen


def _mlp(X: np.ndarray, y: np.ndarray, held: np.ndarray, labels: np.ndarray) -> Any:
    """Fit the solver `mlp` as a user has it: 50 passes, of which the best is kept."""
    later = aucbench.Data.of(held, labels).rows
    models: list[tuple[float, Any]] = []  # of the passes

    def watch(_: Any, state: Any) -> None:
        models.append((aucbench.auc(labels, state.model.scores(later)), state.model))

    run = aucbench.solve("mlp[loss=squared-hinge]", aucbench.Data.of(X, y), watch=watch)
    _, best = max(models, key=itemgetter(0))
    return lambda X: best.scores(aucbench.Data.of(X, np.arange(len(X)) % 2).rows), run.cpu_seconds


def _words(mine: dict[str, Any], base: str, by: Any) -> dict[str, Row]:
    """Return of each method mean, star, and its difference from the base with the word."""
    told = SplitTest(ratio=1.0 / (FOLDS - 1), by=by).of_rows(mine)
    found: dict[str, Row] = {
        one.name: {"mean": float(np.nanmean(one.values)), "best": bool(one.not_worse)}
        for one in told.solvers
    }
    for pair in told.pairs:
        if base in (pair.a, pair.b):
            own, sign = (pair.b, -1.0) if pair.a == base else (pair.a, 1.0)
            word = pair.word if sign > 0 else pair.word.flipped
            d = pair.verdict
            ends = sorted((sign * d.low, sign * d.high))
            found[own] |= {"less": sign * d.estimate, "within": ends, "word": str(word)}
    return found


def missing(libauc: Any) -> Iterator[str]:
    """Yield what is left out, and why."""
    for package in ("torch", "lightgbm", "xgboost", "catboost"):
        if find_spec(package) is None:
            yield f"{package} is not installed: its rows are left out"
    if libauc is None:
        yield "LibAUC is left out: give --libauc FOLDER, the folder that holds its package"
