"""The sweep: every entry equal to the published search in rational numbers, at any scale."""

import numpy as np
import pytest
from definitions import ANY, guarded
from hypothesis import given
from hypothesis import strategies as st
from paths import exact_rows
from refusals import assert_refused, refusals

from aucbench.aum.lines import Lines
from aucbench.aum.path import Sweep, aum_path
from aucbench.errors import DataError
from aucbench.kernels import aum_sweep

COLUMNS = ["step", "aum", "aum_slope_after", "auc", "auc_after"]
VALUES = {
    "few": lambda rng, B: rng.integers(-2, 3, B) * 1.0,
    "whole": lambda rng, B: rng.integers(-5, 6, B) * 1.0,
    "tenths": lambda rng, B: rng.integers(-9, 10, B) * 0.1,
    "thirds": lambda rng, B: rng.integers(-9, 10, B) / 3.0,
    "normal": lambda rng, B: rng.standard_normal(B),
    "near": lambda rng, B: 1.0 + rng.integers(-3, 4, B) * 2.0**-52,
    "wide": lambda rng, B: rng.standard_normal(B) * 10.0 ** rng.integers(-30, 31, B),
    "widest": lambda rng, B: rng.choice([-1, 0, 1], B) * 2.0 ** rng.integers(-1070, 1000, B),
    "subnormal": lambda rng, B: rng.integers(-5, 6, B) * 5e-324,
}
ERRORS = {
    "labels": lambda rng, B: (y := rng.integers(0, 2, B) * 1.0, y - 1.0),
    "rates": lambda rng, B: (
        (y := rng.integers(0, 2, B)) / max(1, y.sum()),
        (y - 1.0) / max(1, B - y.sum()),
    ),
    "counts": lambda rng, B: (rng.integers(0, 4, B) * 1.0, -rng.integers(0, 4, B) * 1.0),
    "any": lambda rng, B: (rng.integers(-2, 4, B) * 1.0, -rng.integers(-2, 4, B) * 1.0),
}
SCALES = [1.0, 1.0, 1e-8, 1e8, 1e-200, 1e200]


def problem(rng, most=8):
    """Lines and errors of a kind each, with sums that allow an AUC."""
    B = rng.integers(2, most + 1)
    kinds = list(VALUES)
    T, d = (VALUES[rng.choice(kinds)](rng, B) for _ in range(2))
    if max(np.abs(T).max(), np.abs(d).max()) < 1e60:
        T, d = T * rng.choice(SCALES), d * rng.choice(SCALES)
    if rng.random() < 0.2:  # all meet in one point, but for rounding
        T = 2.0 - d
    errors = ERRORS[rng.choice(list(ERRORS))]
    while True:
        fp, fn = errors(rng, B)
        if fp.sum() > 0 > fn.sum():
            return T, d, fp, fn


def columns(path):
    return np.array([getattr(path, name) for name in COLUMNS])


def rounded(x):
    """The fraction as a float, NaN where it is too large."""
    return float(x) if abs(x) < 2**1023 else np.nan


def check(T, d, fp, fn):
    """Equal steps, and the rest but for the last places; return the number of entries."""
    twin = exact_rows(T, d, fp, fn)
    *expected, exact_steps = np.array([[rounded(x) for x in row] for row in twin]).T
    expected = np.array(expected)
    found = columns(aum_path(T, d, fp, fn))
    np.testing.assert_array_equal(found[0], expected[0])
    # Rates do not sum up to 1: AUM may be a rest of the whole.
    rest = [[1e-15 * np.nanmax(np.abs(row)) + 1e-307] for row in expected[1:3]] + [[1e-14]] * 2
    rest = rest + 1e-13 * np.abs(expected[1:])
    with np.errstate(over="ignore"):
        slope = np.abs(d).max() * np.abs([*fp, *fn]).sum()
        # A sum of slopes of quite different sizes holds to 2^-100 of the largest, or to subnormals.
        rest[0] += (1e-28 * slope + 1e-320) * expected[0]
        rest[1] += 1e-28 * slope + 1e-320
        # Of several exact steps that are one float, AUM is at one of them; subnormals have no tail.
        vague = (exact_steps > 1) | (expected[0] < 2.0**-900)
        rest[0] += slope * np.where(vague, np.spacing(expected[0]), 0.0)
    right = np.abs(found[1:] - expected[1:]) <= rest
    right |= np.isnan(expected[1:]) | np.isinf(rest)
    assert right.all(), f"{T=} {d=} {fp=} {fn=} {found=} {expected=}"
    return found.shape[1]


