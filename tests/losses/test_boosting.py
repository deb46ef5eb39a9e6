"""Objectives and measures of pairs for LightGBM and XGBoost, by each way in which they call."""

import pickle
from functools import partial

import numpy as np
import pytest
from refusals import assert_refused, refusals

from aucbench.errors import DataError, NoPairsError, UnsupportedError
from aucbench.losses import PairLoss
from aucbench.losses import lightgbm as of_lightgbm
from aucbench.losses import xgboost as of_xgboost

lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed: aucbench[baselines]")
xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed: aucbench[baselines]")

N, TREES = 400, 20
QUIET = {"verbosity": -1, "num_threads": 1, "metric": "None"}
SIZES = np.full(N // 20, 20)
USER = np.repeat(np.arange(SIZES.size), SIZES)


def rows(kind="all", seed=0):
    """Rows (N, 3) and the target of a kind of pairs; the first column tells of it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3))
    signal = X[:, 0] + 0.5 * rng.normal(size=N)
    if kind == "survival":
        time = np.exp(-signal).astype(np.float32)
        return X, np.where(rng.random(N) < 0.6, time, -time)
    return X, np.clip(np.round(signal), 0, 3) if kind == "grades" else (signal > 0.8).astype(int)


WEIGHTS = np.random.default_rng(1).integers(1, 4, N).astype(float)


def of_dataset(X, y, weights=None, sizes=None):
    return lightgbm.Dataset(X, y, weight=weights, group=sizes, free_raw_data=False).construct()


def of_matrix(X, y, weights=None, sizes=None):
    groups = None if sizes is None else USER
    return xgboost.DMatrix(X, y, weight=weights, qid=groups)


FACES = {"lightgbm": (of_lightgbm, of_dataset), "xgboost": (of_xgboost, of_matrix)}
GIVEN = {  # pairs, whether rows have weights, whether they have groups
    "all": ("all", False, False),
    "weights": ("all", True, False),
    "fpr": ("fpr", True, False),
    "group": ("group", False, True),
    "weights of groups": ("group", True, True),
    "survival": ("survival", True, False),
    "grades": ("grades", False, False),
    "grades of groups": ("grades", False, True),
}


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("loss", ["squared-hinge", "logistic"])
def test_an_objective_is_that_of_the_loss_by_either_way_of_calling(face, given, loss):
    module, dataset = FACES[face]
    pairs, weighted, grouped = GIVEN[given]
    X, y = rows(pairs)
    s = np.random.default_rng(2).normal(size=N)
    v, sizes = WEIGHTS if weighted else None, SIZES if grouped else None
    if face == "xgboost" and weighted and grouped:
        pytest.skip("XGBoost has weights of queries, not of rows")
    f = PairLoss(loss, pairs, v)
    groups = USER if grouped else None
    wanted = f.bind(y, groups).derivatives(s)
    given = module.objective(loss, pairs), module.metric(pairs)
    calls = [(s, dataset(X, y, v, sizes))]
    if face == "lightgbm":
        calls.append((y, s, v, sizes))
    elif not grouped:
        calls.append((y, s) if v is None else (y, s, v))
    for call in calls * 2:  # the second time from what is kept
        for one, other in zip(given[0](*call), wanted, strict=True):
            np.testing.assert_array_equal(one, other)
        value = given[1](*call)
        number = value[1] if isinstance(value, tuple) else value
        assert number == f.bind(y, groups).quality(s)


def test_other_rows_are_not_taken_for_those_of_the_last_call():
    f, s = of_lightgbm.objective(pairs="group"), np.linspace(0, 1, 6)
    y, sizes, v = np.array([0, 1, 0, 1, 0, 1]), np.array([2, 4]), np.ones(6)
    changes = (y, y.tolist()), (y, [1, 0, 1, 0, 1, 0]), (sizes, [4, 2]), (v, [1, 2, 3, 4, 5, 6])
    for array, values in changes:
        array[:] = values  # in place
        groups = np.repeat([0, 1], sizes)
        wanted = PairLoss(pairs="group", weights=v).bind(y, groups).derivatives(s)[0]
        np.testing.assert_array_equal(f(y, s, v, sizes)[0], wanted)


@pytest.mark.parametrize("pairs", ["all", "survival", "grades", "fpr"])
def test_the_largest_curvature_that_trees_see_is_that_of_a_logistic_loss_of_a_row(pairs):
    s, f = np.random.default_rng(2).normal(size=N), PairLoss("logistic", pairs, WEIGHTS)
    of = f.bind(rows(pairs)[1])
    found, D = of.derivatives(s)
    c = D.sum() / of.curvature(s).sum()
    np.testing.assert_allclose(found, c * of.value_and_gradient(s)[1], rtol=1e-12)
    np.testing.assert_allclose(D, c * of.curvature(s), rtol=1e-12)
    if pairs != "fpr":
        assert D.max() == pytest.approx(0.25, rel=1e-12)


def test_a_saved_objective_keeps_no_rows():
    f, call = of_lightgbm.objective("logistic", "fpr"), (USER % 2, np.linspace(0.0, 1.0, N))
    found = f(*call)
    again = pickle.loads(saved := pickle.dumps(f))
    assert len(saved) < 500
    np.testing.assert_array_equal(again(*call), found)


def by_lightgbm(learnt, valid, sizes, objective, metric, callbacks):
    sets = [of_dataset(X, y, v, sizes) for X, y, v in (learnt, valid)]
    settings = {"objective": objective, **QUIET}
    return lightgbm.train(
        settings, sets[0], TREES, valid_sets=sets[1:], feval=metric, callbacks=callbacks
    ).best_iteration


def by_lgbm(learnt, valid, sizes, objective, metric, callbacks):
    make = lightgbm.LGBMRegressor if sizes is None else lightgbm.LGBMRanker
    given = {} if sizes is None else {"group": sizes, "eval_group": [sizes]}
    given |= {"eval_X": valid[:1], "eval_y": valid[1:2], "eval_metric": metric}
    given |= {"sample_weight": learnt[2], "eval_sample_weight": [valid[2]], "callbacks": callbacks}
    return make(objective=objective, n_estimators=TREES, **QUIET).fit(*learnt[:2], **given)


def of_trees_by_lightgbm(train, learnt, valid, sizes, of, rounds):
    shown = {}
    stop = [lightgbm.early_stopping(rounds, verbose=False)] if rounds else []
    kept = train(learnt, valid, sizes, *of, [lightgbm.record_evaluation(shown), *stop])
    [values] = shown["valid_0"].values()
    return values, getattr(kept, "best_iteration_", kept)


def by_xgboost(learnt, valid, sizes, of, rounds):
    shown, sets = {}, [of_matrix(X, y, v, sizes) for X, y, v in (learnt, valid)]
    model = xgboost.train(
        {"nthread": 1}, sets[0], TREES, obj=of[0], custom_metric=of[1], evals=[(sets[1], "v")],
        evals_result=shown, early_stopping_rounds=rounds, verbose_eval=False,
    )  # fmt: skip
    return [*shown["v"].values()][-1], rounds and model.best_iteration + 1


def by_xgb(learnt, valid, sizes, of, rounds):
    model = xgboost.XGBRegressor(
        objective=of[0], n_estimators=TREES, n_jobs=1, eval_metric=of[1],
        early_stopping_rounds=rounds,
    )  # fmt: skip
    given = {"sample_weight": learnt[2], "sample_weight_eval_set": [valid[2]], "verbose": False}
    model.fit(*learnt[:2], eval_set=[valid[:2]], **given)
    values = [*model.evals_result()["validation_0"].values()][-1]
    return values, rounds and model.best_iteration + 1


WAYS = {
    "lightgbm.train": (of_lightgbm, partial(of_trees_by_lightgbm, by_lightgbm)),
    "LGBMRanker": (of_lightgbm, partial(of_trees_by_lightgbm, by_lgbm)),
    "xgboost.train": (of_xgboost, by_xgboost),
    "XGBRegressor": (of_xgboost, by_xgb),
}


@pytest.mark.parametrize("pairs", ["all", "group", "fpr", "survival", "grades"])
@pytest.mark.parametrize("way", WAYS)
def test_trees_learn_the_order_and_stop_at_the_best_measure(way, pairs):
    if (way, pairs) == ("XGBRegressor", "group"):
        pytest.skip("estimators of XGBoost take no queries with an objective of one's own")
    (module, train), sizes = WAYS[way], SIZES if pairs == "group" else None
    v = WEIGHTS if pairs == "all" else None
    sets = [(*rows(pairs, seed), v) for seed in (0, 3)]
    values, stopped = (
        train(*sets, sizes, (module.objective(pairs=pairs), module.metric(pairs)), rounds)
        for rounds in (None, 2)
    )
    assert max(values[0]) > (0.65 if pairs == "fpr" else 0.8)
    assert stopped[1] == int(np.argmax(stopped[0])) + 1
    np.testing.assert_allclose(stopped[0], values[0][: len(stopped[0])])
    assert len(stopped[0]) == min(TREES, stopped[1] + 2)


def queried(weight):
    X, y = rows()
    return lambda: of_xgboost.objective(pairs="group")(
        np.zeros(N), xgboost.DMatrix(X, y, qid=USER, weight=weight)
    )


REFUSED = refusals(
    ("hinge", lambda: of_lightgbm.objective("hinge")(USER % 2, 0.0 * USER), UnsupportedError,
     "squared-hinge"),
    ("aum", lambda: of_xgboost.objective("aum")(USER % 2, 0.0 * USER), UnsupportedError,
     "logistic"),
    ("queries of all", lambda: of_lightgbm.objective()(USER % 2, 0.0 * USER, None, SIZES),
     DataError, "groups"),
    ("no queries", lambda: of_xgboost.objective(pairs="group")(USER % 2, 0.0 * USER), DataError,
     "groups"),
    ("weights of queries", queried(np.arange(1.0, 21.0)), DataError, "weights"),
    ("one class", lambda: of_lightgbm.objective()(np.ones(3), np.zeros(3)), NoPairsError,
     "both classes"),
    ("a measure of one class", lambda: of_xgboost.metric()(np.ones(3), np.ones(3)), NoPairsError,
     "both classes"),
)  # fmt: skip


@REFUSED
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)
