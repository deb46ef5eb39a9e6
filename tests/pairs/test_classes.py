"""Pairs of three or more classes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench import get_solver, solve
from aucbench.data import Categories, Data
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics import hand_till, one_vs_rest
from aucbench.pairs import ByClass, Group, concordance, members_of
from aucbench.pairs.classes import Weighted


def classed(seed, n=12, k=3):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(k), rng.integers(0, k, n - k))
    weights = rng.integers(1, 4, n).astype(float)
    return Data.of(rng.integers(-12, 13, (n, k)) / 4, Categories.of(y), weights=weights)


def naive(y, v, k, each):
    """The share of each pair of rows on column k, from the definition."""
    masses = [
        sum(int(w) for w, c in zip(v, y, strict=True) if c == own) for own in range(max(y) + 1)
    ]
    pairs = {
        (i, j): Fraction(int(v[i] * v[j]), masses[k] * (masses[y[j]] if each == "classes" else 1))
        for i in range(len(y))
        for j in range(len(y))
        if y[i] == k != y[j]
    }
    total = sum(pairs.values())
    return {pair: share / total for pair, share in pairs.items()}


@given(st.integers(0, 2**32 - 1), st.sampled_from(["classes", "rest"]))
def test_members_are_those_of_the_definition(seed, each):
    data = classed(seed)
    y, v = data.target.y.tolist(), data.weights
    thetas = []
    for k, members in enumerate(ByClass(each).of_each(data)):
        pairs = naive(y, v, k, each)
        u = np.arange(1.0, data.n + 1)
        wanted = [
            sum(float(p) * u[j] for (i, j), p in pairs.items() if i == r) for r in range(data.n)
        ]
        np.testing.assert_allclose(members.times(u)[0], wanted, atol=1e-13)
        thetas.append(concordance(members, np.ascontiguousarray(data.rows.matrix[:, k]))[0])
    measure = hand_till if each == "classes" else one_vs_rest
    assert np.mean(thetas) == pytest.approx(measure(y, data.rows.matrix, v), abs=1e-13)


def test_other_pairs_and_other_targets_are_refused():
    with pytest.raises(ParameterError, match="give classes or rest"):
        ByClass("pair")
    labelled = Data.of(np.eye(2), [0, 1], pairs=ByClass())
    with pytest.raises(DataError, match="the target is labels"):
        [*ByClass().labels(labelled)]
    data = classed(0)
    grouped = replace(data, groups=np.arange(data.n, dtype=np.int32), pairs=Group())
    with pytest.raises(DataError, match="whose pairs are those of ByClass, and Group was given"):
        solve("svm-or", grouped)


def test_a_solver_without_weights_refuses_pairs_of_classes_that_are_asked_for():
    data = classed(0)
    even, rest = (
        Data.of(data.rows, Categories.of(data.target.y), pairs=p)
        for p in (ByClass(), ByClass("rest"))
    )
    with pytest.raises(UnsupportedError, match=r"class\[each=rest\].*svm-or"):
        solve("sht-auc", even)
    run = solve(get_solver("sht-auc", k=2), rest, passes=5)
    assert run.trained_on == ""  # they were asked for


def test_weighted_pairs_are_taken_with_their_rows():
    y, v = np.array([1, 1, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    X = np.arange(5.0)[:, np.newaxis]
    some = np.array([4, 2, 0], np.int32)
    drawn = Data.of(X, y, pairs=Weighted(v)).take(some)
    weighted = Data.of(X[some], y[some], weights=v[some])
    s = np.array([0.5, 1.0, 2.0])
    assert concordance(members_of(drawn), s)[0] == concordance(members_of(weighted), s)[0] == 1 / 6
