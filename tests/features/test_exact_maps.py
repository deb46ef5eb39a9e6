"""Feature maps beside exact arithmetic: far from 0, at small and large scales, in both layouts."""

from fractions import Fraction
from math import exp, inf, isqrt

import numpy as np
import pytest
from refusals import assert_refused
from samples import LAYOUT, sample

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.data.columns import row_norms
from aucbench.data.passes import gram
from aucbench.errors import DataError
from aucbench.features import Kernel, KernelColumns, MaxAbs, Standard, Unit, UnitCentred
from aucbench.features import distances as products_and_differences

OFFSETS = pytest.mark.parametrize("offset", [0.0, 1e6, 1e8])
SCALES = pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])


@pytest.fixture(params=LAYOUT)
def layout(request):
    return LAYOUT[request.param]


def shifted(offset, scale=1.0, n=24, d=4):
    """Normal rows of this scale about an offset of so many scales; some columns have none."""
    return sample(0, n, d, shift=0.0, scale=scale, offset=offset * (np.arange(d) % 2 == 0))[0]


def exact(X):
    """Entries as fractions, rows first."""
    return [[Fraction(x) for x in row] for row in np.asarray(X, dtype=float).tolist()]


def root(x):
    """√x of a fraction to 100 bits or more."""
    lift = 100 + (x.denominator.bit_length() - x.numerator.bit_length()) // 2
    return Fraction(isqrt(int(x * Fraction(4) ** lift))) / Fraction(2) ** lift


def floats(table):
    return np.array([[float(x) for x in row] for row in table])


def applied(phi, train, X, layout):
    labelled = Data.of(layout(train), np.arange(train.shape[0]) % 3 == 0)
    return dense(phi.fit(labelled, np.random.default_rng(1))(rows(layout(X))))


def dense(X):
    return X.matrix.toarray() if X.is_sparse else X.matrix


# --- maps of columns and of rows ---------------------------------------------------------


def centred(train, X):
    m = [sum(column) / len(column) for column in zip(*train, strict=True)]
    return [[x - a for x, a in zip(row, m, strict=True)] for row in X]


def divided(X, sizes):
    return [[x / (s or 1) for x, s in zip(row, sizes, strict=True)] for row in X]


def standardised(train, X):
    columns = zip(*centred(train, train), strict=True)
    return divided(
        centred(train, X), [root(sum(x * x for x in column) / len(train)) for column in columns]
    )


def unit_rows(_, X):
    return [divided([row], [root(sum(x * x for x in row))] * len(row))[0] for row in X]


def max_abs(train, X):
    return divided(X, [max(map(abs, column)) for column in zip(*train, strict=True)])


DEFINITIONS = {
    Standard: (standardised, 4e-15),
    UnitCentred: (lambda train, X: unit_rows(train, centred(train, X)), 2e-15),
    MaxAbs: (max_abs, 5e-16),
    Unit: (unit_rows, 1e-15),
}


@OFFSETS
@SCALES
@pytest.mark.parametrize("phi", DEFINITIONS)
def test_maps_keep_all_digits_at_an_offset(phi, offset, scale, layout):
    X, (definition, digits) = shifted(offset, scale), DEFINITIONS[phi]
    wanted = floats(definition(exact(X[:16]), exact(X)))
    np.testing.assert_allclose(applied(phi(), X[:16], X, layout), wanted, rtol=digits, atol=digits)


EXTREMES = [5e-324, 3e-310, 2.3e-308, 1e-200, 1e-154, 1.0, 1e154, 1e200, 1.7e308]


@pytest.mark.parametrize("size", EXTREMES)
def test_norms_and_unit_rows_are_right_over_the_whole_range(size, layout):
    """Also beside rows of every other size, in any order."""
    row = size * np.array([0.3, -0.4, 1.0, 0.0])
    others = np.outer(EXTREMES, [0.0, 1.0, 0.0, 0.0])
    X = np.vstack([row, others, row, np.zeros(4)])
    norms = row_norms(rows(layout(X)))

    squares = sum(Fraction(x) ** 2 for x in row.tolist())
    wanted = float(root(squares)) if squares < Fraction(1.797e308) ** 2 else inf
    digits = 1e-15 if size > 2**-1022 else 0
    assert norms[0] == norms[10] == pytest.approx(wanted, rel=digits, abs=5e-324)
    np.testing.assert_allclose(norms[1:10], EXTREMES, rtol=1e-15)
    assert norms[11] == 0
    unit = dense(Unit()(rows(layout(X))))
    np.testing.assert_allclose(unit, floats(unit_rows(None, exact(X))), rtol=2e-15)


