"""A solver repeats its results, and disturbs nothing."""

from __future__ import annotations

import copy
import pickle
import random
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.solving.loop import solve
from aucbench.testing.laws import Laws, require
from aucbench.testing.samples import features, labels, locked, require_close, sample
from aucbench.testing.solvers.elsewhere import trace, trace_elsewhere
from aucbench.testing.solvers.fits import learnt, require_same, started, trajectory

laws = Laws("solvers")


@laws("exact")
def same_seed(solver: Any) -> None:
    """The same seed gives the same iterates, whatever the global generators are set to.

    All random numbers come from the `rng` that the solver gets. So a result can be repeated.
    """
    kept = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        runs = []
        for seed in (1, 2):
            np.random.seed(seed)  # noqa: NPY002
            random.seed(seed)
            runs.append(trajectory(solver, sample())[1])
    finally:
        np.random.set_state(kept[0])  # noqa: NPY002
        random.setstate(kept[1])
    require_same("two fits of one seed", runs[0], runs[1])


@laws("exact")
def another_process(solver: Any) -> None:
    """The same seed gives the same iterates in another process, which has another PYTHONHASHSEED.

    There a set of texts has another order, and each thing another address. A cell may run on any
    host.
    """
    here, there = trace(solver), trace_elsewhere(solver)
    require(len(here) == len(there), f"there are {len(here)} states here, and {len(there)} in "
            "another process")  # fmt: skip
    for one, other in zip(here, there, strict=True):
        require(one == other, f"step {one[0]} differs in another process; do not let the order of "
                "a set or an address decide")  # fmt: skip


@laws("exact")
def fits_are_independent(solver: Any) -> None:
    """Two fits of one solver that go on at the same time do not disturb each other.

    A solver that keeps something in itself, its class or its module mixes them.
    """
    alone = trajectory(solver, sample(), 8)[1]
    problem, one = started(solver, sample())
    _, other = started(solver, locked(features()[::-1].copy(), labels()[::-1].copy()), seed=5)
    mixed = []
    for state in islice(one, 8):
        mixed.append((state.step, state.rows_seen, learnt(problem, state)))
        next(other, None)
    require_same("a fit beside another one", mixed, alone)


@laws("exact")
def data_are_left_alone(solver: Any) -> None:
    """The rows and labels are as before after a fit. Their arrays are read-only views.

    They belong to the user, and the next solver reads them too.
    """
    data = Data.of(features(), labels())
    for _ in islice(started(solver, data)[1], 5):
        require(np.array_equal(data.rows.matrix, features()), "the solver has changed X")
        require(np.array_equal(data.y, labels()), "the solver has changed y")


@laws("exact")
def start_is_left_alone(solver: Any) -> None:
    """The array `Problem.w0` is as before after some steps; `Problem.start` returns a copy."""
    problem, _ = started(solver, sample())
    w0 = problem.start() + 0.25
    before = w0.copy()
    moved = replace(problem, w0=w0)
    for _ in islice(solver.iterates(moved, np.random.default_rng(0)), 5):
        require(np.array_equal(w0, before), "the solver has changed Problem.w0; copy it")


@laws("exact")
def pickles(solver: Any) -> None:
    """A solver and what it has learnt survive a pickle and a deep copy.

    Workers get solvers by pickle, and models are stored so.
    """
    again = pickle.loads(pickle.dumps(solver))
    same = repr(again) == repr(solver)
    require(same, f"after a pickle it is {again!r}, before it was {solver!r}")
    copy.deepcopy(solver)
    run = solve(solver, sample(), passes=3)
    stored = pickle.loads(pickle.dumps(run))
    X = features()
    require_close("scores after a pickle", stored.decision_function(X), run.decision_function(X))


@laws("1e-3 of each number, and 1e-4; sums are added in another order")
def threads(solver: Any) -> None:
    """One thread of aucbench, BLAS and OpenMP gives what two threads give."""
    from threadpoolctl import threadpool_limits

    from aucbench.kernels.parallel import threads as own_threads

    runs = []
    for count in (1, 2):
        with threadpool_limits(count), own_threads(count):
            runs.append(trajectory(solver, sample(), 8)[1])
    require_same("one thread and two", runs[0], runs[1], rtol=1e-3, atol=1e-4)
