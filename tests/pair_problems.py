"""Small problems over pairs of rows: drawn, of any shape by hypothesis, and odd."""

import numpy as np
from hypothesis import strategies as st


def sample(seed=0, n=12, d=3, digits=6):
    """Rows (n, d), a third of them positive; few digits make ties."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1, -1)
    return np.round(rng.normal(size=(n, d)) + 0.5 * y[:, None], digits), y


@st.composite
def small_problems(draw):
    """Rows, labels and λ."""
    n, d = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    X = draw(st.lists(st.integers(-3, 3), min_size=n * d, max_size=n * d))
    positives = draw(st.integers(1, n - 1))
    scale = draw(st.sampled_from([0.1, 1.0, 30.0]))
    y = np.where(np.arange(n) < positives, 1, -1)
    return scale * np.reshape(X, (n, d)).astype(float), y, draw(st.sampled_from([1e-3, 0.05, 1.0]))


def odd(case):
    """Rows and labels with something odd."""
    X, y = sample(5, n=60, d=4)
    if case == "one positive":
        keep = np.r_[0, np.flatnonzero(y < 0)]
        return X[keep], y[keep]
    if case == "duplicated rows":
        return np.repeat(X, 3, axis=0), np.repeat(y, 3)
    if case == "constant column":
        X[:, 1] = 1e3
    elif case == "wide":
        X = np.hstack([X, np.random.default_rng(0).normal(size=(60, 1100))])
    else:
        X[:] = {"ones": 1.0, "zeros": 0.0}[case]
    return X, y
