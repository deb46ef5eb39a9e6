"""additive: rank-svm on the features of splines, and how its ridges are chosen."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import random as sparse_random
from sklearn.metrics import roc_auc_score
from stepping import posed

from aucbench import solve
from aucbench.data import Data, Shape, Shapes
from aucbench.features import Splines
from aucbench.features.chain import applied
from aucbench_plugins.roc_svm.additive import Additive
from aucbench_plugins.roc_svm.smoothing import Tried, smoothing

CURVED = (lambda x: 3.0 * np.cos(2.0 * x), lambda x: x**2 - 1.3)
STRAIGHT = (lambda x: 2.0 * x, lambda x: -x)


def curved(effects=CURVED, n=600, seed=0):
    """Rows whose log odds are a sum of effects of uniform columns."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, len(effects)))
    odds = sum(f(x) for f, x in zip(effects, X.T, strict=True))
    return Data.of(X, rng.random(n) < 1.0 / (1.0 + np.exp(-odds)))


def rng():
    return np.random.default_rng(0)


def test_with_given_ridges_it_is_rank_svm_on_splines():
    data = curved()
    run = solve(Additive(lam=0.01, curve=0.5, knots=8), data)
    phi = Splines(knots=8).fit(data, rng()).bent(0.5)
    same = Splines(knots=8, curve=0.5).fit(data, rng())
    other = solve("rank-svm[lam=0.01]", applied(phi, data))
    assert np.allclose(phi(data.rows).matrix, same(data.rows).matrix)
    assert run.points[-1].objective == pytest.approx(other.points[-1].objective, rel=1e-6)
    assert np.allclose(run.w, other.w, atol=1e-3 * np.abs(other.w).max())


def test_curved_effects_are_found_and_straight_ones_left_straight(monkeypatch):
    for effects, bent in ((CURVED, True), (STRAIGHT, False)):
        assert bool(posed(Additive(), curved(effects), rng()).data.terms.curved.any()) is bent
    test, linear, found = (
        curved(n=4000, seed=1),
        solve("svm-or", curved()),
        solve("additive", curved()),
    )
    straight, auc = (roc_auc_score(test.y, r.decision_function(test.rows)) for r in (linear, found))
    assert auc > straight + 0.1
    assert found.stop.name == "CERTIFIED"
    monkeypatch.setattr("aucbench_plugins.roc_svm.smoothing.MOST", 500)
    problem = posed(Additive(), curved(n=2000), rng())  # judged by some of the rows
    assert problem.data.terms.curved.any()
    assert problem.data.n == 2000


def test_what_is_given_is_not_judged():
    data = curved()
    phi = Splines().fit(data, rng())
    for lam, curve, pairs in ((0.1, 0.3, 0), (0.1, None, 0), (None, 0.3, 0), (None, 0.3, 1)):
        chosen = smoothing(phi, data, rng(), Tried(lam, curve, (pairs,)))
        assert lam in (None, chosen.lam)
        assert curve in (None, chosen.curve)
        assert chosen.pairs == pairs


def test_joint_effects_are_found_where_there_are_some():
    def drawn(n, draws):
        X = draws.normal(size=(n, 6))
        odds = 2.0 * X[:, 1] * X[:, 4] + X[:, 0]
        return Data.of(X, draws.random(n) < 1.0 / (1.0 + np.exp(-odds)))

    data, test = drawn(700, rng()), drawn(2000, np.random.default_rng(1))
    phi = Splines(pairs=1).fit(data, rng())
    assert [cross.columns for cross in phi.crosses] == [(1, 4)]
    assert phi.terms().columns[-1] == (1, 4)
    none, auto = (solve(Additive(pairs=k), data) for k in (0, "auto"))
    plain, found = (roc_auc_score(test.y, r.decision_function(test.rows)) for r in (none, auto))
    assert found > plain + 0.1


def test_a_column_whose_effect_has_a_shape_is_in_no_pair():
    data = replace(curved((*CURVED, *STRAIGHT)), shapes=Shapes(((1, Shape(1)),)))
    crosses = Splines(pairs=3).fit(data, rng()).crosses
    assert len(crosses) == 3
    assert all(1 not in cross.columns for cross in crosses)


def test_rows_like_text_keep_straight_effects():
    X = sparse_random(200, 400, density=0.01, rng=rng(), format="csr")
    data = Data.of(X, np.arange(200) % 2)
    assert np.allclose(solve("additive", data).w, solve("rank-svm", data).w)
