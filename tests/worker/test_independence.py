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


def ranks(rows):
    return plain(rows).argsort().argsort().astype(float)


def standardised(rows):
    s = plain(rows)
    return (s - s.mean()) / max(s.std(), 1e-9)


def centred(rows):
    return plain(rows) - plain(rows).mean()


def by_size(rows):
    return plain(rows) + 0.01 * rows.n


def tied(rows):
    return np.round(plain(rows)) + 1e-3 * plain(rows).max()


@pytest.mark.parametrize("score", [ranks, standardised, centred, by_size, tied])
def test_a_score_that_depends_on_other_rows_is_refused(score):
    with pytest.raises(PluginError, match=r"^Own scores row \d+ as .* with 2 others and as .* am"):
        require_scored_alone("Own", score, ROWS, score(ROWS))


def in_single(rows):
    return (rows.matrix.astype(np.float32) @ W.astype(np.float32)).astype(float)


def in_another_order(rows):
    return (rows.matrix[:, ::-1] @ W[::-1]) if rows.n < 10 else plain(rows)


def far_off(rows):
    return 1e9 + in_another_order(rows)


def constant(rows):
    return np.ones(rows.n)


@pytest.mark.parametrize("score", [plain, in_single, in_another_order, far_off, constant])
def test_rounding_is_allowed(score):
    require_scored_alone("Own", score, ROWS, score(ROWS))


def test_scores_that_are_no_numbers_are_left_to_the_measures_and_one_row_is_enough():
    require_scored_alone("Own", centred, ROWS, np.where(np.arange(40) == 3, np.nan, centred(ROWS)))
    for n in (1, 2, 3):
        few = ROWS.take(slice(0, n))
        require_scored_alone("Own", plain, few, plain(few))
    two = ROWS.take(slice(0, 2))
    with pytest.raises(PluginError, match="with 0 others"):
        require_scored_alone("Own", centred, two, centred(two))


def test_a_feature_that_depends_on_other_rows_is_refused():
    def from_batch(rows):
        return rows_of(rows.matrix - rows.matrix.mean(axis=0))

    def as_many_as_rows(rows):
        return rows_of(np.eye(rows.n))

    def doubled(rows):
        return rows_of(2.0 * rows.matrix)

    require_mapped_alone("the map", doubled, ROWS, doubled(ROWS))
    with pytest.raises(PluginError, match="the map maps row 0 as"):
        require_mapped_alone("the map", from_batch, ROWS, from_batch(ROWS))
    with pytest.raises(PluginError, match="another number of features"):
        require_mapped_alone("the map", as_many_as_rows, ROWS, as_many_as_rows(ROWS))
