"""Feature maps beside exact arithmetic: far from 0, at small and large scales, in both layouts."""

from fractions import Fraction
from math import exp, inf, isqrt

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.data.columns import row_norms
from aucbench.data.passes import gram
from aucbench.errors import DataError
from aucbench.features import Kernel, KernelColumns, MaxAbs, Nystroem, Standard, Unit, UnitCentred
from aucbench.features import distances as products_and_differences

LAYOUTS = {"dense": np.asarray, "csr": csr_array}
OFFSETS = [0.0, 1e6, 1e8]
SCALES = [1e-8, 1.0, 1e8]


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return LAYOUTS[request.param]


def exact(X):
    """Entries as fractions, rows first."""
    return [[Fraction(x) for x in row] for row in np.asarray(X, dtype=float).tolist()]


def root(x):
    """√x of a fraction to 100 bits or more."""
    lift = 100 + (x.denominator.bit_length() - x.numerator.bit_length()) // 2
    return Fraction(isqrt(int(x * Fraction(4) ** lift))) / Fraction(2) ** lift


def floats(table):
    return np.array([[float(x) for x in row] for row in table])


def shifted(rng, offset, scale, n=24, d=4):
    """Normal rows of this scale about an offset of so many scales; some columns have none."""
    X = rng.normal(size=(n, d)) + offset * (np.arange(d) % 2 == 0)
    return scale * X


def labelled(X):
    return Data.of(X, np.arange(X.shape[0]) % 3 == 0)


def applied(phi, train, X, layout):
    mapped = phi.fit(labelled(layout(train)), np.random.default_rng(1))(rows(layout(X))).matrix
    return mapped.toarray() if hasattr(mapped, "toarray") else mapped


def means(X):
    return [sum(column) / len(column) for column in zip(*exact(X), strict=True)]


def standardised(train, X):
    m = means(train)
    spread = [
        root(sum((x - mean) ** 2 for x in column) / len(column))
        for column, mean in zip(zip(*exact(train), strict=True), m, strict=True)
    ]
    return floats([[(x - a) / s for x, a, s in zip(r, m, spread, strict=True)] for r in exact(X)])


def unit_rows(table):
    lengths = [root(sum(x * x for x in row)) for row in table]
    return floats([[x / (s or 1) for x in r] for r, s in zip(table, lengths, strict=True)])


def square_distances(X, Z):
    return [
        [sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) for z in exact(Z)] for x in exact(X)
    ]


def rbf(X, Z, gamma):
    gamma = Fraction(gamma)
    return np.array([[exp(-min(gamma * s, 800)) for s in r] for r in square_distances(X, Z)])


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("scale", SCALES)
def test_standard_keeps_all_digits_at_an_offset(offset, scale, layout, rng):
    X = shifted(rng, offset, scale)
    found = applied(Standard(), X[:16], X, layout)

    np.testing.assert_allclose(found, standardised(X[:16], X), rtol=0, atol=4e-15)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("scale", SCALES)
def test_unit_centred_keeps_all_digits_at_an_offset(offset, scale, layout, rng):
    X = shifted(rng, offset, scale)
    m = means(X[:16])
    moved = [[x - a for x, a in zip(row, m, strict=True)] for row in exact(X)]

    np.testing.assert_allclose(
        applied(UnitCentred(), X[:16], X, layout), unit_rows(moved), rtol=0, atol=2e-15
    )


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("scale", SCALES)
def test_maps_that_only_scale_keep_all_digits(offset, scale, layout, rng):
    X = shifted(rng, offset, scale)
    peaks = [max(map(abs, column)) for column in zip(*exact(X[:16]), strict=True)]
    scaled = floats([[x / p for x, p in zip(row, peaks, strict=True)] for row in exact(X)])

    np.testing.assert_allclose(applied(MaxAbs(), X[:16], X, layout), scaled, rtol=5e-16)
    np.testing.assert_allclose(applied(Unit(), X, X, layout), unit_rows(exact(X)), rtol=1e-15)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("gamma", [1e-3, 0.5, 30.0])
