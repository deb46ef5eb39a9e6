"""Selection of one key: in its sorted place, after a few looks at each key on any input."""

import itertools

import numpy as np
import pytest

from aucbench.kernels import select


def orders(n):
    """Orders of 0..n-1, some with ties, that are hard for one selection method or another."""
    rng = np.random.default_rng(n)
    up = np.arange(n)
    return {
        "random": rng.permutation(n),
        "up": up,
        "down": up[::-1],
        "organ-pipe": np.minimum(up, up[::-1]),
        "constant": np.zeros(n),
        "two values": rng.integers(0, 2, n),
        "ten values": rng.integers(0, 10, n),
        "saw": up % max(1, n // 10),
        "one out of place": np.roll(up, 1),
        "interleaved": np.concatenate([up[::2], up[1::2]]),
    }


@pytest.mark.parametrize("n", [1, 2, 3, 10, 600, 601, 602, 5_000, 50_000])
def test_floyd_rivest_puts_one_key_in_its_place(n):
    for order in orders(n).values():
        for k in {0, n // 100, n // 2, n - 1}:
            keys = order.astype(np.int64)
            select.floyd_rivest(keys, k)
            np.testing.assert_array_equal(np.sort(keys), np.sort(order))
            assert keys[: k + 1].max() == keys[k] == keys[k:].min()


@pytest.mark.parametrize("n", [1_000, 10_000, 100_000])
def test_floyd_rivest_looks_at_each_key_a_few_times(n):
    for name, order in orders(n).items():
        for k in (0, n // 100, n // 2, n - 1):
            limit = 4 if name == "random" else 24
            assert select.floyd_rivest(order.astype(np.int64), k) < limit * n, name


class Adversary:
    """Values chosen while they are compared, so that each pivot turns out to be small.

    McIlroy, "A killer adversary for quicksort", Software: Practice and Experience 29 (1999).
    """

    def __init__(self, n):
        self.value = dict.fromkeys(range(n), n)  # n: not yet fixed, larger than the fixed ones
        self.gas, self.fixed, self.candidate = n, itertools.count(), None

    def less(self, a, b):
        value = self.value
        if value[a] == value[b] == self.gas and a != b:
            value[a if a == self.candidate else b] = next(self.fixed)
        self.candidate = a if value[a] == self.gas else b
        return value[a] < value[b]


def partition(x, l, r, k, less):  # noqa: E741
    """The partition of the kernel, on items that only `less` can compare."""
    t, i, j = x[k], l, r
    x[l], x[k] = x[k], x[l]
    if less(t, x[r]):
        x[r], x[l] = x[l], x[r]
    while i < j:
        x[i], x[j] = x[j], x[i]
        i, j = i + 1, j - 1
        while less(x[i], t):
            i += 1
        while less(t, x[j]):
            j -= 1
    if x[l] == t:
        x[l], x[j] = x[j], x[l]
    else:
        j += 1
        x[j], x[r] = x[r], x[j]
    return j


def killer(n, k):
    """An order of n <= 600 keys on which partitioning at x[k] is quadratic."""
    adversary, x, left, right = Adversary(n), list(range(n)), 0, n - 1
    while left < right:
        j = partition(x, left, right, k, adversary.less)
        left, right = (j + 1 if j <= k else left), (j - 1 if k <= j else right)
    return np.array([adversary.value[i] for i in range(n)])


def test_an_order_made_against_floyd_rivest_stays_linear():
    n, k = 600, 300
    order = killer(n, k)
    keys = order.astype(np.int64)
    looked_at = select.floyd_rivest(keys, k)
    assert looked_at > 16 * n, "the order is too easy: bisection was never needed"
    assert looked_at < (16 + 1 + 1 + np.log2(n) + 1) * n
    assert keys[k] == np.sort(order)[k]
    assert keys[: k + 1].max() == keys[k] == keys[k:].min()
