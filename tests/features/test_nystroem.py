"""Nyström features: the kernel they approximate, their landmarks, and rows in chunks."""

import numpy as np
import pytest
from layouts import LAYOUTS
from refusals import assert_refused, refusals
from samples import sample
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import pairwise_kernels

from aucbench.data import Categories, Data
from aucbench.data.arrays import rows
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.features import Kernel, KernelColumns, Nystroem
from aucbench.features.nystroem import CHOICES

KERNELS = {"rbf": {"gamma": 0.3}, "poly": {"gamma": 0.2, "degree": 2, "coef0": 0.5}, "linear": {}}
X, _ = sample(0, 80, 5, density=0.6)


def labelled(X, every=4):
    return Data.of(X, np.where(np.arange(X.shape[0]) % every < 1, 1, -1))


def seeded(seed=0):
    return np.random.default_rng(seed)


def fitted(X, **params):
    return Nystroem(**params).fit(labelled(X), seeded())


@pytest.mark.parametrize("kernel", KERNELS)
@LAYOUTS
@pytest.mark.parametrize("how", CHOICES)
def test_inner_products_are_the_nystrom_approximation(kernel, layout, how):
    given = KERNELS[kernel]
    phi = fitted(layout(X), rank=12, kernel=kernel, landmarks=how, **given)
    F, Z = phi(rows(layout(X))).matrix, phi.columns.landmarks.matrix
    C = pairwise_kernels(layout(X), Z, metric=kernel, **given)
    K = pairwise_kernels(Z, metric=kernel, **given)

    assert F.shape == (80, 12)
    np.testing.assert_allclose(F @ F.T, C @ np.linalg.pinv(K, hermitian=True) @ C.T, atol=1e-9)
    np.testing.assert_allclose(phi.root, phi.root.T, atol=1e-12 * np.abs(phi.root).max())


@LAYOUTS
def test_gamma_median_is_one_over_the_median_square_distance(layout):
    apart = pdist(X, "sqeuclidean")
    found = Kernel(gamma="median").scaled(rows(layout(X))).gamma
    assert found == pytest.approx(1 / np.median(apart[apart > 0]), rel=1e-10)


def test_gamma_of_rows_of_which_most_or_all_are_equal():
    some = np.zeros((50, 2))
    some[7] = 3.0
    constant = rows(np.full((4, 3), 2.0))

    assert Kernel().scaled(rows(some)).gamma == pytest.approx(1 / 18)
    assert Kernel().scaled(constant).gamma == 1.0
    assert Kernel(gamma=7.0).scaled(constant).gamma == 7.0


def test_the_kernel_auto_is_linear_for_text_and_rbf_for_others():
    texts, table = (rows(csr_array(sample(0, 40, 500, density=x)[0])) for x in (0.01, 0.1))

    assert Kernel("auto").scaled(texts).name == "linear"
    assert Kernel("auto").scaled(table).name == "rbf"


@pytest.mark.parametrize(
    ("every", "rank", "positive"), [(4, 20, 10), (30, 20, 2), (2, 21, 10), (1.25, 20, 10)]
)
def test_stratified_landmarks_are_half_positive_as_far_as_possible(every, rank, positive):
    data = labelled(np.arange(60.0).reshape(60, 1), every)
    drawn = CHOICES["stratified"](data, rank, seeded()).matrix.ravel().astype(int)

    assert np.unique(drawn).size == rank
    assert (data.y[drawn] > 0).sum() == positive


def test_stratified_landmarks_have_as_many_of_each_class_as_there_are():
    y = np.repeat([0, 1, 2], [50, 3, 30])
    data = Data.of(np.arange(83.0)[:, np.newaxis], Categories.of(y))
    drawn = CHOICES["stratified"](data, 21, seeded()).matrix.ravel()
    assert np.bincount(y[drawn.astype(int)]).tolist() == [9, 3, 9]


def test_kmeans_finds_separated_clusters():
    centres = np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0]])
    near = np.repeat(centres, 30, axis=0) + 0.1 * seeded().normal(size=(90, 2))
    found = CHOICES["kmeans"](labelled(near), 3, seeded(1)).matrix

    order = np.lexsort((found[:, 1], found[:, 0] > 25))
    np.testing.assert_allclose(found[order], [centres[0], centres[2], centres[1]], atol=0.5)


def test_a_kernel_that_is_zero_at_all_landmarks_maps_to_zero():
    zero = fitted(np.zeros((9, 2)), kernel="linear", rank=2)
    assert not zero(rows(np.ones((2, 2)))).matrix.any()


# --- rows in chunks ----------------------------------------------------------------------


# --- refusals ----------------------------------------------------------------------------

WRONG = [{"rank": 0}, {"rank": 2.5}, {"gamma": "auto"}, {"gamma": None}, {"gamma": 0}]
WRONG += [{"degree": 0}, {"coef0": -1}]
ZEROS = KernelColumns(Kernel("linear"), rows(np.zeros((3, 2))))


def refused(word, call, error):
    return word, call, error, word


REFUSED = refusals(
    *((f"{p}", lambda p=p: Nystroem(**p), ParameterError, next(iter(p))) for p in WRONG),
    refused("rbf", lambda: Nystroem(kernel="rbg"), UnknownNameError),
    refused("kmeans", lambda: Nystroem(landmarks="k-means"), UnknownNameError),
    refused("poly", lambda: fitted(1e200 * X, kernel="poly", gamma=1.0), DataError),
    refused("spread", lambda: fitted(1e200 * X), DataError),
    refused("landmarks", ZEROS.independent, DataError),
    refused("training rows", lambda: Kernel("auto")(rows(X), rows(X)), ParameterError),
)


@REFUSED
def test_what_makes_no_sense_is_refused(call, error, word):
    assert_refused(call, error, word)
