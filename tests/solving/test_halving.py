"""The tuner within a limit: rungs, what climbs them, and when it ends."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from samples import data

from aucbench.data import Data
from aucbench.data.folds import drawn_parts
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.optim.trials import Failure, Fit, Trial, first_best, try_on_folds
from aucbench.registry import get_solver
from aucbench.solving import halving
from aucbench.solving.halving import ALL_POINTS, TIME, WORK, Halving, Rung, in_order, rungs_of
from aucbench.solving.loop import solve
from aucbench.solving.points import chains, few, points_in
from aucbench.solving.tuning import fit_and_judge


def searched(monkeypatch, values, seconds=1e9, *, timed=True):
    """A search with a clock on which a fit to m rows lasts m / 1000 seconds, or 1000 m of work."""
    now, n = [0.0], 1000
    monkeypatch.setattr(halving, "perf_counter", lambda: now[0])

    def fitted(value, fold, _):
        """Fit nothing: the score is the value, less so on few rows."""
        rows = fold[0].n
        cost = {"seconds": rows / 1000, "work": 1e3 * rows}
        now[0] += rows / 1000
        if value == "broken":
            return Failure(reason="no such value", **cost), None
        return Fit(score=value - 1.0 / rows, **cost), None

    X = np.zeros((n, 1))
    whole = Data.of(X, np.arange(n) % 2)
    asked = []

    def folded(fold, rows):
        asked.append((fold, rows))
        return whole.take(np.arange(rows)), whole

    trials = [Trial(value) for value in values]
    rungs = (Rung(100, 1), Rung(300, 1), Rung(900, 1), Rung(900, 3))
    limit = seconds if timed else 1e6 * seconds
    search = Halving(trials, rungs, folded, fitted, limit, n, timed=timed)
    return search.search(), search, asked


def test_the_best_of_each_rung_climb_and_the_default_climbs_first(monkeypatch):
    values = [0.5, *np.random.default_rng(0).permutation(np.linspace(0.1, 0.9, 26))]
    found, search, asked = searched(monkeypatch, values)
    heights = {trial.point: len(trial.levels) for trial in search.trials}
    assert (found.ended, found.tried, found.points) == (ALL_POINTS, 27, 27)
    assert first_best(search.trials).point == pytest.approx(0.9)
    assert heights[0.5] == 4
    assert sum(height >= 2 for height in heights.values()) >= 27 // 3
    assert sum(heights.values()) < 27 * 4 / 2
    assert len(asked) == len({*asked}) == 5  # each fold is mapped once
    assert [len(level) for level in search.trials[0].levels] == [1, 1, 1, 3]


@pytest.mark.parametrize(("timed", "unit", "ended"), [(True, 1.0, TIME), (False, 1e6, WORK)])
def test_it_ends_before_its_limit_and_has_an_answer(monkeypatch, timed, unit, ended):
    values = [0.5, *np.linspace(0.1, 0.9, 60)]
    found, search, _ = searched(monkeypatch, values, seconds=9.0, timed=timed)
    assert found.ended == ended
    assert 1 < found.tried < 61
    assert found.spent / unit + 1.0 <= 9.0  # with the last fit, to 1000 rows
    assert len(first_best(search.trials).levels) == 4
    again, other, _ = searched(monkeypatch, values, seconds=9.0, timed=timed)
    assert again == found
    assert first_best(other.trials).point == first_best(search.trials).point


def test_the_first_fit_is_done_even_without_time_but_not_with_far_too_little_work(monkeypatch):
    found, search, _ = searched(monkeypatch, [0.5, 0.6], seconds=1e-9)
    assert (found.ended, found.tried) == (TIME, 1)
    assert first_best(search.trials).point == 0.5
    with pytest.raises(UnsupportedError, match=r"4\.0 times"):  # of the work that is allowed
        searched(monkeypatch, [0.5, 0.6], seconds=0.025, timed=False)


def test_a_point_that_fails_ends_alone(monkeypatch):
    found, search, _ = searched(monkeypatch, ["broken", 0.4, "broken", 0.7])
    assert (found.ended, found.tried) == (ALL_POINTS, 4)
    assert first_best(search.trials).point == 0.7
    assert first_best(searched(monkeypatch, ["broken"])[1].trials) is None


@pytest.mark.parametrize(
    ("n", "d", "rare", "rows"),
    [
        (600, 5, 200, [600, 600]),
        (3500, 5, 900, [1166, 3500, 3500]),
        (100_000, 30, 10_000, [3333, 10_000, 30_000, 30_000]),
        (100_000, 30, 1000, [10_000, 30_000, 30_000]),
        (3500, 100_000, 900, [1000, 1000]),
        (40, 2, 0, [40, 40]),
    ],
)
def test_rungs_have_enough_rows_of_the_rarer_class_and_fit_into_memory(n, d, rare, rows):
    rungs = rungs_of(n, d, rare, 3)
    assert [rung.rows for rung in rungs] == rows
    assert [rung.folds for rung in rungs] == [*[1] * (len(rows) - 1), 3]


def test_every_beginning_of_the_order_has_the_shares_of_the_classes():
    y = np.where(np.arange(5000) % 50 == 0, 1, -1)
    order = in_order(y, seed=3)
    assert sorted(order) == [*range(5000)]
    for m in (100, 500, 1234, 5000):
        assert abs(np.count_nonzero(y[order[:m]] > 0) - m / 50) <= 2
    assert np.array_equal(order, in_order(y, seed=3))
    assert not np.array_equal(order, in_order(y, seed=4))


# --- the points that are tried, and one trial after another --------------------------------


def test_the_default_comes_first_and_all_points_of_lists_once_in_chains_along_a_path():
    solver = get_solver("roc-svm", lam=0.1, step=7.0)
    grid = few("roc-svm", {"lam": (1.0, 0.1, 0.01), "step": (1.0, 2.0)})
    points = points_in(solver, [grid], 99, published=True)
    assert points[0].values == {"lam": 0.1, "step": 7.0}  # off the published axes
    listed = [(*point.values.values(),) for point in points]
    assert {*product(*grid.values())} < {*listed}
    assert len({*listed}) == len(listed) == 9  # six, and the path of the default
    within = points_in(solver, [grid], 3, published=False)
    assert [point.values["step"] for point in within[:1]] == [2.0]
    assert [len(chain) for chain in chains(points, "lam")] == [3, 3, 3]
    with pytest.raises(ParameterError, match="21 axes"):
        few("roc-svm", dict.fromkeys(map(str, range(21)), (1, 2)))


def test_trials_along_a_path_are_judged_by_held_out_rows():
    rows, trials = data(n=90, kind="classes"), [Trial({"lam": lam}) for lam in (10, 0.1)]
    fitted = partial(fit_and_judge, lambda point: get_solver("svm-or", **point), solve)
    try_on_folds([trials], [*drawn_parts(rows, 3, 0)], lambda fold: fold, fitted)
    assert first_best(trials) is max(trials, key=lambda trial: trial.mean)
    assert all(0.6 < trial.mean < 1.0 for trial in trials)
