"""Sums of trees against the walk of each row, also where numbers are missing or infinite."""

import numpy as np
import reference
from hypothesis import given
from hypothesis import strategies as st

from aucbench.kernels import trees


def forest(rng, count, d):
    """Return the arrays of random trees, whose children come after their parents."""
    nodes, roots = [], []
    for _ in range(count):
        roots.append(len(nodes))
        nodes.append(None)
        open_nodes = [len(nodes) - 1]
        while open_nodes:
            node = open_nodes.pop()
            if rng.random() < 0.5 and len(nodes) - roots[-1] < 60:
                left = len(nodes)
                nodes.extend([None, None])
                nodes[node] = (int(rng.integers(d)), rng.normal(), left, left + 1, 0.0)
                open_nodes += [left, left + 1]
            else:
                nodes[node] = (-1, 0.0, node, node, rng.normal())
    feature, threshold, left, right, value = zip(*nodes, strict=True)
    whole = [np.array(part, np.int32) for part in (feature, left, right, roots)]
    feature, left, right, roots = whole
    return feature, np.array(threshold), left, right, np.array(value), roots


@given(seed=st.integers(0, 999), n=st.integers(0, 30), d=st.integers(1, 6), count=st.integers(1, 5))
def test_rows_come_to_their_leaves(seed, n, d, count):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    odd = rng.random((n, d)) < 0.2
    X[odd] = rng.choice([np.nan, np.inf, -np.inf, 0.0], odd.sum())
    arrays, out = forest(rng, count, d), np.empty(n)
    trees.scores(X, *arrays, out)
    assert out.tolist() == reference.tree_scores(X, *arrays)
