"""Programmes of the rows near the threshold: their bounds hold, their vertices are optima."""

import numpy as np
import optima
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.objectives import Aum
from aucbench.records import Stop
from aucbench.registry import get_dataset, get_features, get_solver
from aucbench.solving.loop import begin, solve
from aucbench_plugins.aum import certificate
from aucbench_plugins.aum.certificate import LowerBound, Programmes


def sample(n=120, d=5, seed=2, scale=1.0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    return scale * (rng.normal(size=(n, d)) + 0.4 * (y > 0)[:, None]), y


def programmes(X, y, margin, layout=np.asarray):
    data = Data.of(layout(X), y)
    normal = None if margin else X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    f = Aum(data, margin)
    return f, normal, Programmes(data, f.shift, normal)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("margin", [0.0, 1.0])
@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize(("n", "d"), [(120, 5), (12, 40)])
def test_all_rows_give_the_optimum_and_prove_it(layout, margin, scale, n, d):
    X, y = sample(n, d, scale=scale)
    f, normal, found = programmes(X, y, margin, layout)
    start = optima.least_aum(X, y, margin, normal) * 0.9

    vertex = found.vertex(start, f.data.scores(start) - f.shift, n)

    least = f.value(optima.least_aum(X, y, margin, normal))
    assert f.value(vertex.w) == pytest.approx(least, abs=1e-9)
    assert vertex.below == pytest.approx(least, abs=1e-9)
    assert vertex.below <= least + 1e-12


@pytest.mark.parametrize("margin", [0.0, 1.0])
@pytest.mark.parametrize("count", [30, 60, 119])
def test_a_few_rows_bound_it_from_other_weights(count, margin):
    X, y = sample()
    f, normal, found = programmes(X, y, margin)
    best = optima.least_aum(X, y, margin, normal)
    least = f.value(best)
    rng = np.random.default_rng(count)

    bounds = []
    for size in np.geomspace(0.01, 3.0, 30):
        w = best + size * rng.normal(size=5)
        w = w / (normal @ w) if normal is not None else w
        vertex = found.vertex(w, f.data.scores(w) - f.shift, count)
        if vertex is not None:
            bounds.append(vertex.below)
    assert len(bounds) > 3
    assert max(bounds) <= least + 1e-12
    assert max(bounds) > 0.9 * least


def test_too_few_rows_bound_nothing():
    X, y = sample()
    f, _, found = programmes(X, y, 1.0)
    w = np.ones(5)

    assert found.vertex(w, f.data.scores(w) - f.shift, 2) is None


def test_what_the_programme_leaves_is_taken_off_the_bound(monkeypatch):
    X, y = sample()
    f, normal, found = programmes(X, y, 0.0)
    w = optima.least_aum(X, y, 0.0, normal)
    s = f.data.scores(w)
    exact = found.vertex(w, s, 120)
    monkeypatch.setattr(Programmes, "_correct_sums", lambda *args: None)
    rough = Programmes._solve

    def disturbed(self, frame, near, c):
        shares, weights = rough(self, frame, near, c)
        return 0.999 * shares, weights

    monkeypatch.setattr(Programmes, "_solve", disturbed)
    assert found.vertex(w, s, 120).below < exact.below - 1e-4


def test_error_functions_and_free_scale_have_no_programme():
    X, y = sample()
    f = Aum(Data.of(X, y))

    free = LowerBound.of(f, None)
    assert free.programmes is None
    assert free.below == 0.0
    assert free.gap(np.ones(5), 0.25) == pytest.approx(0.25)
    assert not free.is_due()
    assert not free.is_too_expensive()


def test_a_programme_that_takes_too_long_is_left_out(monkeypatch):
    X, y = sample()
    monkeypatch.setattr(certificate, "LONG", 0.0)
    monkeypatch.setattr(certificate, "LAST", 0.0)
    monkeypatch.setattr(LowerBound, "is_due", lambda self: False)

    run = solve(get_solver("aum", early_stopping=False), Data.of(X, y), passes=20_000)

    assert run.stop is Stop.STALLED
    assert run.points[-1].gap == pytest.approx(run.points[-1].objective)  # above 0, all there is


def test_the_published_direction_is_told_what_it_lacks():
    X, y = sample()
    data = Data.of(np.round(X), y)
    normal = begin(get_solver("aum"), data)[0].project.normal
    least = Aum(data).value(optima.least_aum(np.round(X), y, 0.0, normal))

    shown = solve(get_solver("aum", memory=1), data, passes=500)
    latest = solve(get_solver("aum", memory=1, early_stopping=False), data, passes=500)

    assert {shown.stop, latest.stop} == {Stop.STALLED}
    for run in (shown, latest):
        missing = run.points[-1].objective - least
        assert missing > 1e-4
        assert run.points[-1].gap == pytest.approx(missing, abs=1e-9)


def test_the_published_direction_leaves_a_start_at_zero():
    data = get_dataset("breast-cancer")
    data = data.with_rows(get_features("standard").fit(data, np.random.default_rng(0))(data.rows))
    run = solve(get_solver("aum-margin", memory=1, early_stopping=False), data, passes=20)

    assert run.points[-1].objective < 0.5 * run.points[0].objective
