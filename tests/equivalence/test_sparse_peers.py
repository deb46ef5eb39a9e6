"""Sparse regressions and curves of other packages: optima, best subsets, and tables of terms."""

from importlib import import_module
from itertools import combinations

import numpy as np
import pytest
from layouts import LAYOUTS
from samples import sample
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from aucbench import get_solver, solve
from aucbench.data import Data
from aucbench.records import Stop

SKGLM = pytest.param("skglm[penalty=l1]", marks=pytest.mark.slow)  # Numba compiles it first
X, Y = sample(4, n=200, d=8, density=0.8, shift=0.3 * (np.arange(8) < 3), offset=0.3)
SEED = int(np.random.default_rng(0).spawn(2)[1].integers(2**31))  # which a solver draws first


def needed(package):
    pytest.importorskip(package, reason=f"{package} is an extra; make nightly installs it")


# --- l1 and mcp ------------------------------------------------------------------------------


def loss(w, X=X, y=Y):
    return float(np.logaddexp(0.0, -y * (X @ w[:-1] + w[-1])).mean())


def largest_penalty(X, y=Y):
    return np.abs(X.T @ (np.mean(y > 0) - (y > 0))).max() / len(y)


@LAYOUTS
@pytest.mark.filterwarnings("ignore:.*penalty:UserWarning", "ignore:.*penalty:FutureWarning")
@pytest.mark.parametrize("ratio", [0.5, 0.01])
@pytest.mark.parametrize("name", ["celer", SKGLM])
def test_l1_ends_at_the_optimum_of_liblinear(name, ratio, layout):
    needed(name.partition("[")[0])
    lam = ratio * largest_penalty(X)
    found = solve(get_solver(name, ratio=ratio), Data.of(layout(X), Y))
    # LIBLINEAR too has the intercept as the weight of a feature, which it penalises
    made = LogisticRegression(penalty="l1", C=1.0 / (len(Y) * lam), solver="liblinear",
                              intercept_scaling=1e4, tol=1e-10, max_iter=10_000)  # fmt: skip
    made.fit(X, Y)
    best = np.r_[made.coef_[0], made.intercept_]
    value, gap = found.points[-1].objective, found.points[-1].gap
    assert value == pytest.approx(loss(found.w) + lam * np.abs(found.w[:-1]).sum(), rel=1e-12)
    assert value <= loss(best) + lam * np.abs(best[:-1]).sum() + 1e-7
    assert (found.stop, 0 <= gap < 1e-6) == (Stop.CERTIFIED, True)
    np.testing.assert_allclose(found.w[:-1], best[:-1], atol=1e-4)


@LAYOUTS
@pytest.mark.slow
def test_mcp_shrinks_small_weights_only_and_its_slopes_are_0(layout):
    needed("skglm")
    sigma = np.sqrt((X**2).mean(axis=0))
    lam = 0.2 * largest_penalty(X / sigma)
    w = solve(get_solver("skglm", ratio=0.2, gamma=12.0), Data.of(layout(X), Y)).w
    pull = -Y / (1.0 + np.exp(Y * (X @ w[:-1] + w[-1]))) / len(Y)
    slopes, u = X.T @ pull / sigma, w[:-1] * sigma
    zero, large = u == 0, np.abs(u) > 12.0 * lam
    small = ~zero & ~large
    assert all(kind.any() for kind in (zero, small, large))
    assert abs(pull.sum()) < 1e-4 * lam
    assert np.abs(slopes[zero]).max() <= lam
    assert np.abs(slopes[large]).max() < 1e-4 * lam
    np.testing.assert_allclose(
        slopes[small], u[small] / 12.0 - lam * np.sign(u[small]), rtol=0, atol=1e-4 * lam
    )


# --- subsets ---------------------------------------------------------------------------------


def fitted(columns, weights):
    """The least sum of losses with these columns, and its weights."""
    A = np.c_[X[:, list(columns)], np.ones(len(X))]

    def total(w):
        margins = Y * (A @ w)
        slopes = A.T @ (-weights * Y / (1.0 + np.exp(margins)))
        return weights @ np.logaddexp(0.0, -margins), slopes

    made = minimize(total, np.zeros(A.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-8})
    return made.fun, made.x


@LAYOUTS
@pytest.mark.parametrize("k", [1, 2, 3])
def test_abess_finds_the_best_of_all_subsets(k, layout):
    needed("abess")
    weights = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    best = min(combinations(range(8), k), key=lambda columns: fitted(columns, weights)[0])
    data = Data.of(layout(X), Y, weights=weights)
    found = solve(get_solver("abess", k=k), data).w
    assert tuple(np.flatnonzero(found)) == best
    np.testing.assert_allclose(found[[*best]], fitted(best, weights)[1][:-1], rtol=1e-4)


@pytest.mark.slow
def test_abess_chooses_the_number_by_its_criterion():
    needed("abess")
    one, n, d = np.ones(len(X)), *X.shape
    costs = {"gic": np.log(d) * np.log(np.log(n)), "bic": np.log(n), "aic": 2.0}
    losses = [min(fitted(c, one)[0] for c in combinations(range(d), k)) for k in range(1, d + 1)]
    for criterion, cost in costs.items():
        best = 1 + int(np.argmin(2.0 * np.array(losses) + cost * np.arange(1, d + 1)))
        assert solve(get_solver("abess", criterion=criterion), Data.of(X, Y)).nnz == best


# --- tables ----------------------------------------------------------------------------------


@pytest.mark.parametrize("interactions", [0.0, 1.0])
def test_tables_are_those_of_the_machine_also_on_the_edges_of_their_bins(interactions):
    needed("interpret")
    glassbox = import_module("interpret.glassbox")
    given = {"outer_bags": 2, "max_rounds": 40, "learning_rate": 0.1}
    made = glassbox.ExplainableBoostingClassifier(
        feature_types=["continuous"] * 8, interactions=f"{interactions}x", n_jobs=1,
        random_state=SEED, **given,
    ).fit(X, Y > 0)  # fmt: skip
    run = solve(get_solver("ebm", interactions=interactions, **given), Data.of(csr_array(X), Y))
    edges = [np.concatenate([*made.bins_[j], [X[0, j]]]) for j in range(8)]
    rng = np.random.default_rng(2)
    at = np.stack([rng.choice(edge, 400) for edge in edges], axis=1)
    rows = np.concatenate([X, at, np.nextafter(at, -np.inf), np.nextafter(at, np.inf)])
    terms = made.eval_terms(rows)
    assert terms.shape[1] == (8 if interactions == 0.0 else 16)
    np.testing.assert_allclose(
        run.decision_function(rows), terms.sum(axis=1) + made.intercept_[0], rtol=0, atol=1e-12
    )


def test_threads_change_no_bit_and_leave_nothing_behind(monkeypatch, tmp_path):
    needed("interpret")
    psutil = import_module("psutil")
    monkeypatch.chdir(tmp_path)
    solver, data = get_solver("ebm", outer_bags=2, max_rounds=20, interactions=1), Data.of(X, Y)
    scores, before = [], {*psutil.Process().children()}  # other tests leave servers of forks
    for threads in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        scores.append(solve(solver, data).decision_function(X))
    np.testing.assert_array_equal(*scores)
    assert {*psutil.Process().children()} <= before
    assert not [*tmp_path.iterdir()]
