"""Small random problems at any scale, and whether gaps that solvers certify there hold."""

from itertools import islice

import numpy as np
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.solving.loop import begin

KINDS = ("normal", "integer", "offset", "copies", "constant", "uneven", "one-sided")


def problem_at(seed):
    """A small random problem: rows at a scale of 1e-8 to 1e8, and λ from 1e-10 to 1e10."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 15)), int(rng.integers(1, 5))
    y = np.where(np.arange(n) < rng.integers(1, n - 1), 1, -1)
    X = rng.normal(size=(n, d)) + rng.choice([0.0, 0.5, 3.0]) * (y > 0)[:, None]
    kind = KINDS[seed % len(KINDS)]
    if kind == "integer":
        X = np.round(2 * X)
    elif kind == "offset":
        X = X + 10.0 ** rng.uniform(0, 8)
    elif kind == "copies":
        X = X[rng.integers(0, n, n) // 2]
    elif kind == "constant":
        X[:, 0] = rng.choice([0.1, 1.0, 1e8])
    elif kind == "uneven":
        X = X * 10.0 ** rng.uniform(-4, 4, d)
    elif kind == "one-sided":
        X[y < 0, 0] = 0.0
    layout = csr_array if rng.random() < 0.5 else np.asarray
    X = X * 10.0 ** rng.uniform(-8, 8)
    return X, y, Data.of(layout(X), y), float(10.0 ** rng.uniform(-10, 10))


def gaps(solver, data, count, every=1):
    """The problem, and (w, gap) of the states that certify something, with the last of them."""
    problem, run = begin(solver, data)
    seen = [
        (state.w.copy(), state.gap)
        for state in islice(run, count)
        if state.gap is not None and np.isfinite(state.gap)
    ]
    return problem, [*seen[:-1:every], *seen[-1:]]


def hold(seen, value, others=(), least=None):
    """Check gaps against the least value that is known; how many there are.

    `value` is the objective in exact numbers, `others` are weights that may be better, and `least`
    is the minimum where it is known.
    """
    values = [value(w) for w, _ in seen]
    if least is None:
        least = min([*values, *map(value, others)], default=0)
    for at, (_, gap) in zip(values, seen, strict=True):
        assert at - least <= type(at)(gap), (float(at - least), gap)
    return len(seen)
