"""AUM and its one-sided derivatives: equal to the definition, ties and all."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from sequences import breakpoints

from aucbench.aum import Lines, aum_loss, aum_path, loss, roc_auc
from aucbench.data.breakpoints import Breakpoints
from aucbench.errors import DataError
from aucbench.kernels import aum
from aucbench.metrics import auc

DENOMINATORS = pytest.mark.parametrize("denominator", ["rate", "count"])
WHOLE = st.integers(-3, 3).map(float)
ANY = st.floats(allow_nan=False, allow_infinity=False)
SCORES = st.sampled_from(
    [
        WHOLE,
        st.floats(-5.0, 5.0),
        st.sampled_from([0.0, -0.0, 1.0, 5e-324, -5e-324, 1.0 - 2**-53, 1.0 + 2**-52]),
        st.floats(-1e100, 1e100),
        WHOLE.map(lambda x: 1e8 + x),
    ]
)


@st.composite
def labelled(draw, most=40):
    y = [1, -1, *draw(st.lists(st.sampled_from([-1, 1]), max_size=most))]
    s = draw(st.lists(draw(SCORES), min_size=len(y), max_size=len(y)))
    return np.array(y), np.array(s)


@st.composite
def changes(draw):
    """Breakpoints of a few examples, errors that rise and fall, many ties."""
    n = draw(st.integers(1, 4))
    rows = []
    for e in range(n):
        values = sorted({*draw(st.lists(st.integers(-4, 4), max_size=4))})
        for kind in (0, 1):
            levels = [0, *(draw(st.integers(0, 3)) for _ in values)]
            steps = np.diff(levels) if kind == 0 else -np.diff(levels)[::-1]
            rows += [
                (e, v, *((x, 0) if kind == 0 else (0, x)))
                for v, x in zip(values, steps, strict=True)
            ]
    order = draw(st.permutations(range(len(rows))))
    columns = np.array([rows[k] for k in order], dtype=float).reshape(-1, 4).T
    scores = draw(st.lists(st.integers(-4, 4).map(float), min_size=n, max_size=n))
    return (columns[0].astype(int), *columns[1:]), np.array(scores)


def compare(found, expected, scale):
    assert found.value == pytest.approx(expected.value, rel=1e-12, abs=1e-15 * scale + 1e-320)
    np.testing.assert_allclose(found.left, expected.left, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.right, expected.right, rtol=1e-12, atol=1e-15)


@given(changes())
def test_any_breakpoints_equal_the_definition(case):
    columns, s = case

    found = aum_loss(breakpoints(*columns, s.size), s)

    assert found.value == reference.aum(*columns, s)
    slopes = reference.aum_derivatives(*columns, s)
    np.testing.assert_array_equal(np.c_[found.left, found.right], slopes)
    np.testing.assert_array_equal(found.gradient, slopes.mean(axis=1))


@DENOMINATORS
@given(st.lists(st.tuples(st.sampled_from([-1, 1]), WHOLE), max_size=8))
def test_labels_equal_the_definition(denominator, rows):
    y, s = np.array([(1, 1.0), (-1, 0.0), *rows]).T
    b = Breakpoints.of_labels(y, denominator)
    columns = b.example, b.value, b.fp_diff, b.fn_diff

    found = aum_loss(b, s)

    assert found.value == pytest.approx(float(reference.aum(*columns, s)), rel=1e-13)
    slopes = reference.aum_derivatives(*columns, s)
    np.testing.assert_allclose(np.c_[found.left, found.right], slopes, rtol=1e-12, atol=1e-16)


@DENOMINATORS
@given(labelled())
def test_selection_equals_the_sort(denominator, case):
    y, s = case
    b = Breakpoints.of_labels(y, denominator)

    compare(loss.select_loss(b.sides, s), loss.sort_loss(b, s), np.abs(s).max())


CROWDED = {
    "normal": lambda rng, n: rng.normal(size=n),
    "outliers": lambda rng, n: np.r_[1e12, -1e9, rng.normal(size=n - 2)],
    "cauchy": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "tied": lambda rng, n: np.zeros(n),
    "mostly tied": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.normal(size=n)),
    "steps": lambda rng, n: 0.25 * rng.integers(0, 9, n),
    "sorted": lambda rng, n: np.sort(rng.normal(size=n)),
    "neighbours": lambda rng, n: 1.0 + 2.0**-52 * rng.integers(0, 2000, n),
}


@DENOMINATORS
@pytest.mark.parametrize("name", CROWDED)
@pytest.mark.parametrize("share", [0.001, 0.3, 0.9])
def test_a_sample_brackets_but_never_decides(denominator, name, share):
    rng = np.random.default_rng(3)
    y = np.where(rng.random(20_000) < share, 1, -1)
    y[:2] = 1, -1
    s = CROWDED[name](rng, y.size) + (y > 0)
    b = Breakpoints.of_labels(y, denominator)

    compare(loss.select_loss(b.sides, s), loss.sort_loss(b, s), np.abs(s).max())


@DENOMINATORS
def test_a_sample_that_misleads(denominator):
    n, m = 32_768, 1_024  # the kernel's stretches: 32 rows, of which it looks at one
    stretch, i = n // m, np.arange(m, dtype=np.uint64)
    hashed = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)
    seen = i * np.uint64(stretch) + hashed % np.uint64(stretch)
    y = np.where(np.arange(n) % 3 == 0, 1, -1)
    for sign in (-1.0, 1.0):
        s = np.random.default_rng(0).normal(size=n)
        s[seen] += sign * 100.0
        b = Breakpoints.of_labels(y, denominator)
        compare(loss.select_loss(b.sides, s), loss.sort_loss(b, s), 100.0)


@given(labelled(), st.lists(ANY, min_size=42, max_size=42))
def test_any_finite_scores_end(case, values):
    y, _ = case
    b = Breakpoints.of_labels(y)

    with np.errstate(over="ignore"):
        found = aum_loss(b, np.array(values[: y.size]))

    assert found.value >= 0.0


@given(labelled(), st.lists(st.floats(), min_size=42, max_size=42), st.booleans())
def test_kernels_end_on_any_floats(case, values, rates):
    y, _ = case
    n, s = y.size, np.array(values[: y.size])
    b = Breakpoints.of_labels(y)
    place, slopes, around = np.empty(n, np.int8), np.empty((2, aum.PLACES)), np.zeros((2, n))

    value = aum.binary_loss(s, b.sides.y, b.sides.n_pos, rates, np.empty(2 * n + 4), place, slopes)
    aum.sweep_loss(s, np.arange(n, dtype=np.int32)[::-1].copy(), b.example, s, s, *around)

    assert np.isfinite(s).all() or not np.isfinite(value)


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [10, 9000])
@pytest.mark.parametrize("columns", [1, 2])
def test_scores_that_are_not_finite_are_refused(strange, n, columns):
    y = np.where(np.arange(n) % 3 == 0, 1, -1)
    s = np.arange(n, dtype=float)
    s[n // 2] = strange
    b = Breakpoints.of_labels(y)
    if columns == 2:
        b = breakpoints(b.example, b.value + 1.0, b.fp_diff, b.fn_diff, n)
    for measure in (aum_loss, roc_auc):
        with pytest.raises(DataError, match=f"score {n // 2} is"):
            measure(b, s)


@pytest.mark.parametrize("y", [[1, 1, 1], [-1, -1], []])
def test_one_class_has_no_area(y):
    b = Breakpoints.of_labels(y, "count")
    found = aum_loss(b, np.arange(len(y), dtype=float))

    assert found.value == 0.0
    np.testing.assert_array_equal(np.r_[found.left, found.right], 0.0)
    with pytest.raises(DataError, match="both classes"):
        roc_auc(b, np.zeros(len(y)))


def test_rates_do_not_drift():
    n = 1_000_000
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    s = rng.normal(size=n)
    b = Breakpoints.of_labels(y)

    fast, sorted_ = loss.select_loss(b.sides, s), loss.sort_loss(b, s)

    assert sorted_.value == pytest.approx(fast.value, rel=1e-14)


@given(labelled())
def test_roc_auc_of_labels_is_the_auc(case):
    y, s = case

    for denominator in ("rate", "count"):
        found = roc_auc(Breakpoints.of_labels(y, denominator), s)
        assert found == pytest.approx(auc(y, s), abs=1e-13)


@given(changes())
def test_roc_auc_of_curves_that_turn_back(case):
    columns, s = case
    b = breakpoints(*columns, s.size)
    if columns[2].sum() > 0 > columns[3].sum():
        found = roc_auc(b, s)
        assert found == pytest.approx(float(reference.area_under_roc(*columns, s)), abs=1e-12)
    else:
        with pytest.raises(DataError, match="both kinds"):
            roc_auc(b, s)


@st.composite
def penalties(draw):
    """Errors on intervals of log λ, what is possible, and scores; few numbers, so many ties."""
    n = draw(st.integers(1, 4))
    rows = []
    for e in range(n):
        low = [-np.inf, *sorted(draw(st.sets(st.integers(-3, 3), max_size=4)))]
        most = draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
        errors = st.tuples(*(st.integers(0, m) for m in most))
        rows += [(e, m, *draw(errors), *most) for m in low]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return columns, draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))


@given(penalties())
def test_roc_auc_of_penalties_is_that_of_rochange(case):
    (e, low, fp, fn, most_fp, most_fn), s = case
    most = {"possible_fp": most_fp, "possible_fn": most_fn}
    b = Breakpoints.of_penalties(e, low, fp, fn, **most, denominator="count")

    if min(b.possible) > 0:
        expected = reference.rochange(e, low, fp, fn, most_fp, most_fn, s)
        assert roc_auc(b, s) == pytest.approx(float(expected), abs=1e-12)
        if min(b.fp_diff.sum(), -b.fn_diff.sum()) > 0:
            assert roc_auc(b.rates, s) == pytest.approx(float(expected), abs=1e-12)
    else:
        with pytest.raises(DataError, match="both kinds"):
            roc_auc(b, s)


@given(penalties(), st.integers(1, 4))
def test_the_auc_of_a_path_grows_with_roc_auc(case, seed):
    (e, low, fp, fn, most_fp, most_fn), s = case
    most = {"possible_fp": most_fp, "possible_fn": most_fn}
    b = Breakpoints.of_penalties(e, low, fp, fn, **most, denominator="count")
    X, F = b.fp_diff.sum(), -b.fn_diff.sum()
    if not min(X, F) > 0:
        return
    direction = np.random.default_rng(seed).standard_normal(b.n)
    lines = Lines.of(b, s, direction)
    path = aum_path(lines.intercept, lines.slope, lines.fp_diff, lines.fn_diff)
    steps = np.r_[path.step[1:], 2.0 * path.step[-1] + 1.0]
    areas = [roc_auc(b, s - step * direction) for step in (path.step + steps) / 2.0]

    P, N = b.possible
    np.testing.assert_allclose(
        np.array(areas) - areas[0],
        (path.auc_after - path.auc_after[0]) * (X * F / (P * N)),
        atol=1e-9,
    )
