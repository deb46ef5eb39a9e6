"""Boosted trees by three libraries: the loss of rows, exact pairs, and their own ranking losses.

The curvature of exact pairs is a bound, at most twice too large, so that a step is up to half as
long as that of Newton. "Doubled" is exact pairs at twice the rate of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from aucbench.losses.pair_loss import Loss
from benchmarks.losses.gradients import QUERY

# CatBoost makes a list of the pairs of each query: so many rows, and so many pairs at most.
SMALL_QUERY, PAIRS = 1000, 5000
EXACT: tuple[Loss, ...] = ("squared-hinge", "logistic")


class Boosted(NamedTuple):
    """Trees, the CPU seconds of the fit, and the scores by the first trees."""

    seconds: float
    scores: Callable[[np.ndarray, int], np.ndarray]  # rows, how many trees -> scores


class Plan(NamedTuple):
    """How many trees, and their learning rate."""

    trees: int
    rate: float


Fit = Callable[[Plan, np.ndarray, np.ndarray], Boosted]  # plan, rows, labels in {0, 1}


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


def _doubled(fit: Fit, plan: Plan, X: np.ndarray, y: np.ndarray) -> Boosted:
    return fit(plan._replace(rate=2.0 * plan.rate), X, y)


def _of_exact(fit: Callable[..., Boosted], of: Callable[[Loss], Any]) -> Iterator[tuple[str, Fit]]:
    """Yield the exact losses, whose objectives a function returns, at the rate and at twice it."""
    for loss in EXACT:
        yield f"exact {loss}", partial(fit, of(loss))
        yield f"exact {loss}, doubled", partial(_doubled, partial(fit, of(loss)))


def _of_lightgbm() -> Iterator[tuple[str, Fit]]:
    from aucbench.losses.lightgbm import objective

    yield "binary", partial(_lightgbm, {"objective": "binary"})
    yield "binary, balanced", partial(_lightgbm, {"objective": "binary", "is_unbalance": True})
    yield from _of_exact(_lightgbm, lambda loss: {"objective": objective(loss)})
    whole = {"objective": "lambdarank", "lambdarank_truncation_level": QUERY}
    yield "lambdarank", partial(_lightgbm, {"objective": "lambdarank"})
    yield "lambdarank, no truncation", partial(_lightgbm, whole)


def _lightgbm(words: dict[str, Any], plan: Plan, X: np.ndarray, y: np.ndarray) -> Boosted:
    import lightgbm

    plain = {"verbosity": -1, "num_threads": 1, "seed": 0, "metric": "None"}
    plain |= {"learning_rate": plan.rate, **words}
    begin = process_time()
    sizes = None
    if words["objective"] == "lambdarank":
        order, sizes = in_queries(y, QUERY)
        X, y = X[order], y[order]
    rows = lightgbm.Dataset(X, y, group=sizes, params=plain)
    trees = lightgbm.train(plain, rows, plan.trees)
    spent = process_time() - begin

    def scores(X: np.ndarray, k: int) -> np.ndarray:
        return np.asarray(trees.predict(X, num_iteration=k, raw_score=True))

    return Boosted(spent, scores)


def _of_xgboost() -> Iterator[tuple[str, Fit]]:
    from aucbench.losses.xgboost import objective

    yield "binary", partial(_xgboost, "binary:logistic")
    yield from _of_exact(_xgboost, objective)
    yield "rank:pairwise", partial(_xgboost, "rank:pairwise")


def _xgboost(objective: Any, plan: Plan, X: np.ndarray, y: np.ndarray) -> Boosted:
    import xgboost

    own = {"objective": objective} if isinstance(objective, str) else {}
    plain = {"nthread": 1, "eta": plan.rate, "seed": 0, "base_score": 0.5, "tree_method": "hist"}
    begin = process_time()
    sizes = [len(y)] if objective == "rank:pairwise" else None
    rows = xgboost.DMatrix(X, y, group=sizes, nthread=1)
    trees = xgboost.train(plain | own, rows, plan.trees, obj=None if own else objective)
    spent = process_time() - begin

    def scores(X: np.ndarray, k: int) -> np.ndarray:
        rows = xgboost.DMatrix(X, nthread=1)
        return np.asarray(trees.predict(rows, iteration_range=(0, k), output_margin=True))

    return Boosted(spent, scores)


def _of_catboost() -> Iterator[tuple[str, Fit]]:
    yield "Logloss", partial(_catboost, "Logloss", 0)
    yield from _of_exact(_pairs_of_catboost, lambda loss: loss)
    yield "PairLogit", partial(_catboost, f"PairLogit:max_pairs={PAIRS}", SMALL_QUERY)
    yield "YetiRank", partial(_catboost, "YetiRank", SMALL_QUERY)


def _settings(plan: Plan) -> dict[str, Any]:
    plain: dict[str, Any] = {"thread_count": 1, "random_seed": 0, "verbose": 0}
    named = {"learning_rate": plan.rate, "iterations": plan.trees}
    return plain | named | {"allow_writing_files": False}


def _catboost(loss: str, query: int, plan: Plan, X: np.ndarray, y: np.ndarray) -> Boosted:
    import catboost

    begin, groups = process_time(), None
    if query:
        order, sizes = in_queries(y, query)
        X, y, groups = X[order], y[order], np.repeat(np.arange(len(sizes)), sizes)
    rows = catboost.Pool(X, y, group_id=groups)
    trees = catboost.CatBoost(_settings(plan) | {"loss_function": loss}).fit(rows)
    return Boosted(process_time() - begin, partial(_of_trees, trees))


def _pairs_of_catboost(loss: Loss, plan: Plan, X: np.ndarray, y: np.ndarray) -> Boosted:
    from aucbench.losses.catboost import train

    begin = process_time()
    trees = train(_settings(plan), X, y, loss=loss)
    return Boosted(process_time() - begin, partial(_of_trees, trees))


def _of_trees(trees: Any, X: np.ndarray, k: int) -> np.ndarray:
    return np.asarray(trees.predict(X, prediction_type="RawFormulaVal", ntree_end=k))


def in_queries(y: np.ndarray, most: int) -> tuple[np.ndarray, list[int]]:
    """Return an order of the rows and the sizes of equal random queries, each with its share."""
    rng, count = np.random.default_rng(0), -(-y.size // most)
    shuffled = np.concatenate([rng.permutation(np.flatnonzero(y == side)) for side in (1, 0)])
    queries = [shuffled[first::count] for first in range(count)]
    return np.concatenate(queries), [query.size for query in queries]
