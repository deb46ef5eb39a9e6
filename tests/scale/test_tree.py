"""Summaries merge in one fixed tree, whatever the order in which parts answer."""

import operator
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench import threads
from aucbench.data import Data
from aucbench.errors import DataError
from aucbench.progress import Progress
from aucbench.scale import Here, InMemory, Tree


@dataclass(frozen=True)
class Said:
    """How parts were merged, as text."""

    text: str

    def merge(self, other):
        return Said(f"({self.text}{other.text})")


@dataclass(frozen=True)
class Sum:
    total: float

    def merge(self, other):
        return Sum(self.total + other.total)


def naive(leaves):
    """The tree by its definition: neighbours merge, the odd one passes."""
    while len(leaves) > 1:
        pairs = [leaves[i : i + 2] for i in range(0, len(leaves), 2)]
        leaves = [reduce(lambda a, b: a.merge(b), pair) for pair in pairs]
    return leaves[0]


@given(st.integers(1, 70), st.lists(st.integers(0, 70), max_size=6), st.randoms(), st.booleans())
def test_workers_may_merge_any_consecutive_parts_in_any_order(k, cuts, rng, shuffled):
    leaves = [Said(f"{i} ") for i in range(k)]
    ends = sorted({0, k, *(cut for cut in cuts if cut < k)})
    trees = []
    for lo, hi in pairwise(ends):
        own, order = Tree(k), [*range(lo, hi)]
        if shuffled:
            rng.shuffle(order)
        for i in order:
            own.add(i, leaves[i])
        assert shuffled or len(own._waiting) <= 2 * max(1, k.bit_length())
        trees.append(own)
    rng.shuffle(trees)
    tree = Tree(k)
    for own in trees:
        tree.join(own)
    assert tree.root == naive(leaves)


def test_a_missing_part_is_an_error():
    tree = Tree(3)
    tree.add(0, Sum(1.0))
    with pytest.raises(ValueError, match="wait"):
        _ = tree.root


def sums(piece):
    return Sum(float(piece.rows.matrix.sum()))


def first_rows(piece):
    return piece.rows.matrix[0].tolist()


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_threads_change_no_bit(workers):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(997, 3)) * 10.0 ** rng.integers(-9, 9, 997)[:, None]
    data = Data.of(X, rng.random(997) < 0.4)
    parts = InMemory(data, 10)
    progress = Progress()
    with threads(workers):
        total = Here(progress).reduce(parts, sums)
    leaves = [Sum(float(data.rows.matrix[lo : lo + 10].sum())) for lo in range(0, 997, 10)]
    assert total == naive(leaves)
    assert progress.done == progress.total == 997


def test_scan_is_in_order_and_an_error_in_a_part_ends_the_reading():
    data = Data.of(np.arange(40.0).reshape(20, 2), [0, 1] * 10)
    seen = [*Here().scan(InMemory(data, 6), first_rows)]
    assert seen == [(k, [[12.0 * k, 12.0 * k + 1]]) for k in range(4)]
    assert [i for i, _ in Here().scan(InMemory(data, 6), first_rows, some=(3, 1))] == [3, 1]
    with pytest.raises(ZeroDivisionError), threads(2):
        Here().reduce(InMemory(data, 2), faulty)
    with pytest.raises(DataError, match="no row"):
        Here().reduce(InMemory(data, 2), sums, some=())


def faulty(piece):
    return operator.truediv(1, piece.part - 5) and Sum(0.0)
