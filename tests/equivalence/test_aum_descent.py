"""The solvers of the AUM against linear programs, and the laws of their options."""

from itertools import islice

import numpy as np
import pytest
from observed import observed
from scipy.optimize import linprog
from scipy.sparse import csr_array
from sequences import breakpoints

from aucbench import aum
from aucbench.aum.search import SEARCHES
from aucbench.contract import Identity
from aucbench.data import Data
from aucbench.errors import DataError, ParameterError, UnknownNameError, UnsupportedError
from aucbench.metrics import auc_of
from aucbench.objectives import Aum
from aucbench.projectors import Hyperplane
from aucbench.records import Stop
from aucbench.registry import get_solver, list_solvers
from aucbench.solving.loop import begin, solve
from aucbench.solving.values import objective_at
from aucbench_plugins.aum.aum import mean_gap

RNG = np.random.default_rng(3)
Y = np.where(RNG.random(120) < 0.3, 1, -1)
X = RNG.normal(size=(120, 4)) + 0.6 * (Y > 0)[:, None]
ROUNDED = np.round(X)  # many ties


def programme(X, y, margin):
    """min mean_- [s_j - c]_+ + mean_+ [margin + c - s_i]_+; with margin 0 in the set of `aum`."""
    n, d = X.shape
    positive = y > 0
    weight = np.where(positive, 1 / positive.sum(), 1 / (~positive).sum())
    sign = np.where(positive, -1.0, 1.0)[:, None]
    A = np.hstack([sign * X, -sign, -np.eye(n)])
    b = np.where(positive, -margin, 0.0)
    cost = np.r_[np.zeros(d + 1), weight]
    gap = X[positive].mean(axis=0) - X[~positive].mean(axis=0)
    equal = None if margin else np.r_[gap, np.zeros(n + 1)][None]
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    return linprog(cost, A, b, equal, None if margin else [1.0], bounds).fun


@pytest.mark.parametrize("rows", [X, ROUNDED], ids=["floats", "integers"])
@pytest.mark.parametrize(("name", "margin"), [("aum", 0.0), ("aum-margin", 1.0)])
def test_the_minimum_is_that_of_a_linear_programme(name, margin, rows):
    run = solve(get_solver(name, early_stopping=False), Data.of(rows, Y), passes=400)

    assert run.points[-1].objective == pytest.approx(programme(rows, Y, margin), rel=2e-4)


@pytest.mark.parametrize("early_stopping", [True, False])
@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_a_descent_ends_where_only_rounding_is_left_of_the_area(layout, early_stopping):
    solver = get_solver("aum-margin", early_stopping=early_stopping)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = np.where(np.arange(30) < 8, 1, -1)
        data = Data.of(layout(rng.normal(size=(30, 300)) + 0.5 * y[:, None]), y)
        problem, states = begin(solver, data)
        made = list(islice(states, 150))

        assert len(made) == 2
        assert objective_at(problem, made[-1].w) < 1e-15


def test_the_published_direction_jams_where_cuts_go_on():
    data = Data.of(ROUNDED, Y)
    one, many = (
        solve(get_solver("aum", memory=m, early_stopping=False), data, passes=300) for m in (1, 30)
    )

    least = programme(ROUNDED, Y, 0.0)
    assert one.stop is Stop.STALLED
    assert one.points[-1].gap >= one.points[-1].objective - least
    assert many.points[-1].objective - least < 0.05 * (one.points[-1].objective - least)


def test_the_margin_moves_the_positives():
    f, plain = Aum(Data.of(X, Y), 2.0), Aum(Data.of(X, Y))
    w = RNG.normal(size=4)
    s = X @ w

    assert f.value(w) == pytest.approx(plain.loss(s - 2.0 * (Y > 0)).value, rel=1e-14)
    assert f.value(np.zeros(4)) == pytest.approx(2.0)


def test_plain_descent_shrinks_the_weights():
    solver = get_solver("aum", normalise=False, early_stopping=False)
    problem, states = begin(solver, Data.of(X, Y))
    lengths = [np.linalg.norm(state.w) for state in islice(states, 40)]

    assert isinstance(problem.project, Identity)
    assert lengths[-1] < 0.01 * lengths[0]


@pytest.mark.parametrize("name", ["aum", "aum-margin"])
@pytest.mark.parametrize("search", SEARCHES)
def test_every_line_search_goes_down(name, search):
    solver = get_solver(name, line_search=search)
    run, problem = observed(solver, Data.of(X, Y), passes=15)
    start = Hyperplane(mean_gap(problem.data))(np.zeros(problem.data.d))

    assert run.points[-1].objective < problem.f.value(start)


