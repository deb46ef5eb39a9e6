"""The number of weights to keep, where the user gives none."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.optim.choice import AUTO, chosen
from aucbench.protocols import Budget

LEAST = 10  # weights; fewer are a matter for the user


def kept(solver: Any, data: Data, rng: np.random.Generator, budget: Budget | None = None) -> int:
    """Return the k of a solver; "auto" is chosen among d, d/4, d/16, … ≥ 10 by held-out rows.

    Of numbers with the same AUC on held rows, the smallest is taken. With few rows of a class it
    is d. See `aucbench.optim.chosen`.

    Parameters
    ----------
    solver : ShtAuc, StoIht or HsgHt
        A frozen dataclass with a parameter k.
    data : Data
        Training rows.
    rng : Generator
        Draws the held rows.
    budget : Budget, optional
        Of the fit; a trial gets no more passes.
    """
    if solver.k != AUTO:
        return int(solver.k)
    sizes = [data.d]
    while sizes[-1] > 4 * LEAST:
        sizes.append(sizes[-1] // 4)
    return int(chosen(solver, "k", sizes[::-1], data, rng, budget))