def test_rbf_keeps_its_digits_at_an_offset(offset, scale, gamma, layout, rng):
    X = shifted(rng, offset, scale)
    gamma /= scale**2
    K = Kernel(gamma=gamma)(rows(layout(X)), rows(layout(X[:9])))

    np.testing.assert_allclose(K, rbf(X, X[:9], gamma), rtol=0, atol=5e-13)


@pytest.mark.parametrize("layouts", [("dense", "csr"), ("csr", "dense")])
def test_rbf_keeps_its_digits_between_layouts(layouts, rng):
    X, (of_rows, of_landmarks) = shifted(rng, 1e8, 1.0), layouts
    K = Kernel(gamma=0.5)(rows(LAYOUTS[of_rows](X)), rows(LAYOUTS[of_landmarks](X[:9])))

    np.testing.assert_allclose(K, rbf(X, X[:9], 0.5), rtol=0, atol=5e-13)


@pytest.mark.parametrize("step", [7, 1 << 20])
def test_rbf_keeps_its_digits_in_clusters_and_beside_an_outlier(layout, rng, step, monkeypatch):
    monkeypatch.setattr(products_and_differences, "STORED", step)
    X = rng.normal(size=(30, 3))
    X[:10] += 1e8
    X[10:20, 1] -= 1e6
    X[20] *= 1e12
    X[21:25] = 0
    K = Kernel(gamma=0.5)(rows(layout(X)), rows(layout(X)))

    np.testing.assert_allclose(K, rbf(X, X, 0.5), rtol=0, atol=5e-13)
    np.testing.assert_array_equal(K, K.T)


def test_rbf_of_rows_whose_squares_overflow(layout):
    X = np.array([[1e200, 0.0], [1e200, 1.0], [-1e200, 0.0], [0.0, 1.0]])
    K = Kernel(gamma=1.0)(rows(layout(X)), rows(layout(X)))

    expected = np.eye(4)
    expected[0, 1] = expected[1, 0] = exp(-1)
    np.testing.assert_allclose(K, expected, rtol=1e-15)


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_landmark_has_the_values_of_training_when_it_is_scored(offset, layout, rng):
    X = shifted(rng, offset, 1.0, n=60)
    columns = KernelColumns(Kernel(gamma=0.5), rows(layout(X)))
    gram, again = columns.gram(), columns(rows(layout(X.copy()))).matrix
    alone = np.vstack([columns(rows(layout(X[i : i + 1]))).matrix for i in range(60)])

    np.testing.assert_array_equal(gram, gram.T)
    np.testing.assert_array_equal(gram.diagonal(), 1)
    np.testing.assert_allclose(again, gram, rtol=0, atol=2e-13)
    np.testing.assert_allclose(alone, gram, rtol=0, atol=2e-13)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("scale", SCALES)
def test_products_are_right_to_rounding(offset, scale, layout, rng):
    """poly and linear have no difference to lose; what they keep of an offset is theirs."""
    X = shifted(rng, offset, scale)
    X, Z, gamma = rows(layout(X)), rows(layout(X[:9])), 0.25 / scale**2
    pairs = [
        [sum(a * b for a, b in zip(x, z, strict=True)) for z in exact(dense(Z))]
        for x in exact(dense(X))
    ]
    sizes = np.linalg.norm(dense(X), axis=1)[:, None] * np.linalg.norm(dense(Z), axis=1)
    off = np.abs(Kernel("linear")(X, Z) - floats(pairs))
    assert (off <= 1e-15 * sizes).all()

    poly = Kernel("poly", gamma=gamma, degree=2)(X, Z)
    wanted = floats([[(Fraction(gamma) * p + 1) ** 2 for p in row] for row in pairs])
    assert (np.abs(poly - wanted) <= 1e-14 * (gamma * sizes + 1) ** 2).all()


