"""Small problems over pairs of rows, drawn, of any shape by hypothesis, and odd; their solvers."""

from itertools import islice

import numpy as np

from aucbench.data.tally import counting, uncounted
from aucbench.registry import get_solver
from aucbench.solving.loop import begin
from aucbench.solving.values import objective_at


class PairMachine:
    """A linear solver of a loss of the hinges of all pairs, with a ridge."""

    def __init__(self, name, loss):
        self.name, self._loss = name, loss

    def primal(self, D, lam, w):
        """The objective, of the differences of all pairs."""
        return self._loss(np.maximum(0, 1 - D @ w)).mean() + lam / 2 * w @ w

    def _begun(self, data, lam, w0, seed=0):
        return begin(get_solver(self.name, lam=lam), data, seed, w0=w0)

    def states(self, data, lam, w0=None, seed=0):
        """(w, gap, passes) of each state."""
        with counting() as read:
            _, states = self._begun(data, lam, w0, seed)
            return [(s.w.copy(), s.gap, read.rows / data.n) for s in islice(states, 5000)]

    def reached(self, data, lam, tol=1e-4, w0=None):
        """The first state with a relative gap: its step, its passes, and its weights."""
        with counting() as read:
            problem, states = self._begun(data, lam, w0)
            for step, state in enumerate(states, 1):
                passes = read.rows / data.n
                with uncounted():
                    value = objective_at(problem, state.w)
                if state.gap is not None and state.gap <= tol * value:
                    return step, passes, state.w.copy()
        raise AssertionError(f"ended before a gap of {tol}")


def sample(seed=0, n=12, d=3, digits=6):
    """Rows (n, d), a third of them positive; few digits make ties."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1, -1)
    return np.round(rng.normal(size=(n, d)) + 0.5 * y[:, None], digits), y


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
