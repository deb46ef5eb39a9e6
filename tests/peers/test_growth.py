"""The cost of an operation grows as its method says: no accidental square."""

import re
from pathlib import Path

import numpy as np
import pytest
from nights import first

pytestmark = pytest.mark.plain

ROOT = Path(__file__).resolve().parents[2]
ABOVE = 0.4  # of the exponent of the method: caches and a busy machine, but no square
SHORT = 0.002  # CPU seconds of the longest call


@pytest.fixture(scope="module")
def growth():
    """benchmarks/growth.py, which is no part of the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        import benchmarks.growth

        yield benchmarks.growth


def as_made(growth, seconds, *, sorts=False):
    case = growth.Case("made", "n", lambda size: lambda: None, 10, 10**6, sorts=sorts)
    sizes = tuple(case.sizes())
    return growth.Growth(case, sizes, tuple(seconds(n) for n in sizes))


def test_the_exponent_is_that_of_the_law(growth):
    assert as_made(growth, lambda n: 3e-9 * n**2).exponent == pytest.approx(2.0)
    assert as_made(growth, lambda n: 1e-8 * n**0.5).exponent == pytest.approx(0.5)


def test_a_sort_is_linear_after_division_by_its_logarithm(growth):
    sort = as_made(growth, lambda n: 1e-8 * n * np.log(n), sorts=True)
    assert sort.exponent == pytest.approx(1.0)
    assert as_made(growth, lambda n: 1e-8 * n * np.log(n)).exponent > 1.05


def test_the_fixed_cost_of_a_call_does_not_hide_a_square(growth):
    assert as_made(growth, lambda n: 1e-3 + 1e-9 * n**2).exponent > 1.9


def test_a_square_that_is_timed_is_found(growth):
    def start(n):
        x = np.linspace(0.0, 1.0, n)
        return lambda: np.subtract.outer(x, x)

    case = growth.Case("all pairs", "n", start, 30, 10**4)
    assert max(growth.measured(case, SHORT).exponent for _ in range(3)) > 1.0 + ABOVE


def test_sizes_end_where_a_call_takes_long(growth):
    asked = []

    def start(n):
        asked.append(n)
        return lambda: np.zeros(n * 1_000).sum()

    one = growth.measured(growth.Case("sum", "n", start, 10, 10**9), 0.001)
    assert list(one.sizes) == asked
    assert one.seconds[-1] > 0.001
    assert max(one.seconds[:-1]) <= 0.001


@pytest.mark.nightly
def test_nothing_grows_faster_than_its_method(growth):
    """Several attempts: other work on the machine makes single sizes look slower.

    A report takes seconds, even of few cells; it is measured by `benchmarks/growth.py` alone.
    """
    left = [case for case in growth.cases() if not re.search("pass of|report", case.name)]
    assert len(left) > 25
    for _ in range(4):
        found = [growth.measured(case, SHORT) for case in left]
        left = [one.case for one in found if one.exponent > one.case.power + ABOVE]
    assert not left, [case.name for case in left]


@pytest.mark.slow
@pytest.mark.parametrize(
    "solver", first(["sht-auc", "aum", "rank-svm", "solam", "spam-l1", "svm-or"])
)
def test_no_pass_grows_faster_than_its_method(growth, solver):
    left = [case for case in growth.cases() if case.name == f"pass of {solver}"]
    assert {case.of for case in left} == {"n", "d", "nnz"}
    for _ in range(4):
        found = [growth.measured(case, SHORT) for case in left]
        left = [one.case for one in found if one.exponent > one.case.power + ABOVE]
    assert not left, [(case.of, case.cost) for case in left]
