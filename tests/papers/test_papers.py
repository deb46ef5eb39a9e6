"""The experiments of the source papers, on rows few enough for a test."""

from dataclasses import fields
from math import comb
from pathlib import Path

import numpy as np
import pytest

from aucbench.aum import Breakpoints, aum_loss, first_min
from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.datasets import load
from aucbench.errors import DataError
from aucbench.features import AppendOne
from aucbench.objectives import IntervalHinge
from aucbench.papers.aum import Figure5Row, Figure6Row, figure5, figure6
from aucbench.papers.aum.descents import figure_5 as five
from aucbench.papers.aum.descents import figure_6 as six
from aucbench.papers.aum.descents.figure_6 import best_of_path, l1_path

N = 30
SEARCHES = five.FIGURE5_SEARCHES
POSITIVE = np.arange(N) % 3 > 0


def noise(n=200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X, positive = rng.standard_normal((n, d)), np.arange(n) % 4 > 0
    return Data.of(X + 0.5 * positive[:, None], positive)


def line(seed, errors="count"):
    s, v = np.random.default_rng(seed).standard_normal((2, N))
    counts = Breakpoints.of_labels(POSITIVE, errors)
    return five.ScoreLine(counts, s, v)


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
def test_the_first_minimum_is_that_of_all_events_for_labels(seed):
    at = line(seed)
    (first, visited), (length, events) = (SEARCHES[name](at) for name in ("first_min", "quadratic"))
    assert first == pytest.approx(length, rel=1e-12)
    assert visited <= events <= comb(N, 2)


@pytest.mark.parametrize("seed", range(20))
def test_linear_visits_as_many_events_as_there_are_rows_or_all(seed):
    at = line(seed)
    assert SEARCHES["linear"](at)[1] == min(N, SEARCHES["quadratic"](at)[1])


@pytest.mark.parametrize("seed", range(5))
def test_the_search_without_a_sweep_finds_the_same_step_and_no_events(seed):
    at = line(seed, "rate")
    length, events = five.by_exact(at)
    assert length == pytest.approx(first_min(at.lines).step, rel=1e-9)
    assert events is None
    with pytest.raises(DataError, match="rates of labels"):
        five.by_exact(line(seed))


def test_figure_5_has_a_row_for_each_descent_that_takes_part():
    found = figure5(noise(), [16, N], [0, 1], quadratic_to=16)
    assert all(isinstance(row, Figure5Row) for row in found)
    runs = [run for run in five.RUNS if run[1] != "quadratic"]
    expected = [(16, s, *run) for s in (0, 1) for run in five.RUNS]
    expected += [(N, s, *run) for s in (0, 1) for run in runs]
    assert [(row.n, row.seed, row.errors, row.search) for row in found] == expected
    for row in found:
        assert row.most_events == comb(row.n, 2)
        assert (row.events is None) == (row.search == "exact")
        assert row.aum_end < row.aum_start
        assert row.steps >= 1
        assert row.ended


def test_all_searches_of_figure_5_start_alike_and_first_min_ends_as_quadratic():
    found = {(row.errors, row.search): row for row in figure5(noise(), [N], [3])}
    first, all_ = found["count", "first_min"], found["count", "quadratic"]
    assert {row.aum_start for (errors, _), row in found.items() if errors == "count"} == {
        first.aum_start
    }
    assert first.aum_end == pytest.approx(all_.aum_end, rel=1e-6)
    assert first.events < all_.events
    assert found["count", "linear"].events <= N


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
    found = figure6(changepoints(), [1], [0], repeats=1)
    assert all(isinstance(row, Figure6Row) for row in found)
    methods = [*six.PUBLISHED, six.OURS]
    assert [(row.start, row.method) for row in found] == [
        (name, method) for name in six.STARTS for method in methods
    ]
    for row in found:
        assert (row.fold, row.seed) == (1, 0)
        assert row.valid_auc >= row.valid_auc_start
        assert row.aum_end <= row.aum_start * (1 + 1e-12)
        assert row.seconds > 0.0
        assert row.ended
    for name in six.STARTS:
        assert len({row.aum_start for row in found if row.start == name}) == 1


def test_a_published_step_goes_against_the_mean_of_the_derivatives():
    data = changepoints()
    f, w = six.Aum(data), np.random.default_rng(5).standard_normal(3)
    after = next(six._published(f, w, "first_min"))
    p = data.pullback(aum_loss(data.breakpoints.rates, data.scores(w)).gradient)
    assert abs((w - after) @ p) == pytest.approx(np.linalg.norm(w - after) * np.linalg.norm(p))
    assert f.value(after) < f.value(w)


def test_figure_6_of_the_published_set(data_folder):
    data = load(data_folder / "chipseq-H3K4me3_TDH_immune.errors.csv.xz")
    found = figure6(data, [0], [0], most=2, repeats=1)
    assert {row.method for row in found} == {*six.PUBLISHED, six.OURS}
    assert all(row.valid_auc_start > 0.9 for row in found if row.start == "surrogate")


@pytest.mark.parametrize(
    ("name", "record"), [("aum_figure5", Figure5Row), ("aum_figure6", Figure6Row)]
)
def test_the_published_table_has_the_columns_of_the_record(name, record):
    folder = Path(__file__).resolve().parents[2] / "docs" / "data"
    header, *lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    assert header.split(",") == [field.name for field in fields(record)]
    assert len(lines) > 100
