"""The minimum of the AUM along a line: exact, whatever is tied, folded or sampled."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import reference as twins
from definitions import ANY, SHAPES, guarded
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import assert_refused, refusals

from aucbench.aum import line_min
from aucbench.aum.line_min import aum_line_min
from aucbench.errors import DataError
from aucbench.kernels import aum_line

NEVER = 1 << 40
# Examples up to which nothing is folded, and from which a sample is solved first.
WAYS = [(128, 3_000), (0, NEVER), (3, 0), (0, 0)]


@pytest.fixture(params=WAYS, ids=["default", "folded", "sampled", "both"])
def way(request, monkeypatch):
    monkeypatch.setattr(line_min, "FEW", request.param[0])
    monkeypatch.setattr(line_min, "SAMPLED", request.param[1])


def labels(n, share, rng):
    """Both classes, in any case."""
    y = np.where(rng.random(n) < share, 1, -1)
    y[:2] = 1, -1
    return y[rng.permutation(n)]


def integers(size, n, rng):
    return rng.integers(-size, size + 1, n).astype(float)


KINDS = {
    "normal": lambda n, y, g: (g.standard_normal(n), g.standard_normal(n)),
    "few integers": lambda n, y, g: (integers(2, n, g), integers(2, n, g)),
    "integers": lambda n, y, g: (integers(9, n, g), integers(9, n, g)),
    "equal scores": lambda n, y, g: (np.full(n, 3.0), integers(3, n, g)),
    "still": lambda n, y, g: (integers(4, n, g), integers(2, n, g) * (g.random(n) < 0.4)),
    "separated": lambda n, y, g: (g.standard_normal(n) - y, g.standard_normal(n) - 3 * y),
    "parallel": lambda n, y, g: (integers(5, n, g), -2.0 * y),
    "star": lambda n, y, g: ((v := integers(9, n, g)) * 2, v + (g.random(n) < 0.2)),
    "offset": lambda n, y, g: (integers(8, n, g) / 2 + 1e9, integers(4, n, g) - 1e7),
}
LEAST, LARGEST = 5e-324, np.finfo(float).max


def assert_exact(s, d, y):
    """The whole interval and the minimum, against rational numbers.

    A first minimiser that no float holds is an error, and a last one is infinite.
    """
    lo, hi, aum = exact(s, d, y)
    if lo > LARGEST:
        assert_refused(lambda: aum_line_min(s, d, y), DataError, "1.8e308")
        return
    found = aum_line_min(s, d, y)
    last = np.inf if hi is None or hi > LARGEST else float(hi)
    assert found.step_lo == pytest.approx(float(lo), rel=1e-12, abs=0)
    assert found.step_hi == pytest.approx(last, rel=1e-12, abs=0)
    # A minimum of 0 where lines cross is known to the rounding of the crossing.
    scale = np.ptp(s) + float(lo * Fraction(np.ptp(d)))
    assert found.value == pytest.approx(float(aum), rel=1e-12, abs=1e-15 * scale + LEAST)


def exact(*problem):
    """The answer of the twin, computed once for all ways, since it takes most of the time."""
    return twin_of(*(np.asarray(part, float).tobytes() for part in problem))


@cache
def twin_of(*problem):
    return twins.aum_line_min(*map(np.frombuffer, problem))


def draw(kind, seed, most=13):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, most))
    y = labels(n, rng.choice([0.0, 0.2, 0.5, 0.8, 1.0]), rng)
    return *KINDS[kind](n, y, rng), y


@pytest.mark.parametrize("kind", KINDS)
def test_equal_to_rational_arithmetic(kind, way):
    for seed in range(25):
        assert_exact(*draw(kind, seed))


@pytest.mark.parametrize("scores", [1000, 0, -50, -1000, -1070])
@pytest.mark.parametrize("direction", [-1074, -1030, -1000, 0, 1000])
def test_powers_of_2_down_to_the_least_number(scores, direction, way):
    for seed in range(12):
        s, d, y = draw("integers", seed, most=8)
        assert_exact(np.ldexp(s, scores), np.ldexp(d, direction), y)


@pytest.mark.parametrize("seed", range(4))
def test_a_level_stretch_is_level_in_spite_of_rounding(seed, way):
    """Sums of 0.1 and multiples of it differ in their last digits; those of 1 do not."""
    rng = np.random.default_rng(seed)
    y = labels(300, 0.5, rng)
    s, d = rng.standard_normal(300), np.ones(300)
    s[:2], d[:2], y[:2] = (90.0, -100.0), (-3.0, -23.0), (1, -1)
    found, wanted = aum_line_min(s, d * 0.1, y), aum_line_min(s, d, y)
    assert (found.step_lo, wanted.step_lo) == (0, 0)
    assert 1 < wanted.step_hi < np.inf
    assert found.step_hi == pytest.approx(10 * wanted.step_hi, rel=1e-12)


@pytest.mark.parametrize("few", range(9))
def test_scores_are_rounded_alike_wherever_they_are_stored(monkeypatch, few):
    """A step exactly at the minimum, then an array shortened by folding (found by chance)."""
    monkeypatch.setattr(line_min, "SAMPLED", NEVER)
    monkeypatch.setattr(line_min, "FEW", few)
    s = [0.9020450967300273, 1.4001972716464102, 0.8162192923867769, 0.5367540677515389]
    s += [0.21101884380035385, 0.47169583008370786, 1.4413077868079072, -0.583086289736399]
    d = [-0.1828834137910411, 0.7946281414577545, -0.9648893279845397, 0.9970027063197827]
    d += [0.03726276748572398, 0.49888492633174, -0.5907308406639397, -0.19545998009460636]
    assert_exact(np.array(s), np.array(d), np.array([1, -1, -1, -1, -1, -1, 1, -1]))


def float_aum(s, d, y, step):
    """The definition: sorted thresholds times min(FP, FN) between them."""
    v = s - step * d
    order = np.argsort(v)
    fn = np.cumsum(y[order] > 0) / np.count_nonzero(y > 0)
    fp = 1.0 - np.cumsum(y[order] <= 0) / np.count_nonzero(y <= 0)
    return float(np.diff(v[order]) @ np.minimum(fp, fn)[:-1])


@pytest.mark.parametrize("kind", KINDS)
def test_many_examples_have_a_minimum_that_slopes_confirm(kind, way):
    """Neighbours of the ends have no smaller AUM; within the interval it is level."""
    n, rng = 6_000, np.random.default_rng(2)
    y = labels(n, 0.25, rng)
    s, d = KINDS[kind](n, y, rng)
    found = aum_line_min(s, d, y)
    scale = np.ptp(s) + found.step_lo * np.ptp(d)
    last = min(found.step_hi, 2 * found.step_lo + 1)
    for step in (found.step_lo, last, (found.step_lo + last) / 2):
        assert float_aum(s, d, y, step) == pytest.approx(found.value, rel=1e-11, abs=1e-13 * scale)
    before = (0.0, *(found.step_lo * (1 - 2.0**-k) for k in range(1, 20)))
    for step in (*before, *(last * (1 + 2.0**-k) + 2.0**-k for k in range(20))):
        assert float_aum(s, d, y, step) >= found.value - 1e-13 * scale


def refused(name, word, scores=(0.0, 1.0), direction=(1.0, 0.0), y=(1, 0)):
    return name, lambda: aum_line_min(scores, direction, y), DataError, word


REFUSED = refusals(
    refused("NaN", "row 1", scores=[0.0, np.nan]),
    refused("infinite", "row 0", direction=[np.inf, 0.0]),
    refused("lengths", "scores", scores=[0.0]),
    refused("a matrix", "direction", direction=[[1.0, 0.0]]),
    refused("one class", "positive", y=[1, 1]),
    refused("too far", "1.8e308", scores=[1e300, 0.0], direction=[1e-300, 0.0], y=[0, 1]),
)


@REFUSED
def test_what_cannot_be_minimised_is_refused(call, error, word):
    assert_refused(call, error, word)


# --- the kernel alone --------------------------------------------------------------------


@settings(max_examples=100)
@given(
    st.lists(st.tuples(ANY, ANY), min_size=2, max_size=12),
    st.sampled_from(WAYS),
    st.sampled_from([1, 40, 400]),
)
def test_the_kernel_ends_inside_its_bounds(rows, way, repeat):
    s, d = np.tile(np.array(rows).T, repeat).copy()
    y = np.where(np.arange(s.size) % 3 == 1, 1, -1).astype(np.int8)
    space, assert_untouched = guarded(np.full(4 * s.size + line_min.SAMPLE_ROOM, 7.25))
    units = np.array([[0.0, 0.0], [1.0, 1.0]])
    aum_line.line_min(s, d, y, units, *way, space, np.zeros(3))
    assert_untouched()


MEDIANS = ["normal", "sorted", "reversed", "one value", "steps", "mostly tied", "period", "wild"]


def values_of(shape, n):
    rng = np.random.default_rng(n)
    if shape == "wild":
        z = rng.standard_normal(n)
        return np.where(np.abs(z) > 1, np.inf * z, z)
    return SHAPES[shape](rng, n)


@pytest.mark.parametrize("shape", MEDIANS)
@pytest.mark.parametrize("sizes", [(1, 3), (90, 90), (1, 5_000), (3_000, 20), (4_000, 9_000)])
def test_weighted_median_is_its_definition(shape, sizes):
    pos, neg = (values_of(shape, m) + k for k, m in enumerate(sizes))
    values = np.concatenate([pos, neg])
    mass = np.repeat([neg.size, pos.size], [pos.size, neg.size])
    order = np.argsort(-values, kind="stable")
    sums, total = np.cumsum(mass[order]), 2 * pos.size * neg.size
    for target in {1, 2, total // 3, total // 2, total // 2 + 1, total - 1, total} - {0}:
        wanted = values[order][np.searchsorted(sums, target)]
        found = aum_line.weighted_median(pos, neg, target, np.empty_like(pos), np.empty_like(neg))
        assert found[0] == wanted
