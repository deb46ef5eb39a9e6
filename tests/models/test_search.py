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


def rows(seed, *, curved=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 4))
    signal = X[:, 0] * X[:, 1] if curved else X[:, 0]
    return Data.of(X, np.where(2.0 * signal + rng.logistic(size=N) > 0, 1, -1))


LINE, CURVE = rows(0), rows(1, curved=True)
LINEAR, TREES = ["logistic"], ["lightgbm[num_leaves=7]"]
PATH = ["logistic", "logistic[C=0.1]", "logistic[C=0.01]"]


def comparison(data, *specs, work=choosing.WORK, **more):
    paths = tuple(SolverPath(tuple(map(parse_spec, path))) for path in specs)
    parts, _ = divide_rows(FitOptions(), data)
    trier = Trier(data=data, splits=parts, recipe=Recipe(solver=""), **more)
    return Search(trier=trier, paths=paths, work=work).run()


def points(found):
    return [str(trial.point) for trial in found.trials]


def test_the_simpler_score_is_taken_unless_another_is_distinguishable():
    assert str(comparison(LINE, TREES, LINEAR).chosen.point) == "logistic"
    curved = comparison(CURVE, TREES, LINEAR)
    assert curved.chosen is curved.best
    assert str(curved.chosen.point) == "lightgbm[num_leaves=7]"
    assert curved.behind(curved.trials[1]) > choosing.CLOSE
    assert [complexity(trial.fits[0].model) for trial in curved.trials] == [2, 0]


def test_neighbours_are_tried_only_of_solvers_that_may_still_win():
    assert points(comparison(CURVE, PATH, TREES)) == [PATH[0], *TREES]
    assert points(comparison(CURVE, PATH))[:2] == PATH[:2]


def test_work_is_a_limit_that_never_cuts_the_first_round():
    cut = comparison(LINE, PATH[:2], work=1.0)
    assert points(cut) == ["logistic"]
    assert "1 setting(s) were left to try" in cut.stopped
    assert comparison(LINE, PATH[:2]).stopped == ""


def test_threads_and_the_order_of_solvers_change_no_score():
    one, two = comparison(LINE, LINEAR, TREES), comparison(LINE, TREES, LINEAR, jobs=2)
    for trial, same in zip(one.trials, two.trials[::-1], strict=True):
        for part, other in zip(trial.fits, same.fits, strict=True):
            assert np.array_equal(part.scores, other.scores)


def test_a_solver_that_cannot_is_left_out_unless_it_was_asked_for():
    weighted = Data.of(LINE.rows, LINE.y, weights=np.ones(N) + np.arange(N) % 2)
    found = comparison(weighted, LINEAR, ["sht-auc"])
    assert points(found) == LINEAR
    assert [(one.solver, str(one.place)) for one in found.candidates()][-1] == ("sht-auc", "failed")
    with pytest.raises(UnsupportedError, match="weights"):
        comparison(weighted, ["sht-auc"], required=True)
    with pytest.raises(DataError, match="no solver"):
        comparison(weighted, ["sht-auc"])


def test_paths_follow_the_shape_of_the_table_and_what_was_asked():
    def names(n, d):
        data = Data.of(np.zeros((n, d)) + np.arange(d), np.arange(n) % 2)
        return {path.points[0].name: path for path in paths_of(FitOptions(), data)}

    assert "sht-auc" in names(40, 20)  # sparse weights of a wide table
    assert "sht-auc" not in names(40, 5)
    short, long = (names(n, 1)["lightgbm"] for n in (40, 20_000))
    assert long.start == short.start + 1  # larger trees of a long one
    options = make_options(FitOptions, {"solver": "logistic,svm-or[lam=0.1]", "tune": True}, "fit")
    free, fixed = paths_of(options, LINE)
    along = ["logistic[C=0.1]", "logistic", "logistic[C=10.0]"]
    assert [str(spec) for spec in free.points[2:5]] == along
    assert len(fixed.points) == 1
