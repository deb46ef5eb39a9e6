"""Sums over all pairs, and counts of them: equal to the double sum for any scores."""

import numpy as np
import pytest
import reference
from definitions import ANY, DRAWN, equals_definition, labelled, scores
from hypothesis import given
from hypothesis import strategies as st

import aucbench
from aucbench.data import concordance
from aucbench.kernels import hinge, ranks
from aucbench.metrics import auc
from aucbench.objectives.logistic_sums import SLOPE, VALUE, LogisticSums
from aucbench.pairs import sums as pair_sums
from aucbench.pairs.sums import ClassSums

LOSSES = pytest.mark.parametrize(
    ("squared", "twin"),
    [(False, reference.hinge_of_scores), (True, reference.squared_hinge_of_scores)],
    ids=["hinge", "squared"],
)
FEW = [*DRAWN, "normal", "neighbours", "steps", "two scales"]
CROWDED = ["outliers", "cauchy", "two scales", "one value", "mostly tied", "steps", "far steps"]


def sums_of(y, squared, v=None):
    return ClassSums.of_labels(y, v, squared=squared)


def close(found, twin):
    (value, c, active), (true_value, true_c, true_active) = found, twin
    assert active == true_active
    assert value == pytest.approx(true_value, rel=1e-11, abs=0.0)
    # A row's sum of hinges is a difference of sums of scores.
    np.testing.assert_allclose(c, true_c, rtol=1e-10, atol=1e-13 * np.abs(true_c).max())


# --- hinges ------------------------------------------------------------------------------

# A row's sum of hinges is a difference of sums of scores; the share of active pairs is exact.
test_hinges_equal_the_double_sum, test_squared_hinges_equal_the_double_sum = (
    equals_definition(
        lambda case, scale, squared=squared: sums_of(case.y, squared)(scale * case.s),
        lambda case, scale, twin=twin: twin(scale * case.s, case.y),
        FEW,
        offsets=(0.0, 0.0, 1e6),
        cases=scores,
        atol=1e-13,
        scale=st.sampled_from([1.0, 1e-8, 1e8]),
    )
    for squared, twin in LOSSES.args[1]
)


@LOSSES
@pytest.mark.parametrize("shape", CROWDED)
@pytest.mark.parametrize("share", [0.2, 0.7])
def test_crowded_cells(squared, twin, shape, share):
    y, s = labelled(shape, 900, share)

    close(sums_of(y, squared)(s), twin(s, y))


@LOSSES
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_order_is_mended_while_scores_move_and_changes_no_bit(squared, twin, share):
    y, s = labelled("normal", 700, share)
    kept, rng = sums_of(y, squared), np.random.default_rng(1)
    for size in (0.0, 1e-9, 1e-3, 0.1, 3.0, 1e-3):
        s = s + size * rng.normal(size=s.size)
        for moved in (s, -s, np.round(s)):
            found = kept(moved)
            close(found, twin(moved, y))
            for one, other in zip(found, sums_of(y, squared)(moved), strict=True):
                np.testing.assert_array_equal(one, other)


@LOSSES
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("n", [400, 2049])
def test_the_number_of_threads_changes_no_bit(squared, twin, share, n, monkeypatch):
    monkeypatch.setattr(pair_sums, "SHARED_FROM", 1)
    y, s = labelled("normal", n, share)
    u, found = np.random.default_rng(1).normal(size=n), []
    for count in (1, 2, 3, 4, 100):
        sums = sums_of(y, squared)
        with aucbench.threads(count):
            found.append([*sums(s), *sums(2.0 * s), *([sums.bend()(u)] if squared else [])])

    close(found[0][:3], twin(s, y))
    for other in found[1:]:
        for one, many in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, many)


def directions(case, at):
    """A direction, with equal weights and with others."""
    rng = case.rng()
    u = rng.normal(size=case.y.size) + at
    return [(u, None), (u, rng.choice([0.5, 1.0, 3.0], case.y.size))]


def bends(case, at):
    for u, v in directions(case, at):
        sums = sums_of(case.y, True, v)
        sums(case.s)
        yield sums.bend()(u)


def bends_by_pairs(case, at):
    return [reference.bent_squared_hinge(case.s, case.y, *each) for each in directions(case, at)]


# A row's sum is a difference of sums over its partners.
test_second_derivatives_equal_the_double_sum = equals_definition(
    bends, bends_by_pairs, FEW, cases=scores, atol=1e-12,
    at=st.sampled_from([0.0, 1e3]),
)  # fmt: skip