def dense(X):
    return X.matrix.toarray() if X.is_sparse else X.matrix


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("spread", [1e-6, 1.0])
def test_gamma_scale_at_an_offset(offset, scale, spread, layout, rng):
    X = scale * (offset + spread * rng.normal(size=(24, 3)))
    entries = [x for row in exact(X) for x in row]
    mean = sum(entries) / 72
    variance = sum((x - mean) ** 2 for x in entries) / 72

    found = Kernel(gamma="scale").scaled(rows(layout(X))).gamma
    if variance:
        assert found == pytest.approx(float(1 / (3 * variance)), rel=1e-13)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e8 + 0.1, -7e-300, 1e300])
def test_gamma_scale_of_equal_entries_is_one(value, layout):
    assert Kernel(gamma="scale").scaled(rows(layout(np.full((1001, 3), value)))).gamma == 1.0


@pytest.mark.parametrize(("scale", "way"), [(1e-160, "underflows"), (1e160, "overflows")])
def test_a_gamma_that_is_no_number_is_refused(scale, way, layout, rng):
    with pytest.raises(DataError, match=f"spread of the features {way}; standardise"):
        Kernel(gamma="scale").scaled(rows(layout(scale * rng.normal(size=(9, 2)))))


@pytest.mark.parametrize("how", ["uniform", "kmeans"])
def test_nystroem_features_do_not_depend_on_an_offset(how, layout, rng):
    plain = np.round(rng.normal(size=(80, 3)) * 2**10) / 2**10  # so that the sum is exact
    maps = [
        Nystroem(rank=12, gamma=0.5, landmarks=how).fit(
            labelled(layout(plain + offset)), np.random.default_rng(3)
        )(rows(layout(plain + offset)))
        for offset in (0.0, 2.0**20)
    ]

    np.testing.assert_allclose(maps[1].matrix, maps[0].matrix, rtol=0, atol=1e-8)


@pytest.mark.parametrize("offset", OFFSETS)
def test_gram_keeps_its_digits_at_an_offset(offset, layout, rng):
    X = shifted(rng, offset, 1.0)
    X[::3, 1] = 0  # a column with zeros, beside one that is full
    c, centre = rng.random(24), X.mean(axis=0)
    moved = [[a - b for a, b in zip(row, exact([centre])[0], strict=True)] for row in exact(X)]
    columns = [*zip(*moved, strict=True)]
    weights = [Fraction(x) for x in c.tolist()]
    wanted = [
        [sum(w * x * y for w, x, y in zip(weights, a, b, strict=True)) for b in columns]
        for a in columns
    ]

    np.testing.assert_allclose(gram(rows(layout(X)), c, centre), floats(wanted), rtol=0, atol=2e-14)


EXTREMES = [5e-324, 3e-310, 2.3e-308, 1e-200, 1e-154, 1.0, 1e154, 1e200, 1.7e308]


@pytest.mark.parametrize("size", EXTREMES)
def test_norms_are_right_over_the_whole_range(size, layout, rng):
    """Also beside rows of every other size, in any order."""
    row = size * np.array([0.3, -0.4, 1.0, 0.0])
    others = np.outer(EXTREMES, [0.0, 1.0, 0.0, 0.0])
    X = np.vstack([row, others, row, np.zeros(4)])
    norms = row_norms(rows(layout(X)))

    squares = sum(Fraction(x) ** 2 for x in row.tolist())
    tiny = 2**-1022
    wanted = float(root(squares)) if squares < Fraction(1.797e308) ** 2 else inf
    assert (
        norms[0] == norms[10] == pytest.approx(wanted, rel=1e-15 if size > tiny else 0, abs=5e-324)
    )
    np.testing.assert_allclose(norms[1:10], EXTREMES, rtol=1e-15)
    assert norms[11] == 0


@pytest.mark.parametrize("size", EXTREMES)
def test_unit_rows_over_the_whole_range(size, layout):
    row = size * np.array([0.5, -0.5, 1.0, 0.0, 1.0])
    X = np.vstack([row, np.ones(5), np.zeros(5)])
    found = Unit()(rows(layout(X)))

    np.testing.assert_allclose(dense(found), unit_rows(exact(X)), rtol=2e-15)
