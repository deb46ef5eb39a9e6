"""A tree that advises a solver: by a twin that tries all splits, and by what it must not find."""

import numpy as np
import pytest
from study.advising_tree import (
    Leaf,
    Split,
    advised,
    advising_tree,
    leaves_of,
    regrets_of,
)

from aucbench.errors import DataError

QUESTIONS = ("rows", "features")


def tables(n=60, seed=0, gain=0.05):
    """Solver a is the best with few rows, and b with many; c is always behind."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.uniform(0, 10, n), rng.uniform(0, 10, n)])
    few = x[:, :1] <= 4.0
    values = 0.8 + np.where(few, [[gain, 0.0, -0.1]], [[0.0, gain, -0.1]])
    return values + rng.normal(0, 0.01, (n, 3)), x


def test_it_finds_who_is_better_where():
    values, x = tables()
    found = advising_tree(values, "abc", x, QUESTIONS)
    assert isinstance(found.tree, Split)
    assert (found.tree.question, found.tree.threshold) == ("rows", pytest.approx(4.0, abs=0.4))
    assert advised(found.tree, np.array([1.0, 5.0]), QUESTIONS) == "a"
    assert advised(found.tree, np.array([9.0, 5.0]), QUESTIONS) == "b"
    assert found.helps
    assert found.gain.estimate == pytest.approx(found.by_single.estimate - found.by_tree.estimate)
    assert sum(leaf.families for leaf in leaves_of(found.tree)) == pytest.approx(60)


def test_where_nothing_decides_it_does_not_help():
    rng = np.random.default_rng(1)
    values = 0.8 + rng.normal(0, 0.02, (60, 4))
    found = advising_tree(values, "abcd", rng.uniform(size=(60, 3)), "xyz")
    assert not found.helps
    assert found.seen < found.by_tree.estimate  # on its own data sets a tree looks good
    constant = advising_tree(
        values + np.array([0.2, 0, 0, 0]), "abcd", rng.uniform(size=(60, 3)), "xyz"
    )
    assert isinstance(constant.tree, Leaf)
    assert constant.tree.solver == constant.single == "a"
    assert constant.gain.estimate == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_one_question_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    values, x = rng.uniform(0.6, 0.9, (24, 3)), rng.integers(0, 6, (24, 2)).astype(float)
    families = [f"f{i // 3}" if i < 9 else None for i in range(24)]
    w = np.array([1 / 3] * 9 + [1.0] * 15)
    regrets = values.max(axis=1, keepdims=True) - values
    best = min(
        (w[side] @ regrets[side]).min() + (w[~side] @ regrets[~side]).min()
        for k in range(2)
        for cut in np.unique(x[:, k])[:-1]
        for side in [x[:, k] <= cut]
        if min(w[side].sum(), w[~side].sum()) >= 0.2 * w.sum()
    )
    found = advising_tree(values, "abc", x, QUESTIONS, families=families, depth=1, least=0.2)
    assert found.seen == pytest.approx(best / w.sum())


def test_it_is_measured_without_the_family_of_a_data_set():
    values, x = tables(n=40, seed=2)
    families = [f"f{i // 2}" for i in range(40)]
    found = advising_tree(values, "abc", x, QUESTIONS, families=families)
    regrets, lost = regrets_of(values, "abc"), []
    for g in range(20):
        kept = [i for i in range(40) if i // 2 != g]
        own = advising_tree(
            values[kept], "abc", x[kept], QUESTIONS, families=[families[i] for i in kept]
        )
        for i in (2 * g, 2 * g + 1):
            choice = advised(own.tree, x[i], QUESTIONS)
            assert found.chosen[i] == choice
            lost.append(regrets[i, "abc".index(choice)])
    assert found.by_tree.estimate == pytest.approx(np.mean(lost))


def test_a_solver_without_a_value_loses_as_much_as_the_worst():
    values = np.array([[0.9, 0.7, np.nan], [0.8, np.nan, 0.85]])
    np.testing.assert_allclose(regrets_of(values, "abc"), [[0, 0.2, 0.2], [0.05, 0.05, 0]])
    with pytest.raises(DataError, match="no solver has a value"):
        regrets_of([[np.nan, np.nan]], "ab")


def test_what_cannot_be_grown_is_refused():
    values, x = tables(n=10)
    with pytest.raises(DataError, match="two or more"):
        advising_tree(values, "abc", x, QUESTIONS, families=["f"] * 10)
    with pytest.raises(DataError, match="2 questions"):
        advising_tree(values, "abc", x[:, :1], QUESTIONS)
    with pytest.raises(DataError, match="least share"):
        advising_tree(values, "abc", x, QUESTIONS, least=0.6)
