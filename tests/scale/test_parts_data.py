"""`ChunkedData`: what the first reading says, and how parts are held out."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.errors import DataError, UnsupportedError
from aucbench.scale import ChunkedData, InMemory
from aucbench.scale.survey import survey
from aucbench.solving.loop import solve


def table(n=900, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1) + 1e6 * np.arange(d)
    X[:, 2:3] = 0.1
    return X, np.where(rng.random(n) < 0.2, 1, -1)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("standard", [False, True])
def test_survey(dtype, standard):
    X, y = table()
    data = Data.of(X, y, dtype=dtype)
    parts = ChunkedData(InMemory(data, 70), standard=standard)
    M = data.rows.matrix.astype(np.longdouble)
    assert (parts.n, parts.d, parts.n_pos) == (900, 5, (y > 0).sum())
    assert parts.constant.tolist() == [2]
    assert parts.centre[2] == M[0, 2]
    assert np.allclose(parts.centre, M.mean(axis=0).astype(float), rtol=1e-14)
    deviation = np.where(M.std(axis=0) > 0, M.std(axis=0), 1).astype(float)
    assert np.allclose(parts.scale, deviation if standard else 1.0, rtol=1e-9)
    Z = (M - parts.centre) / parts.scale
    assert np.allclose(parts.means[1], Z[y > 0].mean(axis=0).astype(float), atol=1e-9)
    assert np.allclose(parts.means[0], Z[y < 0].mean(axis=0).astype(float), atol=1e-9)
    longest = float(np.sqrt((Z**2).sum(axis=1)).max())
    assert longest <= parts.longest <= 5 * longest
    apart = Z[y > 0][:, None] - Z[y < 0][None]
    assert parts.square == pytest.approx(float((apart**2).sum(axis=2).mean()), rel=1e-9)
    assert parts.readings == 1


def test_sparse_rows():
    X, y = table()
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.3, X, 0.0)
    parts = ChunkedData(InMemory(Data.of(csr_array(X), y), 70), standard=True)
    assert parts.is_sparse
    assert (parts.centre == 0).all()
    assert np.allclose(parts.scale, X.std(axis=0))
    assert parts.longest >= np.linalg.norm(X / X.std(axis=0), axis=1).max()
    assert parts.sample.rows.is_sparse
    assert parts.constant.size == 0


def test_sparse_columns_that_are_far_from_0_are_standardised():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(600, 3)), np.where(rng.random(600) < 0.3, 1, -1)
    X[:, 0] += 1e9
    X[:, 1] = np.where(rng.random(600) < 0.5, X[:, 1] + 1e7, 0.0)
    parts = ChunkedData(InMemory(Data.of(csr_array(X), y), 70), standard=True)
    M = X.astype(np.longdouble)
    deviation = M.std(axis=0).astype(float)
    assert np.allclose(parts.scale, deviation, rtol=1e-9)
    Z = M / deviation
    assert np.allclose(parts.means[1], Z[y > 0].mean(axis=0).astype(float), rtol=1e-9)
    apart = Z[y > 0][:, None] - Z[y < 0][None]
    assert parts.square == pytest.approx(float((apart**2).sum(axis=2).mean()), rel=1e-6)


def test_the_sample_is_one_of_each_class():
    X, y = table(4000, 2)
    X[:, 0] = np.arange(4000)
    parts = ChunkedData(InMemory(Data.of(X, y), 333))
    one, other = (
        survey(p, np.zeros(2), 50, 0) for p in (*parts.parts.read(0), *parts.parts.read(1))
    )
    merged = one.merge(other).samples[0]
    keys = np.concatenate([one.samples[0].keys, other.samples[0].keys])
    assert np.array_equal(merged.keys, np.sort(keys)[:50])
    whole = parts.sample
    assert whole.n == 4000  # all of them fit
    assert np.array_equal(
        np.sort(whole.rows.matrix[:, 0] + parts.centre[0]).round(), np.arange(4000)
    )
    assert (whole.y[: parts.n_neg] == -1).all()


def test_the_sample_is_fair():
    X, y = np.arange(20_000.0)[:, None], np.where(np.arange(20_000) % 2, 1, -1)
    means = []
    for seed in range(20):
        answers = InMemory(Data.of(X, y), 1000)
        each = [survey(next(answers.read(i)), np.zeros(1), 100, seed) for i in range(20)]
        told = each[0]
        for other in each[1:]:
            told = told.merge(other)
        means += [
            told.samples[k].rows.take(np.arange(100, dtype=np.int32)).matrix.mean() for k in (0, 1)
        ]
    assert abs(np.mean(means) - 10_000) < 4 * 20_000 / np.sqrt(12 * 100 * 40)


def piece_survey(parts, shift):
    answers = [survey(p, shift, 10, 0) for i in range(len(parts.sizes)) for p in parts.read(i)]
    total = answers[0]
    for other in answers[1:]:
        total = total.merge(other)
    return total


def test_any_partition_gives_equal_counts_and_close_sums():
    X, y = table(500, 3)
    data, shift = Data.of(X, y), X[0]
    exact = [sum(map(Fraction, (X[y < 0] - shift)[:, j])) for j in range(3)]
    size = np.abs(X - shift).sum(axis=0)
    for cut in (1, 7, 64, 500):
        total = piece_survey(InMemory(data, cut), shift)
        assert total.counts == (int((y < 0).sum()), int((y > 0).sum()))
        for j in range(3):
            assert abs(Fraction(float(total.sums[0, j])) - exact[j]) <= 600 * 2.0**-53 * size[j]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_what_is_no_number_is_named(value, layout):
    X, y = table()
    X[123, 3] = value
    data = Data.of(np.nan_to_num(X), y)
    own = csr_array(X) if layout == "sparse" else X
    stored = own.data if layout == "sparse" else X.reshape(-1)
    if layout == "sparse":
        data = Data.of(csr_array(np.nan_to_num(X, posinf=1.0, neginf=1.0, nan=1.0)), y)
    object.__setattr__(data.rows, "stored", stored)
    with pytest.raises(DataError, match=r"row 123 has (nan|inf|-inf) in column 3; impute it"):
        _ = ChunkedData(InMemory(data, 50)).survey


def test_one_class_is_refused_but_a_part_may_lack_one():
    X, y = table()
    order = np.argsort(y)
    sorted_rows = ChunkedData(InMemory(Data.of(X[order], y[order]), 50))
    assert sorted_rows.n_pos == (y > 0).sum()
    only = sorted_rows.take(np.arange(100))
    with pytest.raises(DataError, match="all 100 labels are negative"):
        _ = only.survey


def test_rows_are_asked_for_in_vain():
    X, y = table()
    parts = ChunkedData(InMemory(Data.of(X, y), 50))
    for name in ("rows", "chunk"):
        with pytest.raises(UnsupportedError, match="never in memory"):
            getattr(parts, name)
    with pytest.raises(UnsupportedError, match=r"Spdam needs all rows in memory.*svm-or"):
        solve("spdam", parts)
    with pytest.raises(UnsupportedError, match="lam=auto"):
        solve("svm-or[lam=auto]", parts)


def test_weights_are_refused_and_not_ignored():
    data = Data.of(np.arange(8.0).reshape(4, 2), [-1, 1, -1, 1], weights=[1.0, 2.0, 3.0, 4.0])
    with pytest.raises(UnsupportedError, match="the rows have weights"):
        solve("ls-svm", ChunkedData(InMemory(data, 2)))
