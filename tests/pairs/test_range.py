"""Ranges of the ROC curve: the definition, all choices of rows, and where w = 0 is the best."""

from fractions import Fraction as F
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
import reference
from nights import first

from aucbench import solve
from aucbench.data import Data
from aucbench.errors import CollapsedWarning
from aucbench.objectives import PairwiseHinge, PairwiseLogistic, PairwiseSquaredHinge
from aucbench.pairs import Fpr, Top

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/ranges.py"
least_range = run_path(str(EXAMPLE))["least_range"]
Y = np.array([1, 1, 1, 1, -1, -1, -1, -1, -1])
S = np.array([4, 2, 1, 0, 3, 2, 0.5, -1, -2])
GOLDEN = [  # β, α, hinge, its derivatives, squared hinge
    (1.0, 0.0, "17/20", "0 -1/10 -3/20 -3/20 3/20 3/20 1/10 0 0", "91/40"),
    (0.4, 0.0, "15/8", "0 -1/4 -1/4 -1/4 3/8 3/8 0 0 0", "43/8"),
    (0.5, 0.0, "8/5", "0 -1/5 -1/4 -1/4 3/10 3/10 1/10 0 0", "177/40"),
    (0.3, 0.0, "2", "0 -1/4 -1/4 -1/4 1/2 1/4 0 0 0", "6"),
    (1.0, 0.5, "7/5", "0 0 -3/10 -3/10 1/5 1/5 1/5 0 0", "81/20"),
    (0.5, 0.25, "32/15", "0 -4/15 -1/3 -1/3 2/5 2/5 2/15 0 0", "59/10"),
    (0.3, 0.4, "35/12", "0 -1/6 -5/12 -5/12 2/3 1/3 0 0 0", "37/4"),
    (None, 0.0, "9/4", "0 -1/4 -1/4 -1/4 3/4 0 0 0 0", "29/4"),
]


def labelled(y, pairs, weights=None, groups=None, X=None):
    X = np.zeros((len(y), 1)) if X is None else X
    return Data.of(X, y, pairs=pairs, weights=weights, groups=groups)


@pytest.mark.parametrize(("beta", "alpha", "hinge", "c", "squared"), GOLDEN)
def test_golden_numbers(beta, alpha, hinge, c, squared):
    data = labelled(Y, Top() if beta is None else Fpr(max=beta, min_tpr=alpha))
    value, slopes = PairwiseHinge(data).of_scores(S)
    assert value == pytest.approx(float(F(hinge)))
    np.testing.assert_allclose(slopes, [float(F(x)) for x in c.split()], atol=1e-15)
    assert PairwiseSquaredHinge(data).of_scores(S)[0] == pytest.approx(float(F(squared)))
    assert np.isnan(PairwiseHinge(data).of_scores(np.where(S == -2, np.nan, S))[0])


@pytest.mark.parametrize("grouped", [False, True])
def test_ranges_are_those_of_the_definition(grouped):
    rng = np.random.default_rng(10)
    for case in range(120):
        n = int(rng.integers(4, 14))
        y = np.where(rng.random(n) < 0.5, 1, -1)
        y[:2] = 1, -1
        group = rng.integers(0, 3, n) if grouped else np.zeros(n, int)
        group[:2] = 0
        weights = rng.integers(1, 4, n) if case % 2 else np.ones(n, int)
        s = rng.integers(-8, 9, n) / 4
        beta, alpha = F(int(rng.integers(1, 9)), 8), F(int(rng.integers(0, 8)), 8)
        rest = (0.0, 0.5)[case % 3 == 0]
        pairs = Fpr(float(beta), float(alpha), rest, "user" if grouped else None)
        v = weights.astype(float) if case % 2 else None
        data = labelled(y, pairs, v, group)
        twin, whole = (
            reference.of_range(y, s, weights, group, *ab) for ab in ((beta, alpha), (F(1), F(0)))
        )
        mixed = {p: twin.get(p, F(0)) * (1 - F(rest)) + whole.get(p, F(0)) * F(rest) for p in whole}
        for loss, objective in (("hinge", PairwiseHinge), ("squared", PairwiseSquaredHinge)):
            value, c = objective(data).of_scores(s)
            wanted = reference.sums(mixed, s, loss)
            assert value == pytest.approx(float(wanted[0]), rel=1e-12, abs=1e-13)
            np.testing.assert_allclose(c, np.array(wanted[1], float), atol=1e-12)


def some_rows(rng, n=60):
    y = np.where(rng.random(n) < 0.4, 1, -1)
    y[:2] = 1, -1
    return y, np.round(rng.normal(size=n), 1) + 0.5 * (y > 0)


@pytest.mark.parametrize(
    "objective", first([PairwiseHinge, PairwiseSquaredHinge, PairwiseLogistic])
)
def test_zero_is_the_best_exactly_where_the_reduced_hulls_meet(objective):
    rng = np.random.default_rng(17)
    met = 0
    for _ in range(14):
        n = int(rng.integers(8, 25))
        y = np.where(np.arange(n) < n // 2, 1, -1)
        X = rng.normal(size=(n, 2)) + rng.choice([0.5, 1.0, 1.5]) * (y > 0)[:, None]
        beta, alpha = float(rng.choice([0.15, 0.3, 0.5, 0.8])), float(rng.choice([0.0, 0.3]))
        meet = beta <= least_range(labelled(y, None, X=X), alpha)
        f = objective(labelled(y, Fpr(max=beta, min_tpr=alpha), X=X))
        lowest = min(
            f.value(1e-3 * np.array([np.cos(a), np.sin(a)])) for a in np.linspace(0, 2 * np.pi, 121)
        )
        # Near 0 the loss falls in some direction, or in none.
        assert meet == (lowest >= f.value(np.zeros(2)) - 1e-7)
        met += meet
    assert 1 < met < 12


def test_a_collapse_warns_and_rest_helps():
    rng = np.random.default_rng(18)
    y, s = some_rows(rng, 300)
    X = np.column_stack([s + (y > 0), rng.normal(size=300)])
    narrow = labelled(y, Fpr(max=0.02), X=X)
    assert 0.02 < least_range(narrow) < 1.0
    with pytest.warns(CollapsedWarning):
        run = solve("svm-or", narrow)
    assert run.collapsed
    assert not solve("svm-or", labelled(y, Fpr(max=0.02, rest=0.5), X=X)).collapsed
    assert least_range(labelled(np.array([1, 1, -1]), None, X=np.array([[2.0], [3], [0]]))) == 0.0
