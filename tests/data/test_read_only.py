"""No solver, objective or map can write to the arrays of the user."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench import AUCClassifier, Data, solve
from aucbench.contract import Needs, Solver, State
from aucbench.data import Breakpoints, Chunk

PARTS = ("stored", "columns", "starts", "y", "weights")


@dataclass(frozen=True)
class Vandal(Solver):
    """Overwrites one array of its training rows in place."""

    part: str = "stored"
    needs: ClassVar = Needs(frozenset({"weights"}))

    def iterates(self, problem, w0, rng, budget):
        array = getattr(
            problem.data if self.part in ("y", "weights") else problem.data.rows, self.part
        )
        array *= 0
        return State(w0)


@pytest.fixture
def arrays(rng):
    X, y = rng.normal(size=(12, 3)), np.arange(12) % 2 * 2 - 1
    return X, y.astype(np.int8), rng.uniform(1.0, 2.0, 12)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def given(part, arrays):
    X, y, weights = arrays
    return (csr_array(X) if part in ("columns", "starts") else X), y, weights


def frozen(thing):
    parts = (thing.data, thing.indices, thing.indptr) if isinstance(thing, csr_array) else (thing,)
    return [part.copy() for part in parts], parts


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("face", ["solve", "fit"])
def test_a_solver_that_writes_to_its_rows_fails_and_the_user_keeps_them(part, face, arrays):
    X, y, weights = given(part, arrays)
    known = [frozen(thing) for thing in (X, y, weights)]
    run = {
        "solve": lambda: solve(Vandal(part), Data.of(X, y, weights=weights)),
        "fit": lambda: AUCClassifier(Vandal(part), features="none").fit(
            X, y, sample_weight=weights
        ),
    }[face]
    with pytest.raises(ValueError, match="read-only"):
        run()
    for before, now in known:
        assert all(map(np.array_equal, before, now))


def test_no_copy_is_made(arrays):
    X, y, weights = arrays
    dense, sparse = Data.of(X, y, weights=weights), Data.of(S := csr_array(X), y)
    assert np.shares_memory(dense.rows.stored, X)
    assert np.shares_memory(dense.weights, weights)
    shared = ((sparse.rows.stored, S.data), (sparse.rows.columns, S.indices))
    for mine, theirs in (*shared, (sparse.rows.starts, S.indptr)):
        assert np.shares_memory(mine, theirs)
        assert theirs.flags.writeable
    assert np.shares_memory(dense.rows.matrix, X)
    X[0, 0] = 5.0
    assert dense.rows.stored[0] == 5.0


def test_what_may_be_written_to_where_it_came_from_may_not_be_here(arrays):
    X, y, _ = arrays
    data = Data.of(X, y, groups=y, times=np.arange(12.0))
    steps = Breakpoints.of_labels(y, "count")
    chunk = Chunk.of(X, y)
    locked = [*data.rows.stored_arrays[:1], data.y, data.groups, data.times, chunk.y, steps.value]
    locked += [data.rows.take(np.arange(3, dtype=np.int32)).stored, steps.fp_diff, steps.fn_base]
    assert not any(array.flags.writeable for array in locked)
