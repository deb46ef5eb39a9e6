"""The descents of the AUM paper, on rows few enough for a test."""

from math import comb

import numpy as np
import pytest

from aucbench.aum import Breakpoints, Lines, aum_loss, best_min, first_min
from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.data.summaries import breakpoints_of
from aucbench.datasets import load
from aucbench.features import AppendOne
from aucbench.objectives import IntervalHinge
from aucbench.papers.descents import figure_5 as five
from aucbench.papers.descents import figure_6 as six
from aucbench.papers.descents.figure_6 import best_of_path, l1_path

N = 30


def noise(n=200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X, positive = rng.standard_normal((n, d)), np.arange(n) % 4 > 0
    return Data.of(X + 0.5 * positive[:, None], positive)


def changepoints(n=60, seed=0):
    """Sequences whose fewest errors are around -x_0."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    middle = X[:, 0] + 0.3 * rng.standard_normal(n)
    edges = np.c_[np.full(n, -np.inf), middle - 1, middle + 1]
    target = Breakpoints.of_penalties(
        np.repeat(np.arange(n), 3),
        edges.ravel(),
        np.tile([2.0, 0.0, 0.0], n),
        np.tile([0.0, 0.0, 3.0], n),
        denominator="count",
    )
    return Data(rows(X), target, folds=(np.arange(n) % 3).astype(np.int32))


@pytest.mark.parametrize("seed", range(20))
def test_the_searches_of_labels_visit_what_the_paper_says(seed):
    s, v = np.random.default_rng(seed).standard_normal((2, N))
    lines = Lines.of(Breakpoints.of_labels(np.arange(N) % 3 > 0, "count"), s, v)
    first, all_, linear = first_min(lines), best_min(lines), best_min(lines, max_events=N)
    assert first.step == pytest.approx(all_.step, rel=1e-12)
    assert first.events <= all_.events <= comb(N, 2)
    assert linear.events == min(N, all_.events)


def test_figure_5_has_a_row_for_each_descent_that_takes_a_step():
    few = five.measure_descents(noise(), n=N, seed=1, searches=["first_min", "linear"])["rows"]
    assert [row["method"] for row in few] == ["first_min", "linear"]
    first, linear, all_ = five.measure_descents(noise(), n=N, seed=3)["rows"]
    assert [row["method"] for row in (first, linear, all_)] == [*five.SEARCHES]
    assert first["steps"] == all_["steps"] >= 1
    assert first["events"] < all_["events"]
    assert linear["events"] <= N
    apart = Data.of(np.arange(10.0)[:, None], np.arange(10) > 4)
    assert five.measure_descents(apart, n=10, seed=0)["rows"] == []


def test_the_loss_falls_along_the_path_and_the_start_is_its_best():
    train, validation = (
        IntervalHinge(data.with_rows(AppendOne()(data.rows)))
        for data in (changepoints(), changepoints(seed=1))
    )
    path = list(l1_path(train))
    losses = [train.value(w) for w in path]
    assert np.all(np.diff(losses) < 0.0)
    np.testing.assert_array_equal(path[0][:-1], 0.0)
    assert path[-1][0] < -0.5  # the larger the feature, the larger the penalty
    best = best_of_path(changepoints(), changepoints(seed=1))
    np.testing.assert_array_equal(best, min(path, key=validation.value)[:-1])


def test_figure_6_has_a_row_for_each_method_and_start():
    found = six.measure_descents(changepoints(), fold=1, seed=0, repeats=1)["rows"]
    assert [(row["start"], row["method"]) for row in found] == [
        (name, method) for name in six.STARTS for method in ("at the start", *six.METHODS)
    ]
    for name in six.STARTS:
        start, *rows = (row for row in found if row["start"] == name)
        assert (start["steps"], start["seconds"]) == (None, None)
        for row in rows:
            assert row["valid_auc"] >= start["valid_auc"]
            assert row["aum"] <= start["aum"] * (1 + 1e-12)
            assert row["seconds"] is None or row["seconds"] > 0.0


def test_a_published_step_goes_against_the_mean_of_the_derivatives():
    data = changepoints()
    f, w = six.Aum(data), np.random.default_rng(5).standard_normal(3)
    after = next(six._published(f, w, "first_min"))
    p = data.pullback(aum_loss(breakpoints_of(data).rates, data.scores(w)).gradient)
    assert abs((w - after) @ p) == pytest.approx(np.linalg.norm(w - after) * np.linalg.norm(p))
    assert f.value(after) < f.value(w)


def test_figure_6_of_the_published_set(data_folder, monkeypatch):
    monkeypatch.setattr(six, "MOST", 2)
    data = load(data_folder / "chipseq-H3K4me3_TDH_immune.errors.csv.xz")
    found = six.measure_descents(data, fold=0, seed=0, repeats=1)["rows"]
    [start] = [
        row for row in found if (row["start"], row["method"]) == ("surrogate", "at the start")
    ]
    assert start["valid_auc"] > 0.9
