"""The loop that block methods with a projection share: SHT-AUC and StoIHT differ only in f."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np

from aucbench.data.arrays import size
from aucbench.optim.power import lipschitz
from aucbench.protocols import Problem, State


def block_descent(
    problem: Problem, rng: np.random.Generator, *, gamma: float | None, m: int, shuffle: bool
) -> Iterator[State]:
    """w ← Π(w − γ (m|B|/n) ∇f_B(w)), B drawn uniformly from m blocks with replacement.

    The factor m|B|/n is 1 when m divides n, and keeps the mean over the blocks equal to
    the full gradient when sizes differ by one.

    Parameters
    ----------
    problem : Problem
        f and Π.
    rng : Generator
        Draws the permutation, then one block per step.
    gamma : float or None
        Step size γ; None means 1/L̂, whose passes are on the clock but not in `rows_seen`.
    m : int
        Number of blocks in a pass.
    shuffle : bool
        Blocks of a random permutation, or else consecutive rows.
    """
    f, project, w = problem.objective, problem.project, problem.start()
    n = f.data.n
    blocks = f.data.blocks(m, rng if shuffle else None)
    step = gamma if gamma is not None else 1.0 / lipschitz(f, blocks, rng)
    seen = 0
    for t in count(1):
        B = blocks[rng.integers(m)]
        b = size(B, n)
        seen += b
        w = project(w - step * (m * b / n) * f.grad(w, B), step)
        yield State(t, w, seen)
