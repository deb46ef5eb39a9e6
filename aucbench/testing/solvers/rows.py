"""A solver learns from any rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import UnsupportedError
from aucbench.kernels.parallel import threads as own_threads
from aucbench.protocols import Streaming
from aucbench.testing.laws import Laws, not_asked
from aucbench.testing.samples import (
    csr,
    extent,
    features,
    labels,
    locked,
    require_close,
    require_dense,
    rounded,
    sample,
    single,
)
from aucbench.testing.solvers.fits import (
    ASKED,
    require_fit,
    require_ranked,
    require_ranks,
    require_same,
    trajectory,
)
from aucbench.testing.solvers.parameters import draws

REPEATED = 1e-5  # iterative methods end within their tolerance, and trees add in float32
laws = Laws("solvers")


@laws("1e-3 of each number, and 1e-4; sums are added in another order")
def layouts(solver: Any) -> None:
    """Dense rows, CSR rows, rows in Fortran order and float32 rows give the same iterates.

    The numbers are multiples of 1/64, so that float32 has them exactly. All arrays are read-only.
    """
    require_dense()
    whole = np.round(features() * 64) / 64
    dense = trajectory(solver, locked(whole.copy(), labels()))[1]
    made = {
        "CSR rows": csr(whole),
        "rows in Fortran order": np.asfortranarray(whole),
        "float32 rows": whole.astype(np.float32),
    }
    for name, rows in made.items():
        other = trajectory(solver, locked(rows, labels()))[1]
        require_same(f"{name} and dense rows", other, dense, rtol=1e-3, atol=1e-4)


@laws("1e-9 of each number, and 1e-12; sums are added in another order")
def float32(solver: Any) -> None:
    """Rows that are stored as float32 give the iterates of the same numbers as float64.

    A user stores them so to halve their memory. They are rounded once; all is computed in float64.
    A solver that cannot read them refuses them by an `UnsupportedError`.
    """
    for X in (features(), csr(features())):
        wanted = trajectory(solver, locked(rounded(X), labels()))[1]
        try:
            made = trajectory(solver, locked(single(X), labels()))[1]
        except UnsupportedError as refusal:
            not_asked(f"it refuses them: {refusal}")
        require_same("float32 rows", made, wanted, rtol=1e-9, atol=1e-12)


@laws(ASKED)
def ranks(solver: Any) -> None:
    """It ranks easy rows much better than chance, and scores CSR rows as dense ones."""
    run = require_fit("the sample", solver, sample(), passes=20)
    for layout in (np.asarray, csr):
        require_ranked("", labels(), run.decision_function(layout(features())))


@laws("1e-6 of the largest score")
def row_by_row(solver: Any) -> None:
    """A row has the same score alone, with others, and in another order.

    Scores of test rows must not depend on which other test rows there are. A run asks for this on
    a few of its test rows too.
    """
    run = require_fit("the sample", solver, sample())
    rows = sample().rows
    whole = run.decision_function(rows)
    atol = 1e-6 * float(np.abs(whole).max())
    for some in (np.array([4]), np.arange(10, 40), np.arange(extent().n)[::-1]):
        apart = run.decision_function(rows.take(some.astype(np.int32)))
        require_close("scores of rows apart", apart, whole[some], atol=atol)


@laws(ASKED)
def order_of_rows(solver: Any) -> None:
    """It ranks well in whatever order the rows come: shuffled, or the positives last."""
    for name, order in (
        ("shuffled rows", np.random.default_rng(2).permutation(extent().n)),
        ("positives last", np.argsort(labels(), kind="stable")),
    ):
        require_ranks(name, solver, sample(rows=order))


@laws(ASKED)
def flipped_labels(solver: Any) -> None:
    """With the classes exchanged it ranks the other class first."""
    require_ranks("flipped labels", solver, locked(features(), -labels()))


@laws(f"{REPEATED:g} of the largest score")
def any_order(solver: Any) -> None:
    """Rows in another order give the same scores, unless it streams or draws random numbers."""
    _require_repeatable(solver)
    shuffled = sample(rows=np.random.default_rng(2).permutation(extent().n))
    _require_same_scores("shuffled rows", _scores(solver, shuffled), _scores(solver, sample()))


@laws(f"{REPEATED:g} of the largest score")
def exchanged_classes(solver: Any) -> None:
    """With the classes exchanged, scores have the other sign but for a constant.

    It is not asked of what streams or draws. Which class a file calls positive is a convention.
    """
    _require_repeatable(solver)
    there = _scores(solver, locked(features(), -labels()))
    _require_same_scores("exchanged classes", -there, _scores(solver, sample()))


def _scores(solver: Any, data: Data) -> Vector:
    """Scores of the sample, less their mean."""
    with threadpool_limits(1), own_threads(1):
        run = require_fit("the rows", solver, data, passes=20)
    scores: Vector = run.decision_function(features())
    return scores - float(scores.mean())


def _require_repeatable(solver: Any) -> None:
    if isinstance(solver, Streaming) or draws(solver):
        not_asked("it streams, or draws random numbers: the order of rows may matter")


def _require_same_scores(what: str, found: Vector, wanted: Vector) -> None:
    atol = REPEATED * float(np.abs(wanted).max())
    require_close(f"scores after {what}", found, wanted, atol=atol)


@laws("scores are finite")
def one_positive(solver: Any) -> None:
    """It learns from rows with one positive, and from rows with one negative."""
    y = labels()
    some = np.r_[np.flatnonzero(y > 0)[:1], np.flatnonzero(y < 0)]
    for name, sign in (("one positive", 1), ("one negative", -1)):
        require_fit(name, solver, locked(features()[some], sign * y[some]))


@laws("scores are finite")
def constant_column(solver: Any) -> None:
    """A column that is constant, and a column of zeros, do no harm."""
    X = features()
    X[:, 3], X[:, 5] = 1.0, 0.0
    require_fit("a constant column", solver, locked(X, labels()))


@laws("scores are finite")
def duplicated_rows(solver: Any) -> None:
    """Rows that occur twice, and with both labels, do no harm."""
    twice = np.repeat(np.arange(extent().n), 2)
    y = labels()[twice]
    require_fit("duplicated rows", solver, locked(features()[twice], y))
    y[:8:2] = -y[:8:2]
    require_fit("equal rows of both classes", solver, locked(features()[twice], y))


@laws("scores are finite")
def ties(solver: Any) -> None:
    """Columns with two values, whose scores are full of ties, do no harm."""
    require_fit("ties", solver, locked(np.sign(features()), labels()))


@laws("scores are finite")
def one_column(solver: Any) -> None:
    """It learns from a single column."""
    require_fit("one column", solver, locked(features()[:, :1].copy(), labels()))


@laws("scores are finite, and not an exception")
def scales(solver: Any) -> None:
    """Rows in units 1e8 times smaller or larger end in finite scores.

    Tables of people come in such units, and a sum of squares of them is still a float.
    """
    for scale in (1e-8, 1e8):
        data = locked(features() * scale, labels())
        require_fit(f"rows times {scale:g}", solver, data, passes=30)
