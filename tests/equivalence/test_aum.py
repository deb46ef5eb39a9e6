"""The solvers of the AUM: their options, their cuts, and the programmes that bound what is left."""

from itertools import islice

import numpy as np
import optima
import pytest
from layouts import LAYOUTS
from samples import sample
from scipy.sparse import csr_array
from sequences import learnable
from stepping import observed

from aucbench.aum.search import SEARCHES
from aucbench.data import Data
from aucbench.metrics import auc_of
from aucbench.objectives import Aum
from aucbench.projectors import Hyperplane
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import begin, solve
from aucbench.solving.values import objective_at
from aucbench_plugins.aum import certificate
from aucbench_plugins.aum.aum import mean_gap
from aucbench_plugins.aum.certificate import LowerBound, Programmes

X, Y = sample(3, n=120, shift=0.3)
DATA = Data.of(X, Y)
NAMES = pytest.mark.parametrize("name", ["aum", "aum-margin"])
MARGINS = pytest.mark.parametrize("margin", [0.0, 1.0])


@LAYOUTS
@pytest.mark.parametrize("early_stopping", [True, False])
def test_a_descent_ends_where_only_rounding_is_left_of_the_area(layout, early_stopping):
    solver = get_solver("aum-margin", early_stopping=early_stopping)
    for seed in range(6):
        rows, y = sample(seed, n=30, d=300, layout=layout)
        problem, states = begin(solver, Data.of(rows, y))
        made = list(islice(states, 150))
        assert len(made) == 2
        assert objective_at(problem, made[-1].w) < 1e-15


@NAMES
def test_every_line_search_goes_down_and_two_are_one_for_labels(name):
    weights = {}
    for search in SEARCHES:
        run, problem = observed(get_solver(name, line_search=search), DATA, passes=8)
        start = Hyperplane(mean_gap(problem.data))(np.zeros(problem.data.d))
        assert run.points[-1].objective < problem.f.value(start), search
        weights[search] = run.w
    np.testing.assert_allclose(weights["first_min"], weights["exact"], rtol=1e-7, atol=1e-9)


def test_the_weights_are_the_best_on_the_validation_rows():
    problem, states = begin(get_solver("aum", validation=0.3), DATA)
    held = problem.holdout
    seen = [auc_of(held.target, held.scores(state.w)) for state in islice(states, 30)]
    assert held.n + problem.data.n == 120
    assert (np.diff(seen) >= 0).all()


def test_the_intercept_makes_the_fewest_errors():
    run = solve(get_solver("aum", intercept=True), DATA, passes=20)
    s = run.decision_function(X)
    errors = [((s > t) != (Y > 0)).sum() for t in np.r_[-np.inf, np.sort(s)]]
    assert run.w.size == 5
    assert ((s > 0) != (Y > 0)).sum() == min(errors)


@pytest.mark.parametrize("search", SEARCHES)
def test_error_functions_are_learnt(search):
    data = learnable()
    solver = get_solver("aum", line_search=search, validation=0.25)
    run, problem = observed(solver, data, passes=30)
    assert run.points[-1].objective < 0.7 * objective_at(problem, np.zeros(data.d))
    assert auc_of(data.target, data.scores(run.w)) > auc_of(data.target, np.zeros(data.n))


# --- programmes of the rows near the threshold ---------------------------------------------


def programmes(X, y, margin):
    data = Data.of(X, y)
    plain = X.toarray() if hasattr(X, "toarray") else X
    normal = None if margin else plain[y > 0].mean(axis=0) - plain[y < 0].mean(axis=0)
    f = Aum(data, margin)
    return f, optima.least_aum(plain, y, margin, normal), normal, Programmes(data, f.shift, normal)


@MARGINS
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize(
    ("n", "d", "layout"), [(120, 5, np.asarray), (120, 5, csr_array), (12, 40, np.asarray)]
)
def test_all_rows_give_the_optimum_and_prove_it(layout, margin, scale, n, d):
    f, best, _, found = programmes(*sample(2, n, d, scale=scale, layout=layout), margin)
    vertex = found.vertex(0.9 * best, f.data.scores(0.9 * best) - f.shift, n)
    least = f.value(best)
    assert f.value(vertex.w) == pytest.approx(least, abs=1e-9)
    assert vertex.below == pytest.approx(least, abs=1e-9)
    assert vertex.below <= least + 1e-12


@MARGINS
@pytest.mark.parametrize("count", [30, 60, 119])
def test_a_few_rows_bound_it_from_other_weights(count, margin):
    f, best, normal, found = programmes(*sample(2, 120, 5, shift=0.2), margin)
    least, rng, bounds = f.value(best), np.random.default_rng(count), []
    for size in np.geomspace(0.01, 3.0, 30):
        w = best + size * rng.normal(size=5)
        w = w / (normal @ w) if normal is not None else w
        vertex = found.vertex(w, f.data.scores(w) - f.shift, count)
        if vertex is not None:
            bounds.append(vertex.below)
    assert len(bounds) > 3
    assert 0.9 * least < max(bounds) <= least + 1e-12
    assert found.vertex(best, f.data.scores(best) - f.shift, 2) is None  # too few


def test_what_the_programme_leaves_is_taken_off_the_bound(monkeypatch):
    f, best, _, found = programmes(*sample(2, 120, 5, shift=0.2), 0.0)
    s, rough = f.data.scores(best), Programmes._solve
    exact = found.vertex(best, s, 120)

    def disturbed(self, frame, near, c):
        shares, weights = rough(self, frame, near, c)
        return 0.999 * shares, weights

    monkeypatch.setattr(Programmes, "_correct_sums", lambda *args: None)
    monkeypatch.setattr(Programmes, "_solve", disturbed)
    assert found.vertex(best, s, 120).below < exact.below - 1e-4


def test_a_programme_that_takes_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr(certificate, "LONG", 0.0)
    monkeypatch.setattr(certificate, "LAST", 0.0)
    monkeypatch.setattr(LowerBound, "is_due", lambda self: False)
    run = solve(get_solver("aum", early_stopping=False), DATA, passes=20_000)
    assert run.stop is Stop.STALLED
    assert run.points[-1].gap == pytest.approx(run.points[-1].objective)  # above 0, all there is


# --- cuts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("early_stopping", [True, False])
def test_the_published_direction_jams_where_cuts_go_on_and_has_a_gap(early_stopping):
    data = Data.of(np.round(X), Y)
    one, many = (
        solve(get_solver("aum", memory=m, early_stopping=early_stopping), data, passes=500)
        for m in (1, 30)
    )
    f, best, *_ = programmes(np.round(X), Y, 0.0)
    missing = one.points[-1].objective - f.value(best)
    assert one.stop is Stop.STALLED
    assert missing > 1e-4
    assert one.points[-1].gap == pytest.approx(missing, abs=1e-9)
    if not early_stopping:
        assert many.points[-1].objective - f.value(best) < 0.05 * missing
