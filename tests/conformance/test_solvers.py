"""Laws that every registered solver obeys; a new plugin is held to them without a line here."""

from dataclasses import fields, is_dataclass, replace
from itertools import islice, pairwise

import numpy as np
import pytest
from observed import observed
from scipy.sparse import csr_array

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Rows
from aucbench.protocols import Streaming
from aucbench.records import Stop
from aucbench.registry import get_solver, list_solvers
from aucbench.solving.loop import solve

# What cannot be built by its name alone, as it is written here.
WRITTEN = {"estimator": "estimator[sklearn.tree:DecisionTreeClassifier,max_depth=3]"}
LEARNERS = [WRITTEN.get(n, n) for n in list_solvers() if n != "constant"]  # which learns nothing
pytestmark = pytest.mark.parametrize("name", LEARNERS)
RNG = np.random.default_rng(11)
Y = np.where(RNG.random(90) < 0.2, 1, -1)
X = np.round(RNG.normal(size=(90, 12)) + 0.5 * Y[:, None], 3)
X[RNG.random(X.shape) < 0.3] = 0.0


def read_only(layout=np.asarray, rows=slice(None)):
    M = layout(X[rows])
    for part in [M] if isinstance(M, np.ndarray) else [M.data, M.indices, M.indptr]:
        part.setflags(write=False)
    return Data.of(M, Y[rows])


def learnt(scored, state):
    """What a state holds, as numbers: its weights, or the scores that its model gives."""
    return scored(state, X) if state.w is None else state.w.copy()


def trajectory(name, data, seed=0, steps=25):
    """The problem, and (step, rows_seen, learnt) of the first states."""
    solver = get_solver(name)
    problem_rng, rng = np.random.default_rng(seed).spawn(2)
    problem = solver.problem(data, problem_rng)
    states = islice(solver.iterates(problem, rng), steps)
    return problem, [(s.step, s.rows_seen, learnt(problem.scorer, s)) for s in states]


def test_a_state_holds_weights_or_a_model_and_tells_the_truth(name):
    solver = get_solver(name)
    problem_rng, rng = np.random.default_rng(0).spawn(2)
    problem = solver.problem(read_only(), problem_rng)
    for state in islice(solver.iterates(problem, rng), 5):
        assert (state.w is None) != (state.model is None)
        assert all(isinstance(v, float) and np.isfinite(v) for v in state.info.values())
        if state.w is None:
            assert (state.gap, problem.f) == (None, None)
        elif state.value is not None and problem.f is not None:
            assert state.value == pytest.approx(problem.value(state.w), rel=1e-9)


def test_same_seed_same_iterates(name):
    _, first = trajectory(name, read_only())
    _, again = trajectory(name, read_only())

    for (t, seen, w), (t2, seen2, w2) in zip(first, again, strict=True):
        assert (t, seen) == (t2, seen2)
        np.testing.assert_array_equal(w, w2)


def test_dense_and_csr_agree(name):
    _, dense = trajectory(name, read_only())
    _, csr = trajectory(name, read_only(csr_array))

    for (_, _, w), (_, _, v) in zip(dense, csr, strict=True):
        np.testing.assert_allclose(w, v, rtol=1e-3, atol=1e-4)


def test_iterates_are_feasible_and_counted(name):
    problem, states = trajectory(name, read_only())
    seen = np.array([s for _, s, _ in states])

    assert states[0][1] > 0
    assert (np.diff(seen) >= 0).all()
    assert [t for t, _, _ in states] == list(range(1, len(states) + 1))
    assert problem.f is None or all(problem.project.contains(w) for _, _, w in states)


def test_start_is_untouched(name):
    solver = get_solver(name)
    rng = np.random.default_rng(0)
    problem = solver.problem(read_only(), rng)
    w0 = problem.start() + 0.25
    moved = replace(problem, w0=w0)
    for _ in islice(solver.iterates(moved, rng), 5):
        np.testing.assert_array_equal(w0, problem.start() + 0.25)


def test_objective_falls(name):
    data = read_only()
    run, problem = observed(get_solver(name), data, passes=50)
    if problem.f is None:
        pytest.skip("it minimises no listed objective")

    assert run.points[-1].objective < problem.value(problem.start())


def test_it_ranks_better_than_chance(name):
    from aucbench.metrics import auc

    run = solve(get_solver(name), read_only(), passes=20)

    assert auc(Y, run.decision_function(X)) > 0.85
    assert auc(Y, run.decision_function(csr_array(X))) > 0.85


def numbers_of(memory):
    """All arrays and numbers that a memory holds, also those of records inside it."""
    if isinstance(memory, np.ndarray | float | int):
        return [np.atleast_1d(memory)]
    if isinstance(memory, Rows):
        return [memory.matrix if not memory.is_sparse else memory.matrix.toarray()]
    if isinstance(memory, list | tuple):
        return [part for member in memory for part in numbers_of(member)]
    if is_dataclass(memory):
        return numbers_of([getattr(memory, f.name) for f in fields(memory)])
    return []


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
def test_memory_after_chunks_is_memory_after_the_whole(name, layout):
    solver = get_solver(name)
    if not isinstance(solver, Streaming):
        pytest.skip("it does not stream")
    cuts = [0, 1, 20, 21, 60, 90]  # the chunks of one row hold one class
    whole, parts = (solver.start(np.zeros(12), np.random.default_rng(5)) for _ in range(2))

    solver.update(whole, read_only(layout).chunk, np.arange(90, dtype=np.int32))
    for lo, hi in pairwise(cuts):
        chunk = Chunk.of(layout(X[lo:hi]), Y[lo:hi])
        solver.update(parts, chunk, np.arange(hi - lo, dtype=np.int32))

    np.testing.assert_allclose(solver.weights(parts), solver.weights(whole), rtol=1e-10, atol=1e-13)
    held = list(zip(numbers_of(parts), numbers_of(whole), strict=True))
    for one, other in held:
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
    assert held


@pytest.mark.parametrize("case", ["one positive", "duplicated rows", "constant column"])
def test_odd_data(name, case):
    rows = {
        "one positive": np.r_[np.flatnonzero(Y > 0)[:1], np.flatnonzero(Y < 0)],
        "duplicated rows": np.repeat(np.arange(90), 2),
        "constant column": np.arange(90),
    }[case]
    M = X[rows].copy()
    if case == "constant column":
        M[:, 3] = 1.0

    run = solve(get_solver(name), Data.of(M, Y[rows]), passes=5)

    assert run.stop in {Stop.PASSES, Stop.FINISHED, Stop.CERTIFIED}
    assert np.isfinite(learnt(run.scorer, run)).all()
