"""AUM and its one-sided derivatives, and the AUC of any curve: equal to the definition."""

import numpy as np
import pytest
import reference
from definitions import ANY, DRAWN, SHAPES, equals_definition, labelled, scores
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from sequences import breakpoints

from aucbench.aum import aum_loss, loss, roc_auc
from aucbench.data.breakpoints import Breakpoints
from aucbench.errors import DataError
from aucbench.kernels import aum
from aucbench.metrics import auc

DENOMINATORS = pytest.mark.parametrize("denominator", ["rate", "count"])
SMALL = st.integers(-4, 4)


@st.composite
def changes(draw):
    """Breakpoints of a few examples, errors that rise and fall, many ties."""
    n = draw(st.integers(1, 4))
    rows = []
    for e in range(n):
        values = sorted({*draw(st.lists(SMALL, max_size=4))})
        for kind in (0, 1):
            levels = [0, *(draw(st.integers(0, 3)) for _ in values)]
            steps = np.diff(levels) if kind == 0 else -np.diff(levels)[::-1]
            rows += [
                (e, v, *((x, 0) if kind == 0 else (0, x)))
                for v, x in zip(values, steps, strict=True)
            ]
    order = draw(st.permutations(range(len(rows))))
    columns = np.array([rows[k] for k in order], dtype=float).reshape(-1, 4).T
    s = draw(st.lists(SMALL.map(float), min_size=n, max_size=n))
    return (columns[0].astype(int), *columns[1:]), np.array(s)


def sides_of(found):
    """The derivatives to the left and to the right."""
    return np.c_[found.left, found.right]


@given(changes())
def test_any_breakpoints_equal_the_definition(case):
    columns, s = case
    b = breakpoints(*columns, s.size)

    found = aum_loss(b, s)

    assert found.value == reference.aum(*columns, s)
    slopes = reference.aum_derivatives(*columns, s)
    np.testing.assert_array_equal(sides_of(found), slopes)
    np.testing.assert_array_equal(found.gradient, slopes.mean(axis=1))
    if columns[2].sum() > 0 > columns[3].sum():  # the curve may turn back
        area = float(reference.area_under_roc(*columns, s))
        assert roc_auc(b, s) == pytest.approx(area, abs=1e-12)
    else:
        assert_refused(lambda: roc_auc(b, s), DataError, "both kinds")


def of_labels(case, denominator):
    b = Breakpoints.of_labels(case.y, denominator)
    found = aum_loss(b, case.s)
    return found.value, sides_of(found), 1.0 + roc_auc(b, case.s)


def of_labels_exactly(case, denominator):
    b = Breakpoints.of_labels(case.y, denominator)
    columns = b.example, b.value, b.fp_diff, b.fn_diff, case.s
    slopes = reference.aum_derivatives(*columns)
    return float(reference.aum(*columns)), slopes, 1.0 + auc(case.y, case.s)


test_labels_equal_the_definition = equals_definition(
    of_labels, of_labels_exactly, ["whole", "steps"], cases=scores, of_cases={"most": 8},
    rtol=1e-12, atol=1e-15, denominator=st.sampled_from(["rate", "count"]),
)  # fmt: skip


def assert_as_sorted(y, s, denominator):
    """The kernel that selects gives what the sort gives."""
    b = Breakpoints.of_labels(y, denominator)
    found, wanted = loss.select_loss(b.sides, s), loss.sort_loss(b, s)
    rest = 1e-15 * np.abs(s).max() + 1e-320
    assert found.value == pytest.approx(wanted.value, rel=1e-12, abs=rest)
    np.testing.assert_allclose(sides_of(found), sides_of(wanted), rtol=1e-12, atol=1e-15)


@DENOMINATORS
@pytest.mark.parametrize("shape", DRAWN)
@given(st.data())
def test_selection_equals_the_sort(denominator, shape, data):
    case = data.draw(scores(shape, (), (0.0, 1e8)))
    assert_as_sorted(case.y, case.s, denominator)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("share", [0.001, 0.3, 0.9])
def test_a_sample_brackets_but_never_decides(shape, share):
    for denominator in ("rate", "count"):
        assert_as_sorted(*labelled(shape, 20_000, share, seed=3), denominator)


@DENOMINATORS
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_sample_that_misleads(denominator, sign):
    n, m = 32_768, 1_024  # the kernel's stretches: 32 rows, of which it looks at one
    stretch, i = n // m, np.arange(m, dtype=np.uint64)
    hashed = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)
    seen = i * np.uint64(stretch) + hashed % np.uint64(stretch)
    y, s = np.where(np.arange(n) % 3 == 0, 1, -1), np.random.default_rng(0).normal(size=n)
    s[seen] += sign * 100.0

    assert_as_sorted(y, s, denominator)


def test_rates_do_not_drift():
    y, s = labelled("normal", 1_000_000)
    b = Breakpoints.of_labels(y)

    fast, by_sort = loss.select_loss(b.sides, s), loss.sort_loss(b, s)

    assert by_sort.value == pytest.approx(fast.value, rel=1e-14)


@given(st.lists(ANY, min_size=2, max_size=42), st.booleans())
def test_kernels_end_on_any_floats(values, rates):
    s = np.array(values)
    n, y = s.size, np.where(np.arange(s.size) % 3 == 0, 1, -1)
    b = Breakpoints.of_labels(y)
    place, slopes, around = np.empty(n, np.int8), np.empty((2, aum.PLACES)), np.zeros((2, n))

    value = aum.binary_loss(s, b.sides.y, b.sides.n_pos, rates, np.empty(2 * n + 4), place, slopes)
    aum.sweep_loss(s, np.arange(n, dtype=np.int32)[::-1].copy(), b.example, s, s, *around)

    assert np.isfinite(s).all() or not np.isfinite(value)
    if np.isfinite(s).all():
        with np.errstate(over="ignore"):
            assert aum_loss(b, s).value >= 0.0


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("n", "columns"), [(10, 1), (9000, 1), (10, 2)])
def test_scores_that_are_not_finite_are_refused(strange, n, columns):
    s = np.arange(n, dtype=float)
    s[n // 2] = strange
    b = Breakpoints.of_labels(np.where(np.arange(n) % 3 == 0, 1, -1))
    if columns == 2:
        b = breakpoints(b.example, b.value + 1.0, b.fp_diff, b.fn_diff, n)
    for measure in (aum_loss, roc_auc):
        assert_refused(lambda f=measure: f(b, s), DataError, f"score {n // 2}")


@pytest.mark.parametrize("y", [[1, 1, 1], [-1, -1], []])
def test_one_class_has_no_area(y):
    b = Breakpoints.of_labels(y, "count")
    found = aum_loss(b, np.arange(len(y), dtype=float))

    assert found.value == 0.0
    assert not sides_of(found).any()
    assert_refused(lambda: roc_auc(b, np.zeros(len(y))), DataError, "classes")


def test_roc_auc_of_incomplete_errors_by_hand():
    """From (0, 0) by (0.3, 0), which is the nearer end in rates, and (0, 0.5) to (1, 1)."""
    most = {"possible_fp": [10, 10], "possible_fn": [2, 2]}
    b = Breakpoints.of_penalties(
        [0, 0], [-np.inf, 1.0], [0, 3], [1, 2], **most, denominator="count"
    )
    assert roc_auc(b, np.zeros(1)) == pytest.approx(0.675, abs=1e-15)
