"""Weights of rows: the AUC, objectives and solvers with them, and who refuses them."""

from dataclasses import replace

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from aucbench import from_estimator, get_solver, solve
from aucbench.data import IGNORES_WEIGHTS, Data, Labels
from aucbench.errors import DataError, UnsupportedError
from aucbench.metrics import auc, auc_of
from aucbench.metrics import auc as stats_auc
from aucbench.objectives import (
    Aum,
    IncompleteHinge,
    IntervalHinge,
    Logistic,
    PairwiseHinge,
    PairwiseLogistic,
    PairwiseSquare,
    PairwiseSquaredHinge,
    UnivariateExp,
)

N, D = 60, 3
RNG = np.random.default_rng(0)
LOSSES = {
    PairwiseSquare: lambda m: ((1 - m) ** 2, -2 * (1 - m)),
    PairwiseHinge: lambda m: (max(0.0, 1 - m), -1.0 * (m < 1)),
    PairwiseSquaredHinge: lambda m: (max(0.0, 1 - m) ** 2, -2 * max(0.0, 1 - m)),
    PairwiseLogistic: lambda m: (np.log1p(np.exp(-m)), -1 / (1 + np.exp(m))),
}
# With weights that are whole, the minimiser is that of repeated rows.
EXACT = {
    "ls-svm[lam=0.1]": 1e-9,
    "svm-or[lam=0.1]": 1e-5,
    "rank-svm[lam=0.1]": 1e-5,
    "spdam[lam=0.1]": 1e-4,
    "roc-svm-full[lam=0.1,step=0.05]": 1e-9,
    "roc-svm-nystrom[lam=0.1,gamma=0.3,rank=500]": 1e-4,
    "logistic": 1e-6,
    "logistic-balanced": 1e-6,
    "linear-svc": 1e-6,
}


@pytest.fixture
def toy():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, D))
    y = np.where(X[:, 0] + rng.normal(size=N) > 0.6, 1, -1)
    return X, y, rng.integers(1, 5, N)


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(-3, 3), st.floats(0.01, 100.0)),
        min_size=1,
        max_size=30,
    )
)
def test_the_weighted_auc_is_that_of_pairs_and_of_scikit_learn(rows):
    y = np.array([1, 0, *(int(positive) for positive, _, _ in rows)])
    s = np.array([0.0, 0.0, *(float(score) for _, score, _ in rows)])
    v = np.array([1.5, 2.0, *(weight for *_, weight in rows)])

    found = auc(y, s, v)

    assert found == pytest.approx(reference.weighted_auc_by_pairs(y, s, v), abs=1e-12)
    assert found == pytest.approx(roc_auc_score(y, s, sample_weight=v), abs=1e-12)
    assert found == pytest.approx(stats_auc(y, s, v), abs=1e-12)
    assert auc_of(Labels.of(y, weights=v), s) == found


