"""The update that SHT-AUC and StoIHT share: a gradient step on a block of rows, and H_k."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Protocol

import numpy as np

from aucbench.contract import Problem, State
from aucbench.data.arrays import size
from aucbench.optim import counted

from .sparsity import Largest


class Settings(Protocol):
    """What the two solvers set."""

    @property
    def gamma(self) -> float | None:
        """The step size γ; None: 1/(2L̂)."""
        ...

    @property
    def blocks(self) -> int:
        """Number m of blocks in a pass."""
        ...

    @property
    def shuffle(self) -> bool:
        """Whether blocks come from a permutation of the rows."""
        ...


def thresholded_steps(
    settings: Settings, problem: Problem, rng: np.random.Generator, largest: Largest
) -> Iterator[State]:
    """w ← H_k(w − γ (m b/n) ∇f_B(w)), where B is one of m blocks of rows, drawn uniformly.

    Yield one state per block. `largest` finds L̂.
    """
    f, H, w = counted(problem.objective), problem.project, problem.start()
    n = f.data.n
    blocks = f.data.blocks(settings.blocks, rng if settings.shuffle else None)
    m = len(blocks)
    gamma = settings.gamma or 0.5 / largest(f, blocks, rng)
    for t in count(1):
        B = blocks[rng.integers(m)]
        w = H(w - gamma * (m * size(B, n) / n) * f.grad(w, B), gamma)
        yield State(t, w, f.rows_seen)