@pytest.mark.parametrize("name", ["aum", "aum-margin"])
def test_exact_and_first_min_are_one_search_for_labels(name):
    exact, swept = (
        solve(get_solver(name, line_search=search), Data.of(X, Y), passes=8)
        for search in ("exact", "first_min")
    )
    np.testing.assert_allclose(swept.w, exact.w, rtol=1e-7, atol=1e-9)


def test_the_weights_are_the_best_on_the_validation_rows():
    solver = get_solver("aum", validation=0.3)
    problem, states = begin(solver, Data.of(X, Y))
    seen = [
        auc_of(problem.holdout.target, problem.holdout.scores(state.w))
        for state in islice(states, 30)
    ]
    assert problem.holdout.n + problem.data.n == 120
    assert (np.diff(seen) >= 0).all()


def test_early_stopping_shows_the_best_on_the_training_rows():
    data = Data.of(ROUNDED, Y)
    runs = [
        solve(get_solver("aum", early_stopping=stop, validation=None), data)
        for stop in (True, False)
    ]
    best, last = (auc_of(data.target, data.scores(run.w)) for run in runs)

    assert best >= last
    assert runs[1].points[-1].objective <= runs[0].points[-1].objective


def test_the_intercept_makes_the_fewest_errors():
    run = solve(get_solver("aum", intercept=True), Data.of(X, Y), passes=20)
    s = run.decision_function(X)
    thresholds = np.r_[-np.inf, np.sort(s)]
    errors = [((s > t) != (Y > 0)).sum() for t in thresholds]

    assert run.w.size == 5
    assert ((s > 0) != (Y > 0)).sum() == min(errors)


def changepoints(n=80, seed=5):
    """Random error functions: one false positive less and one false negative more per change."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 3))
    centre = rows @ [1.0, -2.0, 0.5] + rng.normal(size=n)
    e = np.repeat(np.arange(n), 2)
    value = (centre[:, None] + [-0.5, 1.0]).ravel()
    fp, fn = np.tile([0.0, 1.0], n), np.tile([-1.0, 0.0], n)
    data = Data.of(rows, np.arange(n) % 2)
    return Data(data.rows, breakpoints(e, value, fp, fn, n))


@pytest.mark.parametrize("search", SEARCHES)
def test_error_functions_are_learnt(search):
    data = changepoints()
    solver = get_solver("aum", line_search=search, validation=0.25)
    run, problem = observed(solver, data, passes=60)

    assert run.points[-1].objective < 0.7 * objective_at(problem, np.zeros(3))
    assert auc_of(data.target, data.scores(run.w)) > auc_of(data.target, np.zeros(80))


def test_the_objective_of_error_functions_is_the_area_of_rates():
    data, w = changepoints(), np.array([0.3, -1.0, 0.2])
    f = Aum(data)
    found = aum.aum_loss(data.target.rates, data.scores(w))

    assert f.value(w) == found.value
    np.testing.assert_array_equal(f.grad(w), data.pullback(found.gradient))


@pytest.mark.parametrize("name", [n for n in list_solvers() if n != "estimator"])
def test_solvers_of_labels_refuse_error_functions(name):
    solver, data = get_solver(name), changepoints()
    if "breakpoints" in solver.needs.capabilities:
        assert np.isfinite(solve(solver, data, passes=3).w).all()
    else:
        with pytest.raises(UnsupportedError, match="needs labels"):
            solve(solver, data, passes=3)


@pytest.mark.parametrize(
    ("name", "given", "error", "sentence"),
    [
        ("aum", {"line_search": "quadratic"}, UnknownNameError, "exact, first_min, grid, max_auc"),
        ("aum", {"validation": 0.2, "early_stopping": False}, ParameterError, "judge nothing"),
        ("aum", {"memory": 0}, ParameterError, "memory must be at least 1"),
        ("aum", {"tol": -1.0}, ParameterError, "tol must be at least 0"),
        ("aum-margin", {"validation": -0.1}, ParameterError, "validation must be at least 0"),
    ],
)
def test_refusals(name, given, error, sentence):
    with pytest.raises(error, match=sentence):
        get_solver(name, **given)


def test_refusals_of_data():
    with pytest.raises(UnsupportedError, match="normalise=True is for labels"):
        solve(get_solver("aum", normalise=True), changepoints())
    with pytest.raises(UnsupportedError, match=r"margin of 1\.0 between classes needs labels"):
        Aum(changepoints(), 1.0)
    with pytest.raises(DataError, match="both classes have the same mean"):
        solve(get_solver("aum"), Data.of([[0.0], [1.0], [0.0], [1.0]], [0, 0, 1, 1]))
    with pytest.raises(DataError, match="up to rounding"):
        solve(get_solver("aum"), Data.of(np.full((9, 1), 6.19263283e-07), [1] + [0] * 8))
