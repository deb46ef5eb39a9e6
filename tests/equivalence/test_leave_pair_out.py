"""Leave-pair-out cross-validation in closed form against fits without each pair of rows."""

from dataclasses import replace

import numpy as np
import pytest
from optima import ridge_weights
from refusals import assert_refused, refusals
from samples import data, sample

import aucbench_plugins.ridge.leave_pair_out as leave_pair_out
from aucbench.data import Data, Terms
from aucbench.data.shapes import Shapes
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.optim import default_ridge
from aucbench.optim.choice import EXPONENTS
from aucbench.projectors import ridge_of
from aucbench.registry import get_solver
from aucbench.scale import ChunkedData, InMemory
from aucbench_plugins.ridge.leave_pair_out import LeavePairOut

pytestmark = pytest.mark.plain
SHAPES = {"long": {"n": 20, "d": 3}, "wide": {"n": 14, "d": 40}, "square": {"n": 15, "d": 15}}


def margins(X, y, lam):
    return np.vstack([*LeavePairOut(Data.of(X, y)).margins(lam)])


def refitted(X, y, lam, fit=ridge_weights):
    """w·(x_i − x_j) of each pair, with w of a fit without i and j."""
    X = X.toarray() if hasattr(X, "toarray") else X
    found = []
    for i in np.flatnonzero(y > 0):
        for j in np.flatnonzero(y < 0):
            rest = np.delete(np.arange(y.size), [i, j])
            w = np.atleast_1d(fit(X[rest], y[rest], lam))
            found.append(w @ (X[i] - X[j]))
    return np.reshape(found, (np.sum(y > 0), -1))


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("lam", [1e-3, 0.1, 30.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_margins_are_those_of_fits_without_the_pair(shape, lam, layout, monkeypatch):
    monkeypatch.setattr(leave_pair_out, "BLOCK", 25)  # several blocks, and one of a single row
    X, y = sample(3, **SHAPES[shape], layout=layout, density=0.6, ties=True)
    np.testing.assert_allclose(margins(X, y, lam), refitted(X, y, lam), rtol=0, atol=1e-9)


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_large_means_cost_no_digits(offset):
    X, y = sample(3, 16, 4)
    far = margins(X + offset, y, 0.1)
    np.testing.assert_allclose(far, margins(X, y, 0.1), rtol=0, atol=1e-14 * offset)


@pytest.mark.parametrize(
    ("X", "y", "auc"),
    [
        # Without 3 and 2 or 1 and 0, the rest says "larger is better", rightly; else wrongly.
        ([[3.0], [1.0], [2.0], [0.0]], [1, 1, -1, -1], 1 / 2),
        # Three pairs of equal rows tie; without another pair the rest says the wrong order.
        ([[1.0, 0.3]] * 3 + [[0.0, 0.1]] * 2, [1, -1, 1, 1, -1], 3 / 2 / 6),
        ([[0.0], [0.0], [0.0], [0.0]], [1, 1, -1, -1], 1 / 2),  # nothing to learn
        # Equal rows tie, as all rows do where equal ones are left; two pairs win.
        ([[2.0], [1.0], [1.0], [0.0]], [1, 1, -1, -1], 3 / 4),
        ([[0.7, 1.4], [2.1, 4.2], [2.1, 4.2], [4.9, 3.5]], [1, 1, -1, -1], 3 / 4),  # rounded sums
    ],
)
def test_auc_of_a_few_rows(X, y, auc):
    assert LeavePairOut(Data.of(np.array(X), np.array(y))).auc(0.1) == pytest.approx(auc)


def test_ls_svm_takes_the_best_value_of_auto():
    known = data(2, 40, 6, shift=0.2)
    of_pairs = LeavePairOut(known)
    lams = [default_ridge(known) * 10.0**e for e in EXPONENTS]
    aucs = [of_pairs.auc(lam) for lam in lams]
    assert len({*aucs}) > 1
    problem = get_solver("ls-svm[lam=leave-pair-out]").problem(
        known, np.random.default_rng(0), None
    )
    assert ridge_of(problem) == lams[int(np.argmax(aucs))]


def ask(**how):
    return lambda: LeavePairOut(data(**how))


def bounded():
    shapes = Shapes.of({"a": "increasing"}, ("a", "b"), 2)
    return LeavePairOut(replace(data(d=2), terms=Terms.each(2, shapes)))


REFUSED = refusals(
    ("weights", ask(weighted=True), UnsupportedError, "weights"),
    ("groups", ask(kind="groups"), UnsupportedError, "groups"),
    ("grades", ask(kind="grades"), UnsupportedError, "pairs"),
    ("times", lambda: LeavePairOut(Data.of(*sample(), times=range(60))), UnsupportedError, "times"),
    ("bounds", bounded, UnsupportedError, "bounds"),
    ("chunks", lambda: LeavePairOut(ChunkedData(InMemory(data(), 50))), UnsupportedError, "chunks"),
    ("one row", lambda: LeavePairOut(Data.of([[1.0], [2.0], [3.0]], [1, 0, 0])), DataError, "two"),
    ("long rows", lambda: margins(*sample(scale=1e160), 0.1), DataError, "too long"),
    ("wide rows", lambda: margins(*sample(0, 10, 30, scale=1e160), 0.1), DataError, "too long"),
    ("no ridge", lambda: margins(*sample(), 0.0), ParameterError, "lam"),
    ("hardly a ridge", lambda: margins(*sample(0, 10, 30), 1e-13), ParameterError, "rounding"),
    (
        "group lasso",
        lambda: get_solver("ls-svm", lam="leave-pair-out", group=0.1),
        ParameterError,
        "group",
    ),
)


@REFUSED
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)


def test_too_many_rows_are_refused_with_the_memory(monkeypatch):
    monkeypatch.setattr(leave_pair_out, "MOST", 1 << 17)
    assert_refused(lambda: LeavePairOut(data(n=400, d=400)), UnsupportedError, "1 MiB")
    LeavePairOut(data(n=400, d=300))
