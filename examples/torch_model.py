"""A network of PyTorch that learns to rank: the squared hinge over all pairs of a mini-batch.

    pip install torch
    aucbench check examples/torch_model.py:TorchPairs

To learn with a network of your own, change `network`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from aucbench.about import about
from aucbench.contract import Budget, Model, Needs, Problem, Solver, State, count_rows
from aucbench.data import Index, Rows, Vector
from aucbench.errors import require_above, require_at_least, require_whole
from aucbench.ranges import Range

SCORED_AT_ONCE = 4096  # rows, which are made dense


@dataclass(frozen=True)
class Network(Model):
    """A trained network as a model: it scores rows, and holds none."""

    module: Any

    keeps_rows = False

    def scores(self, rows: Rows) -> Vector:
        """Return the outputs of the network, (n,)."""
        with one_thread(), torch.no_grad():
            parts = (
                self.module(tensor(rows, slice(lo, lo + SCORED_AT_ONCE)))
                for lo in range(0, rows.n, SCORED_AT_ONCE)
            )
            found: Vector = torch.cat([part.squeeze(1) for part in parts]).numpy()
        return found


@about("showing how a network of PyTorch becomes a solver")
@dataclass(frozen=True)
class TorchPairs(Solver):
    """θ ← Adam of ∇ mean_ij max(0, 1 − F(x_i) + F(x_j))², i over positives, j over negatives.

    A step draws half of a mini-batch from each class, with replacement, and takes all its pairs.
    F is a network with one hidden layer. A state comes after each pass, n rows that were drawn.

    Parameters
    ----------
    rate : float
        Step size of Adam, > 0.
    hidden : int
        Units of the hidden layer.
    batch : int
        Rows of a mini-batch, at least 2.
    decay : float
        Weight decay, ≥ 0.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Gao, Jin, Zhu and Zhou, "One-pass AUC optimization", ICML 2013, for losses of pairs.
    """

    rate: float = 0.01
    hidden: int = 32
    batch: int = 64
    decay: float = 1e-4

    space = {
        "rate": Range(1e-4, 0.1, log=True),
        "hidden": (8, 32, 128),
        "decay": Range(1e-6, 1e-1, log=True),
    }
    needs = Needs(packages=("torch",))  # whose version counts in the id of a cell

    def __post_init__(self) -> None:
        require_above(0, rate=self.rate)
        require_at_least(0, decay=self.decay)
        require_whole(1, hidden=self.hidden)
        require_whole(2, batch=self.batch)
        torch.optim.AdamW([torch.zeros(1)])  # the first one imports for a second: off the clock

    def network(self, d: int) -> Any:
        """Return a network that maps rows (m, d) to scores (m, 1)."""
        return torch.nn.Sequential(
            torch.nn.Linear(d, self.hidden, dtype=torch.float64),
            torch.nn.ReLU(),
            torch.nn.Linear(self.hidden, 1, dtype=torch.float64),
        )

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield a copy of the network after each pass."""
        data = problem.data
        half = max(1, min(self.batch, data.n) // 2)
        steps = max(1, data.n // (2 * half))
        classes = [np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0)]
        with seeded(rng):
            network = self.network(data.d)
        adam = torch.optim.AdamW(network.parameters(), lr=self.rate, weight_decay=self.decay)
        while True:
            with seeded(rng), one_thread():
                for _ in range(steps):
                    high, low = (
                        network(tensor(data.rows, rng.choice(rows, half).astype(np.int32)))
                        for rows in classes
                    )
                    adam.zero_grad()
                    loss(high, low).backward()
                    adam.step()
            count_rows(steps * 2 * half)
            yield State(model=Network(deepcopy(network).eval()))


def loss(high: Any, low: Any) -> Any:
    """Return the mean over all pairs of max(0, 1 − (s_i − s_j))²; scores are (m, 1) and (k, 1)."""
    return torch.relu(1.0 - (high - low.T)).square().mean()


def tensor(rows: Rows, block: slice | Index) -> Any:
    """Return some rows as a dense tensor of float64, a copy."""
    return torch.from_numpy(rows.take(block).dense().matrix.copy())


@contextmanager
def seeded(rng: np.random.Generator) -> Iterator[None]:
    """Draw what torch draws (first weights, dropout) from `rng`, and put its own state back."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(2**63)))
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread, so that sums have one order; then as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