@LOSSES
@given(st.lists(st.tuples(ANY, ANY), min_size=2, max_size=40))
def test_any_floats_end_and_nan_shows(squared, twin, values):
    s, u = np.array(values).T.copy()
    y = np.where(np.arange(s.size) % 3 == 0, 1, -1).astype(np.int8)
    sums = sums_of(y, squared)
    for moved in (s, u, s[::-1]):
        value, c, active = sums(np.ascontiguousarray(moved))
        assert c.shape == y.shape
        assert 0 <= active <= 1.0
        assert np.isnan(value) or not np.isnan(moved).any()
        assert np.array_equal(np.sort(sums.order), sums.rows)
    if squared:
        assert sums.bend()(u).shape == y.shape


def test_pairs_are_counted_in_64_bits():
    n = 200_000
    y = np.repeat([-1, 1], n // 2).astype(np.int8)

    value, c, active = sums_of(y, False)(np.zeros(n))

    assert (value, active) == (1.0, 1.0)
    np.testing.assert_array_equal(c, -y / (n // 2))


@pytest.mark.parametrize("s", [[np.nan, 0.0, 0.0], [0.0, 0.0, np.nan]])
def test_a_pair_with_nan_shows(s):
    i, j = np.zeros(2, np.int32), np.array([1, 2], np.int32)
    assert np.isnan(hinge.pair_pass(np.array(s), i, j, 0.5, np.zeros(3))[0])


# --- the logistic loss -------------------------------------------------------------------


def test_the_polynomial_errs_by_what_is_stated():
    z = np.r_[0.0, 1e-300, np.geomspace(1e-12, 1.0, 20_001), np.linspace(0.0, 1.0, 20_001)]
    powers = z[:, None] ** np.arange(1, VALUE.size + 1)

    assert np.abs(powers @ VALUE - np.log1p(z)).max() <= LogisticSums.ERROR
    assert np.abs(powers @ SLOPE - z / (1.0 + z)).max() <= LogisticSums.ERROR
    assert np.abs(VALUE).max() <= 1.0 + 1e-6


@pytest.mark.parametrize("shape", ["whole", "plain", "normal", "neighbours", "steps"])
@given(st.data(), st.booleans(), st.sampled_from([1e-9, 1.0, 1e3]))
def test_logistic_losses_equal_the_double_sum(shape, data, weighted, scale):
    case = data.draw(scores(shape, (), (0.0, 0.0, 1e6)))
    v = np.linspace(0.1, 3.0, case.y.size) if weighted else None
    s = scale * case.s
    value, c = reference.pair_logistic_of_scores(s, case.y, v)

    found, slopes, active = LogisticSums.of_labels(case.y, v)(s)

    # 2·10⁻¹³ for each pair, and the rounding of sums; far from 0, that of scores too.
    digits = 1e-15 * np.abs(s).max()
    assert found == pytest.approx(value, rel=1e-13, abs=3e-13 + digits)
    np.testing.assert_allclose(slopes, c, rtol=1e-12, atol=3e-13 + digits)
    assert active == 1.0


@given(st.lists(ANY, min_size=2, max_size=20))
def test_logistic_losses_of_any_floats_end_and_nan_shows(values):
    y = np.where(np.arange(len(values)) % 2, 1, -1).astype(np.int8)

    value, c, _ = LogisticSums.of_labels(y, None)(np.array(values))

    assert c.shape == y.shape
    assert np.isnan(value) or not np.isnan(values).any()


# --- the AUC -----------------------------------------------------------------------------


def auc_on_threads(case, threads, sampled):
    """The AUC, plain and weighted, where threads count parts of the pairs."""
    with pytest.MonkeyPatch.context() as patch, aucbench.threads(threads):
        patch.setattr(concordance, "SHARED_FROM", 1)
        patch.setattr(concordance, "SAMPLE", sampled)
        shared = auc(case.y, case.s)
    assert shared == auc(case.y, case.s)
    return shared, auc(case.y, case.s, case.rng().uniform(0.5, 2.0, case.y.size))


def auc_by_pairs(case, threads, sampled):
    v = case.rng().uniform(0.5, 2.0, case.y.size)
    plain, weighted = np.ones(case.y.size), v
    return [reference.weighted_auc_by_pairs(case.y, case.s, each) for each in (plain, weighted)]


test_auc_equals_the_count_over_all_pairs_with_any_number_of_threads = equals_definition(
    auc_on_threads, auc_by_pairs, FEW, cases=scores, rtol=0, atol=1e-14, threads=st.integers(1, 4),
    sampled=st.sampled_from([1, 3, 1024]),
)  # fmt: skip


def test_counts_are_integers_and_lose_no_tie():
    n = 200_000
    pos, neg = np.ones(n), np.zeros(n)
    neg[-1] = 1

    count = ranks.concordant_twice(pos, neg)

    assert isinstance(count, int)
    assert count == 2 * n * n - n