@pytest.mark.parametrize("objective", LOSSES, ids=lambda kind: kind.__name__)
def test_objectives_equal_the_double_sum(objective, toy):
    X, y, _ = toy
    rng = np.random.default_rng(1)
    v, w = rng.uniform(0.1, 9.0, N), rng.normal(size=D)
    f = objective(Data.of(X, y, weights=v))
    value, grad = reference.weighted_pairs(X, y, v, w, LOSSES[objective])

    assert f.value(w) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(f.grad(w), grad, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("spec", EXACT)
def test_solvers_reach_the_minimiser_of_repeated_rows(spec, toy):
    X, y, v = toy
    rows = np.repeat(np.arange(N), v)
    solver = get_solver(spec)
    weighted, repeated, without = (
        solve(solver, data, passes=3000, gap_tol=1e-10)
        for data in (Data.of(X, y, weights=v), Data.of(X[rows], y[rows]), Data.of(X, y))
    )
    scores = [run.decision_function(X) for run in (weighted, repeated, without)]

    np.testing.assert_allclose(scores[0], scores[1], atol=EXACT[spec])
    assert np.abs(scores[0] - scores[2]).max() > 100 * EXACT[spec]


@pytest.mark.parametrize(
    "spec", ["random-forest[n_estimators=10]", "hist-gradient-boosting[max_iter=5]", "sgd-logistic"]
)
@pytest.mark.parametrize("balanced", [False, True])
def test_trees_and_descents_learn_by_weights(spec, balanced, toy):
    X, y, _ = toy
    v = np.where(X[:, 1] > 0, 1.0, 1e-3)
    solver = replace(get_solver(spec), balanced=balanced)
    heavy = Data.of(np.repeat(X, 2, axis=0), np.repeat(y, 2), weights=np.repeat(v, 2))
    found, plain = (solve(solver, d) for d in (heavy, Data.of(heavy.rows.matrix, heavy.y)))

    assert np.abs(found.decision_function(X) - plain.decision_function(X)).max() > 1e-3


def test_an_estimator_gets_them_as_sample_weight(toy):
    X, y, v = toy
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    expected = tree.fit(X, y, sample_weight=v).predict_proba(X)[:, 1]
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2, random_state=0))

    for estimator in (DecisionTreeClassifier(max_depth=2, random_state=0), pipe):
        found = solve(from_estimator(estimator), Data.of(X, y, weights=v)).decision_function(X)
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    "spec",
    ["sht-auc", "spam-l2", "solam", "opauc", "oam-seq", "fsauc", "aum", "roc-svm", "sto-iht"],
)
def test_solvers_without_weights_refuse(spec, toy):
    X, y, v = toy
    with pytest.raises(UnsupportedError, match="learns without the weights of rows"):
        solve(get_solver(spec), Data.of(X, y, weights=v))
    assert solve(get_solver(spec), Data.of(X, y, weights=np.ones(N)), passes=1).w is not None


def test_an_estimator_without_sample_weight_refuses(toy):
    from sklearn.neighbors import KNeighborsClassifier

    X, y, v = toy
    with pytest.raises(UnsupportedError, match="weights of rows"):
        solve(from_estimator(KNeighborsClassifier()), Data.of(X, y, weights=v))


@pytest.mark.parametrize(
    "objective",
    [Aum, IntervalHinge, Logistic, UnivariateExp, lambda data: IncompleteHinge.draw(data, 5, RNG)],
)
def test_objectives_without_weights_refuse(objective, toy):
    X, y, v = toy
    data = Data.of(X, y, weights=v)
    with pytest.raises(UnsupportedError, match=IGNORES_WEIGHTS):
        objective(data)


def test_weights_of_one_change_no_bit(toy):
    X, y, _ = toy
    plain, ones = Data.of(X, y), Data.of(X, y, weights=np.ones(N))

    assert ones.weights is None
    for spec in ("svm-or", "ls-svm", "spdam", "logistic"):
        runs = [solve(get_solver(spec), data, passes=20) for data in (plain, ones)]
        np.testing.assert_array_equal(runs[0].w, runs[1].w)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0] * (N - 1) + [0.0], "the weight of row 59 is 0.0"),
        ([1.0] * (N - 1) + [np.nan], "the weight of row 59 is nan"),
        ([-1.0] + [2.0] * (N - 1), "1 weight"),
        ([1.0], "weights has shape"),
        (["a"] * N, "which is not numeric"),
    ],
)
def test_bad_weights_are_refused(weights, sentence, toy):
    X, y, _ = toy
    with pytest.raises(DataError, match=sentence):
        Data.of(X, y, weights=weights)
    with pytest.raises(DataError, match="would be ignored"):
        Data.of(Data.of(X, y), weights=np.ones(N))


@pytest.mark.parametrize(
    ("spec", "exact"),
    [
        ("svm-or[lam=0.01]", "svm-or[lam=0.01]"),
        ("ls-svm[lam=0.01]", "ls-svm[lam=0.01]"),
        ("spdam[lam=0.01]", "ls-svm[lam=0.01]"),
    ],
)
def test_certified_gaps_hold_with_weights(spec, exact, toy):
    X, y, _ = toy
    data = Data.of(X, y, weights=np.random.default_rng(5).uniform(1e-2, 1e2, N))
    best = solve(get_solver(exact), data, passes=1000, gap_tol=1e-9).points[-1]
    early = solve(get_solver(spec), data, passes=1000, gap_tol=1e-2).points[-1]

    assert best.gap < 1e-8
    assert early.objective - early.gap <= best.objective + 1e-12
    assert best.objective - best.gap <= early.objective