# --- kernels -----------------------------------------------------------------------------


def rbf(X, Z, gamma):
    def value(x, z):
        distance = sum((a - b) ** 2 for a, b in zip(x, z, strict=True))
        return exp(-min(Fraction(gamma) * distance, 800))

    return np.array([[value(x, z) for z in exact(Z)] for x in exact(X)])


@OFFSETS
@SCALES
@pytest.mark.parametrize("gamma", [1e-3, 0.5, 30.0])
def test_rbf_keeps_its_digits_at_an_offset_and_between_layouts(offset, scale, gamma, layout):
    X, gamma = shifted(offset, scale), gamma / scale**2
    for other in LAYOUT.values():
        K = Kernel(gamma=gamma)(rows(layout(X)), rows(other(X[:9])))
        np.testing.assert_allclose(K, rbf(X, X[:9], gamma), rtol=0, atol=5e-13)


@pytest.mark.parametrize("step", [7, 1 << 20])
def test_rbf_keeps_its_digits_in_clusters_and_beside_an_outlier(layout, step, monkeypatch):
    monkeypatch.setattr(products_and_differences, "STORED", step)
    X = shifted(0.0, n=30, d=3)
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

    np.testing.assert_allclose(
        K, np.eye(4) + exp(-1) * np.eye(4)[[1, 0, 0, 0]] * [[1], [1], [0], [0]]
    )


@OFFSETS
def test_a_landmark_has_the_values_of_training_when_it_is_scored(offset, layout):
    X = shifted(offset, n=60)
    columns = KernelColumns(Kernel(gamma=0.5), rows(layout(X)))
    known, again = columns.gram(), columns(rows(layout(X.copy()))).matrix
    alone = np.vstack([columns(rows(layout(X[i : i + 1]))).matrix for i in range(60)])

    np.testing.assert_array_equal(known, known.T)
    np.testing.assert_array_equal(known.diagonal(), 1)
    np.testing.assert_allclose(again, known, rtol=0, atol=2e-13)
    np.testing.assert_allclose(alone, known, rtol=0, atol=2e-13)


@OFFSETS
@SCALES
@pytest.mark.parametrize("spread", [1e-6, 1.0])
def test_gamma_scale_at_an_offset(offset, scale, spread, layout):
    X = scale * (offset + spread * shifted(0.0, d=3))
    entries = [x for row in exact(X) for x in row]
    variance = sum((x - sum(entries) / 72) ** 2 for x in entries) / 72

    found = Kernel(gamma="scale").scaled(rows(layout(X))).gamma
    assert found == pytest.approx(float(1 / (3 * variance)) if variance else 1.0, rel=1e-13)


def test_gamma_scale_of_equal_entries_is_one_and_one_that_is_no_number_is_refused(layout):
    for value in (0.1, 1 / 3, 1e8 + 0.1, -7e-300, 1e300):
        equal = rows(layout(np.full((1001, 3), value)))
        assert Kernel(gamma="scale").scaled(equal).gamma == 1.0
    for scale, way in ((1e-160, "underflows"), (1e160, "overflows")):
        X = rows(layout(shifted(0.0, scale)))
        assert_refused(lambda X=X: Kernel(gamma="scale").scaled(X), DataError, way)


@OFFSETS
def test_gram_keeps_its_digits_at_an_offset(offset, layout):
    X = shifted(offset)
    X[::3, 1] = 0  # a column with zeros, beside one that is full
    c, centre = np.random.default_rng(0).random(24), X.mean(axis=0)
    away = [[a - b for a, b in zip(row, exact([centre])[0], strict=True)] for row in exact(X)]
    columns, weights = [*zip(*away, strict=True)], exact([c])[0]
    wanted = [
        [sum(w * x * y for w, x, y in zip(weights, a, b, strict=True)) for b in columns]
        for a in columns
    ]

    np.testing.assert_allclose(gram(rows(layout(X)), c, centre), floats(wanted), rtol=0, atol=2e-14)
