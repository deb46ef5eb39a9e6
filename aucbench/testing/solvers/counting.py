"""A solver trains on the pairs that it says it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.data import Data, Grades, Survival
from aucbench.metrics.pairs import quality_of
from aucbench.pairs import Group
from aucbench.testing.laws import Laws, not_asked, require
from aucbench.testing.samples import extent, locked
from aucbench.testing.solvers.fits import RANKED, require_fit

laws = Laws("solvers")
SIZE, SHIFT = 6, 5.0  # rows of a group, and standard deviations of the groups
FEWEST = 360  # rows, from which trees of few rows grow


@laws(f"share of pairs in order above {RANKED}")
def needs_pairs(solver: Any) -> None:
    """`Needs(pairs=...)` is true: it learns the order inside groups, of times, and of grades.

    Inside each group a larger first feature is more positive. Over all rows a smaller one is, so
    that who learns from all pairs learns the opposite.
    """
    kinds = getattr(solver.needs, "pairs", ())
    asked = [(what, data) for kind, what, data in _rows() if kind in kinds]
    if not asked:
        not_asked("it declares no pairs in Needs(pairs=...)")
    for what, data in asked:
        run = require_fit(what, solver, data, passes=50)
        share = quality_of(data, run.decision_function(data.rows.matrix))
        require(
            share > RANKED,
            f"{what}: {share:.3f} of the pairs that count are in order, wanted more than "
            f"{RANKED}; learn from data.pairs, or leave the kind out of Needs(pairs=...)",
        )


def _rows() -> Iterator[tuple[str, str, Data]]:
    """Yield rows of each kind of pairs, and what they are."""
    rng = np.random.default_rng(8)
    n, d = max(FEWEST, extent().n // SIZE * SIZE), extent().d
    X = rng.normal(size=(n, d))
    group = np.arange(n) // SIZE
    shift = rng.normal(size=group[-1] + 1)[group]
    inside = X[:, 0].copy()
    y = np.where(inside - 2.0 * shift + 0.3 * rng.normal(size=n) > 1.0, 1, -1)
    X[:, 0] += SHIFT * shift
    yield "group", "pairs within groups", locked(X, y, groups=group, pairs=Group())
    level = np.floor(2.0 * inside + rng.normal(size=n))
    X = X.copy()
    X[:, 0] = inside
    yield "order", "grades", locked(X, Grades.of(level - level.min()))
    times = Survival.of(np.exp(-inside + 0.3 * rng.normal(size=n)), rng.random(n) < 0.7)
    yield "order", "survival times", locked(X.copy(), times)
