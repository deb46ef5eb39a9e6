"""The search of `fit`: which settings are tried, how far it goes, and which of them is taken."""

import numpy as np
import pytest

from aucbench.data import Data
from aucbench.errors import DataError, UnsupportedError
from aucbench.models import choosing
from aucbench.models.choosing import Search, SolverPath, complexity, divide_rows, paths_of
from aucbench.models.options import FitOptions
from aucbench.models.recipe import Recipe
from aucbench.models.trials import Trier
from aucbench.options import make_options
from aucbench.registry.specs import parse_spec

N = 400


def rows(rng, *, curved=False):
    X = rng.normal(size=(N, 4))
    signal = X[:, 0] * X[:, 1] if curved else X[:, 0]
    return Data.of(X, np.where(2.0 * signal + rng.logistic(size=N) > 0, 1, -1))


def trier(data, **more):
    parts, _ = divide_rows(FitOptions(), data)
    return Trier(data=data, splits=parts, recipe=Recipe(solver=""), **more)


def comparison(data, *specs, work=choosing.WORK, **more):
    paths = tuple(SolverPath(tuple(map(parse_spec, path))) for path in specs)
    return Search(trier=trier(data, **more), paths=paths, work=work).run()


LINEAR, TREES = ["logistic"], ["lightgbm[num_leaves=7]"]


def test_the_simpler_score_is_taken_unless_another_is_distinguishable():
    linear = comparison(rows(np.random.default_rng(0)), TREES, LINEAR)
    assert str(linear.chosen.point) == "logistic"
    curved = comparison(rows(np.random.default_rng(1), curved=True), TREES, LINEAR)
    assert curved.chosen is curved.best
    assert str(curved.chosen.point) == "lightgbm[num_leaves=7]"
    assert curved.behind(curved.trials[1]) > choosing.CLOSE
    kinds = [complexity(trial.fits[0].model) for trial in curved.trials]
    assert kinds == [2, 0]


def test_neighbours_are_tried_only_of_solvers_that_may_still_win():
    path = ["logistic", "logistic[C=0.1]", "logistic[C=0.01]"]
    data = rows(np.random.default_rng(1), curved=True)
    assert [str(trial.point) for trial in comparison(data, path, TREES).trials] == [path[0], *TREES]
    alone = comparison(data, path)
    assert [str(trial.point) for trial in alone.trials][:2] == path[:2]


def test_work_is_a_limit_that_never_cuts_the_first_round():
    path = ["logistic", "logistic[C=0.1]"]
    cut = comparison(rows(np.random.default_rng(0)), path, work=1.0)
    assert [str(trial.point) for trial in cut.trials] == ["logistic"]
    assert "1 setting(s) were left to try" in cut.stopped
    assert comparison(rows(np.random.default_rng(0)), path).stopped == ""


def test_threads_and_the_order_of_solvers_change_no_score():
    data = rows(np.random.default_rng(2))
    one = comparison(data, LINEAR, TREES)
    two = comparison(data, TREES, LINEAR, jobs=2)
    for trial, same in zip(one.trials, two.trials[::-1], strict=True):
        for part, other in zip(trial.fits, same.fits, strict=True):
            assert np.array_equal(part.scores, other.scores)


def test_a_solver_that_cannot_is_left_out_unless_it_was_asked_for():
    data = rows(np.random.default_rng(0))
    weighted = Data.of(data.rows, data.y, weights=np.ones(N) + np.arange(N) % 2)
    found = comparison(weighted, LINEAR, ["sht-auc"])
    assert [str(trial.point) for trial in found.trials] == LINEAR
    assert [(one.solver, str(one.place)) for one in found.candidates()][-1] == ("sht-auc", "failed")
    with pytest.raises(UnsupportedError, match="weights"):
        comparison(weighted, ["sht-auc"], required=True)
    with pytest.raises(DataError, match="no solver could be fitted"):
        comparison(weighted, ["sht-auc"])


def test_a_wide_table_tries_sparse_weights_and_a_long_one_larger_trees():
    def names(n, d):
        data = Data.of(np.zeros((n, d)) + np.arange(d), np.arange(n) % 2)
        return {path.points[0].name: path for path in paths_of(FitOptions(), data)}

    assert "sht-auc" in names(40, 20)
    assert "sht-auc" not in names(40, 5)
    short, long = (names(n, 1)["lightgbm"] for n in (40, 20_000))
    assert long.start == short.start + 1


def test_tuned_solvers_have_a_path_along_their_first_axis():
    options = make_options(FitOptions, {"solver": "logistic,svm-or[lam=0.1]", "tune": True}, "fit")
    free, fixed = paths_of(options, rows(np.random.default_rng(0)))
    assert [str(spec) for spec in free.points[2:5]] == [
        "logistic[C=0.1]",
        "logistic",
        "logistic[C=10.0]",
    ]
    assert len(fixed.points) == 1
