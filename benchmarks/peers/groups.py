"""Pairs within groups, such as queries: the time to a peer's objective, and the grouped AUC.

`grouped` is a set of random rows in groups of twenty: the first feature, which tells most, has a
shift of each group that no ranking should follow. `mq2008` is 15 211 documents of 784 queries
(LETOR 4.0), where `AUCBENCH_DATA` has them as mq2008.svm with `qid:`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import dump_svmlight_file
from sklearn.preprocessing import maxabs_scale

import aucbench
from aucbench.data import Data
from aucbench.errors import AucbenchError
from aucbench.metrics.pairs import quality_of
from aucbench.optim import default_ridge
from aucbench.pairs import Group, members_of
from benchmarks.peers.objectives import optimum, until
from benchmarks.peers.programs import given, ranksvm

SETS = ("grouped", "mq2008")
SIZE, EACH = 200_000, 20  # rows of the made set, and of a group
TREES = 100
OURS = ("rank-svm", "svm-or", "lightgbm-pairs", "xgboost-pairs", "logistic")
LOSSES = ("PairLogit", "YetiRank")  # of CatBoost
TEST = 0.25  # share of the groups


class Scored(NamedTuple):
    """Scores of test rows, and the CPU seconds of the fit."""

    scores: np.ndarray
    seconds: float


Method = Callable[[Data, Data], Scored]


def rows_of(name: str) -> Data:
    """Return a set, scaled by the largest magnitude of each feature.

    Raises
    ------
    AucbenchError
        When it is not at hand.
    """
    data = (
        made()
        if name == "grouped"
        else aucbench.get_dataset(name, positive=(1, 2), negative="rest")
    )
    X = np.ascontiguousarray(maxabs_scale(data.rows.matrix))
    return Data.of(X, data.y, groups=data.groups, pairs=Group())


def made(n: int = SIZE, d: int = 20) -> Data:
    """Return normal rows; the first feature tells the label, and has a large shift per group."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(n // EACH), EACH)
    X = rng.standard_normal((n, d))
    w = np.append(4.0, rng.standard_normal(d - 1))
    noisy = X @ w + 2.0 * rng.standard_normal(n)
    X[:, 0] += 10.0 * rng.standard_normal(n // EACH)[group]
    return Data.of(X, np.where(noisy > np.quantile(noisy, 0.8), 1, -1), groups=group)


def objective(name: str, folder: Path, repeats: int) -> list[dict[str, Any]]:
    """Return the CPU seconds of RankSVM and of ours to the same objective, for two ridges."""
    path, data = given("RANKSVM"), rows_of(name)
    if path is None:
        return []
    file = _written(data, folder / f"{name}.svm")
    pairs, lam = members_of(data).pairs, default_ridge(data)
    about = {"set": name, "n": data.n, "d": data.d, "pairs": pairs}
    ridges = (lam, 0.1 * lam)
    return [{**about, "lam": r, **_both(path, file, data, r, repeats)} for r in ridges]


def _both(path: str, file: Path, data: Data, lam: float, repeats: int) -> dict[str, Any]:
    """It adds up the pairs with the weight C: λ = 1 / (C times their number)."""
    C = 1.0 / (lam * members_of(data).pairs)
    theirs = [ranksvm(path, file, data.d, C) for _ in range(repeats)]
    known = [each for each in theirs if each is not None]
    if not known:
        return {"theirs": None, "ours": None, "excess": None}
    f: Any = aucbench.get_objective("pairwise-squared-hinge", data)
    w = known[0].w
    target = f.value(w) + 0.5 * lam * float(w @ w)
    solver = aucbench.get_solver("rank-svm", lam=lam)
    ours = [until(solver, _fresh(data), target) for _ in range(repeats)]
    return {
        "theirs": median(each.seconds for each in known),
        "ours": None if None in ours else median(each for each in ours if each is not None),
        "excess": max(target / optimum(solver, _fresh(data)) - 1.0, 0.0),
    }


def _fresh(data: Data) -> Data:
    """Return the rows without what was computed from them before."""
    return Data.of(data.rows.matrix, data.y, groups=data.groups, pairs=data.pairs)


def _written(data: Data, file: Path) -> Path:
    """Write rows group after group, as their program reads them."""
    X, y, group = _in_groups(data)
    dump_svmlight_file(X, y, str(file), zero_based=False, query_id=group + 1)
    return file


def _in_groups(data: Data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, labels and groups, group after group."""
    group = np.asarray(data.groups)
    order = np.argsort(group, kind="stable")
    return data.rows.matrix[order], data.y[order], group[order]


def quality(name: str) -> list[dict[str, Any]]:
    """Return the grouped AUC of test groups and the CPU seconds of each method."""
    train, test = rows_of(name).split(TEST, np.random.default_rng(0))
    found = []
    for method, fit in methods().items():
        done = fit(train, test)
        share = quality_of(test, done.scores)
        found.append({"set": name, "method": method, "gauc": share, "seconds": done.seconds})
    return found


def methods() -> dict[str, Method]:
    """Return ours, and those of others that can be imported."""
    ours: dict[str, Method] = {name: partial(_by_ours, name) for name in OURS}
    if find_spec("catboost") is None:
        return ours
    theirs: dict[str, Method] = {
        f"CatBoost, {loss}": partial(_by_catboost, loss) for loss in LOSSES
    }
    return {**ours, **theirs}


def _by_ours(name: str, train: Data, test: Data) -> Scored:
    solver = aucbench.get_solver(name)
    rows = train if "group-pairs" in solver.needs.capabilities else replace(train, pairs=None)
    begin = process_time()
    run = aucbench.solve(solver, rows)
    return Scored(run.decision_function(test.rows), process_time() - begin)


def _by_catboost(loss: str, train: Data, test: Data) -> Scored:
    catboost = import_module("catboost")
    X, y, group = _in_groups(train)
    begin = process_time()
    ranker = catboost.CatBoostRanker(
        loss_function=loss,
        iterations=TREES,
        thread_count=1,
        random_seed=0,
        verbose=False,
        allow_writing_files=False,
    )
    ranker.fit(catboost.Pool(X, (y > 0).astype(int), group_id=group))
    return Scored(ranker.predict(test.rows.matrix), process_time() - begin)


def at_hand(name: str) -> str:
    """Return why a set is not at hand; empty when it is."""
    try:
        rows_of(name)
    except AucbenchError as error:
        return str(error).splitlines()[0]
    return ""
