"""The score and the features of a row do not depend on the other rows."""

import numpy as np
import pytest

from aucbench.bench.worker.independence import require_mapped_alone, require_scored_alone
from aucbench.data.arrays import rows as rows_of
from aucbench.errors import PluginError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
ROWS = rows_of(X)
W = RNG.normal(size=5)


def plain(rows):
    return rows.matrix @ W


def centred(rows):
    return plain(rows) - plain(rows).mean()


def in_another_order(rows):
    return (rows.matrix[:, ::-1] @ W[::-1]) if rows.n < 10 else plain(rows)


DEPENDENT = {
    "ranks": lambda rows: plain(rows).argsort().argsort().astype(float),
    "standardised": lambda rows: centred(rows) / max(plain(rows).std(), 1e-9),
    "centred": centred,
    "by size": lambda rows: plain(rows) + 0.01 * rows.n,
    "tied": lambda rows: np.round(plain(rows)) + 1e-3 * plain(rows).max(),
}
ROUNDED = {
    "plain": plain,
    "in single": lambda rows: (rows.matrix.astype(np.float32) @ W.astype(np.float32)).astype(float),
    "in another order": in_another_order,
    "far off": lambda rows: 1e9 + in_another_order(rows),
    "constant": lambda rows: np.ones(rows.n),
}


@pytest.mark.parametrize("name", [*DEPENDENT, *ROUNDED])
def test_a_score_that_depends_on_other_rows_is_refused_and_rounding_allowed(name):
    score = (DEPENDENT | ROUNDED)[name]
    if name in DEPENDENT:
        with pytest.raises(PluginError, match="others"):
            require_scored_alone("Own", score, ROWS, score(ROWS))
    else:
        require_scored_alone("Own", score, ROWS, score(ROWS))


def test_a_feature_that_depends_on_other_rows_is_refused():
    def ask(mapped):
        require_mapped_alone("the map", mapped, ROWS, mapped(ROWS))

    ask(lambda rows: rows_of(2.0 * rows.matrix))
    with pytest.raises(PluginError, match="row 0"):
        ask(lambda rows: rows_of(rows.matrix - rows.matrix.mean(axis=0)))
    with pytest.raises(PluginError, match="another number"):
        ask(lambda rows: rows_of(np.eye(rows.n)))
