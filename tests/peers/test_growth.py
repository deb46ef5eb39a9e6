"""The cost of an operation grows as its method says: no accidental square."""

import re

import numpy as np
import pytest
from nights import first
from shown_pages import ROOT

pytestmark = pytest.mark.plain

ABOVE = 0.4  # of the exponent of the method: caches and a busy machine, but no square
SHORT = 0.002  # CPU seconds of the longest call


@pytest.fixture(scope="module")
def growth():
    """benchmarks/growth.py, which is no part of the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        import benchmarks.growth

        yield benchmarks.growth


def test_a_square_that_is_timed_is_found_and_sizes_end_where_a_call_takes_long(growth):
    asked = []

    def start(n):
        asked.append(n)
        x = np.linspace(0.0, 1.0, n)
        return lambda: np.subtract.outer(x, x)

    found = [growth.measured(growth.Case("pairs", "n", start, 30, 10**4), SHORT) for _ in "123"]
    assert max(one.exponent for one in found) > 1.0 + ABOVE
    assert [n for one in found for n in one.sizes] == asked
    assert all(max(one.seconds[:-1]) <= SHORT < one.seconds[-1] for one in found)


def assert_no_faster(growth, left):
    """Several attempts: other work on the machine makes single sizes look slower."""
    for _ in range(4):
        found = [growth.measured(case, SHORT) for case in left]
        left = [one.case for one in found if one.exponent > one.case.power + ABOVE]
    assert not left, [(case.name, case.of, case.cost) for case in left]


@pytest.mark.nightly
def test_nothing_grows_faster_than_its_method(growth):
    """A report takes seconds, even of few cells; `benchmarks/growth.py` alone measures it."""
    left = [case for case in growth.cases() if not re.search("pass of|report", case.name)]
    assert len(left) > 25
    assert_no_faster(growth, left)


@pytest.mark.slow
@pytest.mark.parametrize(
    "solver", first(["sht-auc", "aum", "rank-svm", "solam", "spam-l1", "svm-or"])
)
def test_no_pass_grows_faster_than_its_method(growth, solver):
    left = [case for case in growth.cases() if case.name == f"pass of {solver}"]
    assert {case.of for case in left} == {"n", "d", "nnz"}
    assert_no_faster(growth, left)
