"""Nyström features: the kernel they approximate, their landmarks, and rows in chunks."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import pairwise_kernels

from aucbench.contract import Problem
from aucbench.data import Categories, Data
from aucbench.data.arrays import rows
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.features import Kernel, KernelColumns, Nystroem, kernel_columns
from aucbench.features.nystroem import CHOICES
from aucbench.objectives import PairwiseSquare
from aucbench.solving.scoring import MAPPED_ROWS, Scorer

KERNELS = {
    "rbf": {"gamma": 0.3},
    "poly": {"gamma": 0.2, "degree": 2, "coef0": 0.5},
    "linear": {},
}


@pytest.fixture
def X(rng):
    made = rng.normal(size=(80, 5))
    made[rng.random(made.shape) < 0.4] = 0
    return made


def labelled(X, every=4):
    return Data.of(X, np.where(np.arange(X.shape[0]) % every, -1, 1))


def fitted(X, rng, **params):
    return Nystroem(**params).fit(labelled(X), rng)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("how", CHOICES)
def test_inner_products_are_the_nystrom_approximation(kernel, layout, how, X, rng):
    phi = fitted(layout(X), rng, rank=12, kernel=kernel, landmarks=how, **KERNELS[kernel])
    F = phi(rows(layout(X))).matrix
    Z = phi.columns.landmarks.matrix
    given = KERNELS[kernel]
    C = pairwise_kernels(layout(X), Z, metric=kernel, **given)
    K = pairwise_kernels(Z, metric=kernel, **given)

    assert F.shape == (80, 12)
    np.testing.assert_allclose(F @ F.T, C @ np.linalg.pinv(K, hermitian=True) @ C.T, atol=1e-9)
    np.testing.assert_allclose(phi.root, phi.root.T, atol=1e-12 * np.abs(phi.root).max())


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
def test_gamma_median_is_one_over_the_median_square_distance(layout, X):
    apart = pdist(X[np.linspace(0, len(X) - 1, min(len(X), 300)).astype(int)], "sqeuclidean")

    found = Kernel(gamma="median").scaled(rows(layout(X))).gamma
    assert found == pytest.approx(1 / np.median(apart[apart > 0]), rel=1e-10)


def test_rows_of_which_most_are_equal_still_have_a_width():
    some = np.zeros((50, 2))
    some[7] = 3.0

    assert Kernel().scaled(rows(some)).gamma == pytest.approx(1 / 18)


def test_gamma_of_constant_features_is_one_and_a_number_stays():
    constant = rows(np.full((4, 3), 2.0))

    assert Kernel().scaled(constant).gamma == 1.0
    assert Kernel(gamma=7.0).scaled(constant).gamma == 7.0


def test_duplicated_landmarks_change_nothing(rng):
    X = rng.normal(size=(15, 3))
    once = fitted(X, rng, rank=15)(rows(X)).matrix
    twice = fitted(np.repeat(X, 2, axis=0), rng, rank=30)(rows(X)).matrix

    assert np.abs(twice).max() < 2
    np.testing.assert_allclose(twice @ twice.T, once @ once.T, atol=1e-9)


@pytest.mark.parametrize(
    ("every", "rank", "positive"), [(4, 20, 10), (30, 20, 2), (2, 21, 10), (1.25, 20, 10)]
)
def test_stratified_landmarks_are_half_positive_as_far_as_possible(every, rank, positive, rng):
    X = np.arange(60.0).reshape(60, 1)
    data = Data.of(X, np.where(np.arange(60) % every < 1, 1, -1))
    drawn = CHOICES["stratified"](data, rank, rng).matrix.ravel().astype(int)

    assert np.unique(drawn).size == rank
    assert (data.y[drawn] > 0).sum() == positive


def test_kmeans_finds_separated_clusters(rng):
    centres = np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0]])
    X = np.repeat(centres, 30, axis=0) + 0.1 * rng.normal(size=(90, 2))
    found = CHOICES["kmeans"](labelled(X), 3, np.random.default_rng(1)).matrix

    order = np.lexsort((found[:, 1], found[:, 0] > 25))
    np.testing.assert_allclose(found[order], [centres[0], centres[2], centres[1]], atol=0.5)


def test_rows_are_mapped_in_chunks_with_the_same_numbers(X, rng, monkeypatch):
    phi = fitted(X, rng, rank=20)
    whole = phi(rows(X)).matrix
    sizes = []
    call = Kernel.__call__
    monkeypatch.setattr(kernel_columns, "MAPPED_AT_ONCE", 7)
    monkeypatch.setattr(
        Kernel, "__call__", lambda self, A, B: (sizes.append(A.n), call(self, A, B))[1]
    )

    np.testing.assert_allclose(phi(rows(X)).matrix, whole, atol=1e-13)
    assert sizes == [7] * 11 + [3]


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"kernel": "rbg"}, "did you mean 'rbf'"),
        ({"landmarks": "k-means"}, "did you mean 'kmeans'"),
    ],
)
def test_unknown_words_are_named(params, sentence):
    with pytest.raises(UnknownNameError, match=sentence):
        Nystroem(**params)


@pytest.mark.parametrize(
    "params",
    [
        {"rank": 0},
        {"rank": 2.5},
        {"gamma": "auto"},
        {"gamma": None},
        {"gamma": 0},
        {"degree": 0},
        {"coef0": -1},
    ],
)
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(ParameterError, match=next(iter(params))):
        Nystroem(**params)


def test_a_kernel_that_overflows_says_so(X, rng):
    with pytest.raises(DataError, match="poly kernel of these rows overflows; standardise"):
        fitted(1e200 * X, rng, kernel="poly", gamma=1.0)
    with pytest.raises(DataError, match="spread of the features overflows"):
        fitted(1e200 * X, rng)


def test_independent_landmarks_span_the_others(rng):
    few = rng.normal(size=(12, 2))
    columns = KernelColumns(Kernel(gamma=0.5), rows(np.vstack([few, few])))
    kept, R = columns.independent()

    assert kept.landmarks.n == 12
    np.testing.assert_allclose(R.T @ R, kept.gram(), atol=1e-14)
    np.testing.assert_array_equal(R, np.triu(R))
    C = kept(columns.landmarks).matrix
    np.testing.assert_allclose(C @ np.linalg.solve(kept.gram(), C.T), columns.gram(), atol=1e-9)


def test_landmarks_at_which_the_kernel_is_zero_are_refused():
    columns = KernelColumns(Kernel("linear"), rows(np.zeros((3, 2))))

    with pytest.raises(DataError, match="linear kernel is 0 at all landmarks"):
        columns.independent()
    zero = Nystroem(kernel="linear", rank=2).fit(
        labelled(np.zeros((9, 2))), np.random.default_rng(0)
    )
    assert not zero(rows(np.ones((2, 2)))).matrix.any()


class Watched:
    exempt = 0

    def __init__(self, phi):
        self.phi, self.sizes = phi, []

    def __call__(self, X):
        self.sizes.append(X.n)
        return self.phi(X)


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
def test_new_rows_are_mapped_and_scored_in_chunks(layout, X, rng):
    phi = fitted(X, rng, rank=10)
    watched = Watched(phi)
    many = rng.normal(size=(2 * MAPPED_ROWS + 5, 5))
    many[many < 0] = 0
    w = rng.normal(size=10)
    problem = Problem(PairwiseSquare(labelled(phi(rows(X)).matrix)), features=watched)

    found = Scorer.of(problem).by_each([w], layout(many))[0]

    assert watched.sizes == [MAPPED_ROWS, MAPPED_ROWS, 5]
    np.testing.assert_allclose(found, phi(rows(many)).matrix @ w, atol=1e-12)


def test_the_kernel_auto_is_linear_for_text_and_rbf_for_others():
    rng = np.random.default_rng(0)
    texts = rows(csr_array(rng.random((40, 500)) * (rng.random((40, 500)) < 0.01)))
    table = rows(csr_array(rng.random((40, 500)) * (rng.random((40, 500)) < 0.1)))

    assert Kernel("auto").scaled(texts).name == "linear"
    assert Kernel("auto").scaled(table).name == "rbf"
    with pytest.raises(ParameterError, match="knows no training rows"):
        Kernel("auto")(table, table)


def test_stratified_landmarks_have_as_many_of_each_class_as_there_are():
    y = np.repeat([0, 1, 2], [50, 3, 30])
    data = Data.of(np.arange(83.0)[:, np.newaxis], Categories.of(y))
    drawn = CHOICES["stratified"](data, 21, np.random.default_rng(0)).matrix.ravel()
    assert np.bincount(y[drawn.astype(int)]).tolist() == [9, 3, 9]
