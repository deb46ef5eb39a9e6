"""Defaults that are derived from the rows: ridges, k, landmarks and maps."""

import numpy as np
import pytest
from layouts import LAYOUTS
from refusals import assert_refused, refusals
from samples import data, sample
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.errors import DataError, ParameterError
from aucbench.features import Automatic, MaxAbs, Standard
from aucbench.optim import default_l1, default_ridge, pair_square
from aucbench.projectors import ridge_of
from aucbench.registry import get_features, get_solver
from aucbench.solving.loop import begin, solve


@LAYOUTS
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_the_mean_square_distance_is_that_of_all_pairs(layout, offset):
    X, y = sample(offset=offset)
    apart = X[y > 0][:, None, :] - X[y < 0][None, :, :]
    found = pair_square(Data.of(layout(X), y), "lam")
    assert found == pytest.approx((apart**2).sum(axis=2).mean(), rel=1e-9)


def test_the_ridge_is_the_noise_of_the_difference_of_means():
    rows = data()
    noise = pair_square(rows, "lam") * (1 / (rows.y > 0).sum() + 1 / (rows.y < 0).sum())
    assert default_ridge(rows) == pytest.approx(0.3 * noise)
    assert default_l1(rows) == pytest.approx(0.2 * np.sqrt(noise / 8))
    without_length = Data.of(np.zeros((4, 2)), [1, -1, 1, -1])
    assert default_ridge(without_length) == pytest.approx(0.3)


@refusals(
    ("long rows", lambda: default_ridge(Data.of(np.full((4, 2), 1e200), [1, -1, 1, -1])), DataError,
     "give lam"),
    *((f"lam of {name}", lambda name=name: get_solver(name, lam="some"), ParameterError, "auto")
      for name in ("svm-or", "ls-svm", "spdam", "roc-svm-nystrom")),
    ("k", lambda: get_solver("sht-auc", k="most"), ParameterError, "auto"),
    ("a map before its fit", lambda: Automatic()(data().rows), ParameterError, "learnt"),
)  # fmt: skip
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)


@pytest.mark.parametrize("name", ["svm-or", "ls-svm", "spdam"])
def test_auto_is_one_of_the_ridges_around_the_derived_one(name):
    rows = data(n=200)
    lam = ridge_of(begin(get_solver(name, lam="auto"), rows)[0])
    exponent = 2 * np.log10(lam / default_ridge(rows))
    assert exponent == pytest.approx(round(exponent), abs=1e-9)
    assert -4 <= round(exponent) <= 2


def test_k_is_chosen_by_held_rows_and_is_d_where_they_are_few():
    X, y = sample(1, n=2000, d=160, shift=0.0)
    X[:, 7] += 2.0 * y  # all others are noise
    solver = get_solver("sht-auc")
    sparse = begin(solver, Data.of(X, y))[0].project.k
    few = begin(solver, Data.of(X[:50], y[:50]))[0].project.k
    assert sparse in (10, 40)
    assert few == 160


def test_auto_standardises_dense_rows_and_keeps_the_zeros_of_sparse_ones():
    X, y = sample()
    X[X < 0] = 0.0
    for layout, phi in ((np.asarray, Standard()), (csr_array, MaxAbs())):
        rows, rng = Data.of(layout(X), y), np.random.default_rng(0)
        ours, theirs = (m.fit(rows, rng)(rows.rows) for m in (get_features("auto"), phi))
        assert ours.is_sparse == theirs.is_sparse
        np.testing.assert_array_equal(ours.stored, theirs.stored)


def test_methods_for_one_pass_make_one_unless_told():
    assert solve(get_solver("oam-gra"), data()).points[-1].passes == 1.0
    assert solve(get_solver("oam-gra"), data(), passes=3).points[-1].passes == 3.0
    assert solve(get_solver("solam"), data()).points[-1].passes == 50.0
