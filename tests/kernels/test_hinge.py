"""Hinges over all pairs: equal to the double sum for any scores, order kept or not."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

import aucbench
from aucbench.kernels import hinge
from aucbench.pairs import sums as pair_sums
from aucbench.pairs.sums import ClassSums

LOSSES = pytest.mark.parametrize(
    ("squared", "twin"),
    [(False, reference.hinge_of_scores), (True, reference.squared_hinge_of_scores)],
    ids=["hinge", "squared"],
)
ANY = st.floats(allow_nan=False, allow_infinity=False)
SCORES = {
    "whole": st.integers(-3, 3).map(float),
    "zeros": st.sampled_from([0.0, -0.0, 1.0, 5e-324, -5e-324, 1.0 - 2**-53, 1.0 + 2**-52]),
    "plain": st.floats(-5.0, 5.0),
    "wide": st.floats(-1e100, 1e100),
}


@st.composite
def labels(draw, most=40):
    y = draw(st.lists(st.sampled_from([-1, 1]), max_size=most))
    few = draw(st.sampled_from([-1, 1, 0]))
    return np.array([1, -1, *(few or v for v in y)], dtype=np.int8)


@st.composite
def cases(draw):
    y = draw(labels())
    values = SCORES[draw(st.sampled_from(sorted(SCORES)))]
    s = np.array(draw(st.lists(values, min_size=y.size, max_size=y.size)))
    scale = 10.0 ** draw(st.sampled_from([0, 0, -8, 8]))
    return y, s * scale + draw(st.sampled_from([0.0, 0.0, 1e6]))


def normal(n, share, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < share, 1, -1).astype(np.int8)
    y[:2] = 1, -1
    return y, rng.normal(size=n) + (y > 0)


def compare(found, expected):
    (value, c, active), (true_value, true_c, true_active) = found, expected
    assert active == true_active
    assert value == pytest.approx(true_value, rel=1e-11, abs=0.0)
    # A row's sum of hinges is a difference of sums of scores.
    np.testing.assert_allclose(c, true_c, rtol=1e-10, atol=1e-13 * np.abs(true_c).max())


@LOSSES
@given(cases())
def test_equals_the_double_sum(squared, twin, case):
    y, s = case

    compare(ClassSums.of_labels(y, None, squared=squared)(s), twin(s, y))


@LOSSES
@pytest.mark.parametrize("offset", [0.0, 1e6, -1e9])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e3, 1e8])
def test_accuracy_at_an_offset_and_at_any_scale(squared, twin, offset, scale):
    y, s = normal(600, 0.3)
    s = scale * s + offset

    value, _, _ = ClassSums.of_labels(y, None, squared=squared)(s)

    assert value == pytest.approx(twin(s, y)[0], rel=1e-13, abs=0.0)


@LOSSES
@given(labels(), st.data())
def test_order_of_the_last_call_changes_no_bit(squared, twin, y, data):
    kept = ClassSums.of_labels(y, None, squared=squared)
    for _ in range(4):
        values = SCORES[data.draw(st.sampled_from(sorted(SCORES)))]
        s = np.array(data.draw(st.lists(values, min_size=y.size, max_size=y.size)))

        found, fresh = kept(s), ClassSums.of_labels(y, None, squared=squared)(s)

        assert found[0] == fresh[0]
        assert found[2] == fresh[2]
        np.testing.assert_array_equal(found[1], fresh[1])


@LOSSES
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("n", [400, 2049, 5000])
def test_the_number_of_threads_changes_no_bit(squared, twin, share, n, monkeypatch):
    monkeypatch.setattr(pair_sums, "SHARED_FROM", 1)
    y, s = normal(n, share)
    u = np.random.default_rng(1).normal(size=n)
    found = []
    for count in (1, 2, 3, 4, 100):
        sums = ClassSums.of_labels(y, None, squared=squared)
        with aucbench.threads(count):
            found.append([*sums(s), *sums(2.0 * s), *([sums.bend()(u)] if squared else [])])

    compare(found[0][:3], twin(s, y))
    for other in found[1:]:
        for one, many in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, many)


@LOSSES
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_order_is_mended_while_scores_move(squared, twin, share):
    y, s = normal(700, share)
    rng = np.random.default_rng(1)
    kept = ClassSums.of_labels(y, None, squared=squared)
    for size in (0.0, 1e-9, 1e-3, 0.1, 3.0, 1e-3):
        s = s + size * rng.normal(size=s.size)
        compare(kept(s), twin(s, y))
    compare(kept(-s), twin(-s, y))


CROWDED = {
    "outliers": lambda rng, n: np.r_[1e12, -1e9, rng.normal(size=n - 2)],
    "cauchy": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "two scales": lambda rng, n: np.where(rng.random(n) < 0.4, 1e-9, 1.0) * rng.normal(size=n),
    "tied": lambda rng, n: np.zeros(n),
    "mostly tied": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.normal(size=n)),
    "steps": lambda rng, n: 0.25 * rng.integers(0, 9, n),
    "far steps": lambda rng, n: rng.choice([-1e6, 0.0, 1e-6, 1e6], n) + 1e-7 * rng.normal(size=n),
}


@LOSSES
@pytest.mark.parametrize("name", CROWDED)
@pytest.mark.parametrize("share", [0.2, 0.7])
def test_crowded_cells(squared, twin, name, share):
    y, _ = normal(900, share)
    s = CROWDED[name](np.random.default_rng(3), y.size)

    compare(ClassSums.of_labels(y, None, squared=squared)(s), twin(s, y))


@given(labels(), st.data())
def test_counts_are_exact_for_any_finite_scores(y, data):
    s = np.array(data.draw(st.lists(ANY, min_size=y.size, max_size=y.size)))

    with np.errstate(over="ignore"):
        _, active = reference.hinges(s, y)
    _, c, found = ClassSums.of_labels(y, None, squared=False)(s)

    assert found == active.mean()
    np.testing.assert_allclose(-c[y > 0], active.mean(axis=1) / active.shape[0], rtol=1e-15)
    np.testing.assert_allclose(c[y < 0], active.mean(axis=0) / active.shape[1], rtol=1e-15)


def close(found, expected):
    # A row's sum is a difference of sums over its partners.
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())


@given(cases(), st.integers(0, 2**16), st.sampled_from([0.0, 1e3]))
def test_second_derivatives_equal_the_double_sum(case, seed, offset):
    (y, s), rng = case, np.random.default_rng(seed)
    u = rng.choice([rng.normal(size=y.size), rng.integers(-2, 3, y.size).astype(float)]) + offset
    v = rng.choice([0.5, 1.0, 3.0], y.size)

    plain, weighted = (
        ClassSums.of_labels(y, None, squared=True),
        ClassSums.of_labels(y, v, squared=True),
    )
    plain(s), weighted(s)

    close(plain.bend()(u), reference.bent_squared_hinge(s, y, u))
    close(weighted.bend()(u), reference.bent_squared_hinge(s, y, u, v))


@given(labels(), st.data())
def test_second_derivatives_of_any_floats_end(y, data):
    strange = st.one_of(st.sampled_from([np.nan, np.inf, -np.inf]), st.floats())
    s, u = (
        np.array(data.draw(st.lists(strange, min_size=y.size, max_size=y.size))) for _ in range(2)
    )
    sums = ClassSums.of_labels(y, None, squared=True)
    sums(s)

    assert sums.bend()(u).shape == y.shape


@LOSSES
@given(labels(), st.data())
def test_any_floats_end_and_nan_shows(squared, twin, y, data):
    strange = st.one_of(st.sampled_from([np.nan, np.inf, -np.inf]), st.floats())
    sweep = ClassSums.of_labels(y, None, squared=squared)
    for _ in range(3):
        s = np.array(data.draw(st.lists(strange, min_size=y.size, max_size=y.size)))
        value, c, active = sweep(s)
        assert c.shape == y.shape
        assert 0 <= active <= 1.0
        if np.isnan(s).any():
            assert np.isnan(value)
        assert np.array_equal(np.sort(sweep.order), sweep.rows)


def test_pairs_are_counted_in_64_bits():
    n = 200_000
    y = np.ones(n, np.int8)
    y[: n // 2] = -1

    value, c, active = ClassSums.of_labels(y, None, squared=False)(np.zeros(n))

    assert active == 1.0
    assert (n // 2) ** 2 > 2**32
    assert value == 1.0
    np.testing.assert_array_equal(c, -y / (n // 2))


@given(st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30), st.integers(0, 100))
def test_insertion_ends_at_its_limit(values, moves):
    a, order = np.array(values), np.arange(len(values), dtype=np.int32)
    needed = sum(x > y for k, y in enumerate(values) for x in values[:k])

    assert hinge.mend(a, order, moves) == (needed <= moves)
    np.testing.assert_array_equal(a, np.array(values)[order])
    if needed <= moves:
        np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))


@given(labels(), st.integers(1, 30), st.integers(0, 2**16))
def test_given_pairs_equal_their_sum(y, pairs, seed):
    rng = np.random.default_rng(seed)
    s = rng.choice([rng.normal(size=y.size), rng.integers(-2, 3, y.size).astype(float)])
    i, j = (rng.choice(np.flatnonzero(y == side), pairs).astype(np.int32) for side in (1, -1))
    value, c = reference.hinge_of_pairs(s, i, j)

    found = np.zeros(y.size)
    total, active = hinge.pair_pass(s, i, j, 1.0 / pairs, found)

    assert total / pairs == pytest.approx(value, rel=1e-13)
    assert 0 <= active <= pairs
    np.testing.assert_allclose(found, c, rtol=0.0, atol=1e-14)


def test_a_pair_with_nan_shows():
    i, j = np.zeros(2, np.int32), np.array([1, 2], np.int32)
    for s in ([np.nan, 0.0, 0.0], [0.0, 0.0, np.nan]):
        assert np.isnan(hinge.pair_pass(np.array(s), i, j, 0.5, np.zeros(3))[0])
