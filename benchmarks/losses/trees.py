"""Boosted trees by three libraries: the loss of rows, exact pairs, and their own ranking losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.losses.gradients import QUERY

TREES, RATE = 100, 0.1
SMALL_QUERY = 1000  # rows of a query of CatBoost, which makes a list of its pairs


class Boosted(NamedTuple):
    """Trees, the CPU seconds of the fit, and the scores by the first trees."""

    seconds: float
    scores: Callable[[np.ndarray, int], np.ndarray]  # rows, how many trees -> scores


Fit = Callable[[np.ndarray, np.ndarray], Boosted]  # rows, labels in {0, 1}


def methods() -> dict[str, Fit]:
    """Return the fits of the libraries that are installed, by library and objective."""
    found: dict[str, Fit] = {}
    for package, name, fits in (
        ("lightgbm", "LightGBM", _of_lightgbm),
        ("xgboost", "XGBoost", _of_xgboost),
        ("catboost", "CatBoost", _of_catboost),
    ):
        if find_spec(package) is not None:
            found |= {f"{name}, {what}": fit for what, fit in fits()}
    return found


def _of_lightgbm() -> Iterator[tuple[str, Fit]]:
    from aucbench.losses.lightgbm import objective

    yield "binary", partial(_lightgbm, "binary", {})
    for loss in ("squared-hinge", "logistic"):
        yield f"exact {loss}", partial(_lightgbm, objective(loss), {})
    yield "lambdarank", partial(_lightgbm, "lambdarank", {})
    whole = {"lambdarank_truncation_level": QUERY}
    yield "lambdarank, no truncation", partial(_lightgbm, "lambdarank", whole)


def _lightgbm(objective: Any, words: dict[str, Any], X: np.ndarray, y: np.ndarray) -> Boosted:
    import lightgbm

    order, sizes = in_queries(y, QUERY) if objective == "lambdarank" else (None, None)
    plain = {"verbosity": -1, "num_threads": 1, "learning_rate": RATE, "seed": 0, "metric": "None"}
    begin = process_time()
    X, y = (X, y) if order is None else (X[order], y[order])
    rows = lightgbm.Dataset(X, y, group=sizes, params=plain)
    trees = lightgbm.train(plain | words | {"objective": objective}, rows, TREES)
    spent = process_time() - begin

    def scores(X: np.ndarray, k: int) -> np.ndarray:
        return np.asarray(trees.predict(X, num_iteration=k, raw_score=True))

    return Boosted(spent, scores)


def _of_xgboost() -> Iterator[tuple[str, Fit]]:
    from aucbench.losses.xgboost import objective

    yield "binary", partial(_xgboost, {"objective": "binary:logistic"}, None)
    for loss in ("squared-hinge", "logistic"):
        yield f"exact {loss}", partial(_xgboost, {}, objective(loss))
    yield "rank:pairwise", partial(_xgboost, {"objective": "rank:pairwise"}, None)


def _xgboost(words: dict[str, Any], objective: Any, X: np.ndarray, y: np.ndarray) -> Boosted:
    import xgboost

    ranked = str(words.get("objective", "")).startswith("rank")
    plain = {"nthread": 1, "eta": RATE, "seed": 0, "base_score": 0.5, "tree_method": "hist"}
    begin = process_time()
    rows = xgboost.DMatrix(X, y, group=[len(y)] if ranked else None, nthread=1)
    trees = xgboost.train(plain | words, rows, TREES, obj=objective)
    spent = process_time() - begin

    def scores(X: np.ndarray, k: int) -> np.ndarray:
        rows = xgboost.DMatrix(X, nthread=1)
        return np.asarray(trees.predict(rows, iteration_range=(0, k), output_margin=True))

    return Boosted(spent, scores)


def _of_catboost() -> Iterator[tuple[str, Fit]]:
    yield "Logloss", partial(_catboost, "Logloss")
    for loss in ("PairLogit", "YetiRank"):
        yield loss, partial(_catboost, loss)


def _catboost(loss: str, X: np.ndarray, y: np.ndarray) -> Boosted:
    import catboost

    plain = {"thread_count": 1, "random_seed": 0, "verbose": 0, "allow_writing_files": False}
    settings = plain | {"learning_rate": RATE, "iterations": TREES, "loss_function": loss}
    begin = process_time()
    if loss == "Logloss":
        rows = catboost.Pool(X, y)
    else:
        order, sizes = in_queries(y, SMALL_QUERY)
        groups = np.repeat(np.arange(len(sizes)), sizes)
        rows = catboost.Pool(X[order], y[order], group_id=groups)
    trees = catboost.CatBoost(settings).fit(rows)
    spent = process_time() - begin

    def scores(X: np.ndarray, k: int) -> np.ndarray:
        return np.asarray(trees.predict(X, prediction_type="RawFormulaVal", ntree_end=k))

    return Boosted(spent, scores)


def in_queries(y: np.ndarray, most: int) -> tuple[np.ndarray, list[int]]:
    """Return an order of the rows and the sizes of equal random queries, each with its share."""
    rng, count = np.random.default_rng(0), -(-y.size // most)
    shuffled = np.concatenate([rng.permutation(np.flatnonzero(y == side)) for side in (1, 0)])
    queries = [shuffled[first::count] for first in range(count)]
    return np.concatenate(queries), [query.size for query in queries]
