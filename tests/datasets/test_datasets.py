from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_digits

from aucbench.data import Data
from aucbench.datasets import (
    breast_cancer,
    digits,
    linear,
    outbreak,
    outbreak_support,
    radial,
    true_scores,
)
from aucbench.datasets.registered import aucbench_datasets
from aucbench.datasets.simulated import OFFSETS
from aucbench.errors import DataError, ParameterError, UnknownNameError

SIMULATIONS = {"linear": linear, "radial": radial}


def pair_auc(y, scores):
    n_pos, n_neg = (y > 0).sum(), (y < 0).sum()
    return (stats.rankdata(scores)[y > 0].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def test_embedded_sets_are_those_of_scikit_learn():
    for found, bunch, positive in [
        (breast_cancer(), load_breast_cancer(), 0),
        (digits(8), load_digits(), 8),
    ]:
        np.testing.assert_array_equal(found.rows.matrix, bunch.data)
        np.testing.assert_array_equal(found.y, np.where(bunch.target == positive, 1, -1))
        assert found.names == tuple(bunch.feature_names)


def test_every_registered_data_set_loads_without_arguments_and_explains_itself():
    for name, factory in aucbench_datasets().items():
        assert isinstance(factory(), Data), name
        assert inspect.getdoc(factory), name


def test_outbreak_shifts_the_positives_on_its_support_only():
    parameters = {"k": 15, "r": 0.3, "n": 4000, "d": 60, "mu": 0.3, "seed": 3}
    data, support = outbreak(**parameters), outbreak_support(**parameters)
    X, positive = data.rows.matrix, data.y > 0
    rest = np.setdiff1d(np.arange(60), support)
    shift = X[positive].mean(axis=0) - X[~positive].mean(axis=0)

    assert (data.n, data.d, data.target.n_pos) == (4000, 60, 1200)
    assert support.size == 15
    assert (np.diff(support) > 0).all()
    np.testing.assert_allclose(shift[support], 0.3, atol=0.14)  # 4 standard errors
    np.testing.assert_allclose(shift[rest], 0.0, atol=0.14)
    np.testing.assert_allclose(X.std(axis=0), 1, atol=0.06)


@pytest.mark.parametrize("name", SIMULATIONS)
def test_the_offset_leaves_exactly_four_fifths_negative(name):
    noisy = {"linear": stats.norm(scale=np.sqrt(3)), "radial": stats.exponnorm(2)}[name]

    assert noisy.cdf(-OFFSETS[name]) == pytest.approx(0.8, abs=1e-12)


@pytest.mark.parametrize(("name", "auc"), [("linear", 0.90809), ("radial", 0.96471)])
def test_the_true_scores_have_the_population_auc(name, auc):
    data = SIMULATIONS[name](200_000, seed=1)

    assert (data.y < 0).mean() == pytest.approx(0.8, abs=0.004)
    assert pair_auc(data.y, true_scores(name, data.rows)) == pytest.approx(auc, abs=0.003)


@pytest.mark.parametrize("name", SIMULATIONS)
def test_simulations_repeat_for_one_seed(name):
    first, again, other = (SIMULATIONS[name](100, seed) for seed in (7, 7, 8))

    np.testing.assert_array_equal(first.rows.stored, again.rows.stored)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.rows.stored, other.rows.stored)
    with pytest.raises(ParameterError, match="n must be at least 2"):
        SIMULATIONS[name](1)


def test_true_scores_are_f():
    X = [[1.0, 2.0], [-3.0, 0.5]]

    np.testing.assert_array_equal(true_scores("linear", X), [3.0, -2.5])
    np.testing.assert_array_equal(true_scores("radial", X), [5.0, 9.25])
    with pytest.raises(DataError, match="has 3 columns"):
        true_scores("radial", np.ones((2, 3)))
    with pytest.raises(UnknownNameError, match="did you mean 'radial'"):
        true_scores("radia", X)


def test_importing_the_data_sets_does_not_import_the_heavy_packages():
    program = (
        "import aucbench.datasets, aucbench.features, sys;"
        "print([m for m in ('sklearn', 'pandas', 'pooch', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