def test_equals_the_twin():
    rng = np.random.default_rng(0)
    assert sum(check(*problem(rng)) for _ in range(250)) > 600


@given(st.lists(st.tuples(*[st.floats(-(2.0**1000), 2.0**1000)] * 2), min_size=2, max_size=5))
def test_any_lines(lines):
    T, d = np.array(lines).T
    y = np.arange(T.size) % 2

    check(T, d, y * 1.0, y - 1.0)


@pytest.mark.parametrize("tail", [0.0, 2.0**-70, -(2.0**-70), 2.0**-160, -(2.0**-1000)])
@pytest.mark.parametrize("whole", [1.0, 2.0**60, 1.0 + 2.0**-30, 2.0**-990])
@pytest.mark.parametrize("odd", [1, 3])
def test_rounds_a_quotient_near_a_midpoint(tail, whole, odd):
    T, d = np.array([-odd * whole * 2.0**-53, whole]), np.array([whole, whole * tail])

    assert check(T, d, np.array([1.0, 0.0]), np.array([0.0, -1.0])) == 2


def test_a_run_of_many_lines_is_one_entry():
    d = np.random.default_rng(0).permutation(20_000).astype(np.float64)
    y = d < 8_000

    path = aum_path(3.0 - d, d, y - 0.0, y - 1.0)

    np.testing.assert_array_equal(path.step, [0.0, 1.0])
    np.testing.assert_array_equal(path.auc, [1.0, 0.5])
    np.testing.assert_array_equal(path.auc_after, [1.0, 0.0])
    assert path.aum[1] == 0.0


def swept(lines, **options):
    """All columns, and the ending."""
    out = np.empty((5, 5_000))
    filled, ending = Sweep.over(Lines(*lines)).run(out, **options)
    return out[:, :filled], ending


@pytest.mark.parametrize("flip", [1.0, -1.0])
def test_stops_where_it_is_told_to(flip):
    rng = np.random.default_rng(2)
    y = rng.random(200) < 0.3
    lines = rng.standard_normal(200), flip * rng.standard_normal(200), 1.0 * y, y - 1.0
    whole = columns(aum_path(*lines))

    found, ending = swept(lines, until_aum_rises=True)
    assert (ending, found.shape[1]) == (aum_sweep.STOPPED, 1 + np.argmax(whole[2] >= 0))
    found, ending = swept(lines, step_limit=whole[0, 40])
    assert (ending, found.shape[1]) == (aum_sweep.STEP_LIMIT, 41)
    for events in (0, 1, 17):
        path = aum_path(*lines, max_events=events)
        np.testing.assert_array_equal(columns(path), whole[:, : events + 1])


@given(st.lists(st.tuples(ANY, ANY), min_size=1, max_size=12), st.randoms())
def test_ends_in_bounds_on_any_floats_in_any_order(lines, random):
    T, d = np.array(lines).T.copy()
    n = T.size
    order = np.array(random.sample(range(n), n), np.int32)
    fp = np.array([random.choice([0, 1, -(2**40), 2**40]) for _ in range(n)])
    room, assert_untouched = guarded(np.zeros(aum_sweep.room_size(n)))
    aum_sweep.begin(T, d, fp, -fp[::-1].copy(), order, 1.0, room)

    filled, ending = aum_sweep.run(room, np.inf, False, np.empty((5, n * n + 1)))

    assert ending == aum_sweep.EXHAUSTED
    assert 1 <= filled <= 1 + n * (n - 1) // 2
    assert_untouched()


def refused(name, word, **change):
    lines = {"intercept": [0, 1], "slope": [1, 0], "fp_diff": [1, 0], "fn_diff": [0, -1]}
    return name, lambda: aum_path(**(lines | change)), DataError, word


REFUSED = refusals(
    refused("NaN", "intercept", intercept=[0.0, np.nan]),
    refused("too steep", "slope", slope=[0.0, 2.0**1001]),
    refused("infinite errors", "fp_diff", fp_diff=[np.inf, 0.0]),
    refused("signs of errors", "negative", fn_diff=[0.0, 1.0]),
    refused("lengths", "length", slope=[0.0]),
    refused("a number", "length", slope=0.0),
    refused("nothing", "both kinds", intercept=[], slope=[], fp_diff=[], fn_diff=[]),
)


@REFUSED
def test_what_has_no_path_is_refused(call, error, word):
    assert_refused(call, error, word)
