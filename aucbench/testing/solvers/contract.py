"""What a solver declares and says is true; it repeats its results, and disturbs nothing."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.tally import counting
from aucbench.protocols import Budget, Needs, State
from aucbench.ranges import is_axis, samples
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import reads_budget, with_budget
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import (
    extent,
    features,
    labels,
    locked,
    require_close,
    sample,
    under_two_states,
)
from aucbench.testing.solvers.elsewhere import trace, trace_elsewhere
from aucbench.testing.solvers.fits import STEPS, learnt, require_same, started, trajectory
from aucbench.testing.traces import add_nothing_left

laws = Laws("solvers")

PATIENCE = 1000  # steps after which rows must have been read
FASTEST = 1e11  # rows of 12 features that nobody reads in a second


add_nothing_left(
    laws, lambda solver: solve(solver, sample(), passes=3).decision_function(features())
)


@laws("exact")
def declared(solver: Any) -> None:
    """A solver is a frozen dataclass with `space` and `needs`, and takes the values of its grid.

    The fields are the hyperparameters: the id of a result and the grid of tuning are made of them.
    """
    name = type(solver).__name__
    require(is_dataclass(solver), f"{name} is no dataclass; decorate it with @dataclass")
    frozen = type(solver).__dataclass_params__.frozen
    require(frozen, f"{name} can be changed; write @dataclass(frozen=True)")
    own = {f.name for f in fields(solver) if f.init}
    needs = solver.needs
    require(isinstance(needs, Needs), f"{name}.needs is {needs!r}, wanted an instance of Needs")
    for attribute in ("needs", "space"):
        require(attribute not in own, f"{attribute} is a field of {name}; write {attribute}: "
                "ClassVar = …")  # fmt: skip
    space = solver.space
    parts = [space] if isinstance(space, Mapping) else space
    listed = isinstance(parts, Sequence) and all(isinstance(p, Mapping) for p in parts)
    require(listed, f"{name}.space is {space!r}, wanted a mapping of parameter to axis")
    for part in parts:
        for key, axis in part.items():
            require(key in own, f"{name}.space has the parameter {key!r}, which is no field")
            require(is_axis(axis), f"{name}.space[{key!r}] is {axis!r}, wanted values or a Range")
    for part in parts:
        if len(parts) == 1:
            for key, axis in part.items():
                for value in samples(axis):
                    replace(solver, **{key: value})
    for given in needs.inert:
        require(given in {*own, "seed"}, f"{name}.needs has the inert {given!r}, which is no field")
    require(
        needs.path is None or needs.path in own,
        f"{name}.needs has the path {needs.path!r}, which is no field",
    )


@laws("value: 1e-9 of its size")
def states(solver: Any) -> None:
    """A state has a step, rows_seen, and float64 weights or a model; what it adds is true.

    The caller computes passes, curves and the end of a run from these numbers.
    """
    problem, iterator = started(solver, sample())
    count = 0
    for count, state in enumerate(islice(iterator, STEPS), 1):
        at = f"step {count}"
        require(isinstance(state, State), f"{at} yielded {type(state).__name__}, wanted a State")
        require(state.step == count, f"State.step of {at} is {state.step!r}; count 1, 2, 3, …")
        require(
            (state.w is None) != (state.model is None),
            f"{at}: a state has either w or a model, and not both",
        )
        _require_weights(at, state.w, problem.data.d)
        _require_numbers(at, state)
        if state.w is None:
            require(problem.f is None, f"{at} has a model, so that f of the Problem must be None")
            require(state.gap is None, f"{at} has a model, which has no gap")
        elif state.value is not None and problem.f is not None:
            wanted = problem.value(state.w)
            require_close(f"State.value of {at}", state.value, wanted, rtol=1e-9, atol=1e-12)
    require(count, "iterates ended without yielding a state; yield at least one")


def _require_weights(at: str, w: Any, d: int) -> None:
    if w is None:
        return
    kind = f"{w.dtype} of shape {w.shape}" if isinstance(w, np.ndarray) else type(w).__name__
    fits = isinstance(w, np.ndarray) and w.dtype == np.float64 and w.shape == (d,)
    require(fits, f"{at}: w is {kind}, wanted a float64 array of shape ({d},)")
    require(np.isfinite(w).all(), f"{at}: w is not finite")


def _require_numbers(at: str, state: State) -> None:
    for name in ("gap", "residual"):
        value = getattr(state, name)
        require(
            value is None or value >= 0.0, f"{name} of {at} is {value!r}, wanted at least 0 or None"
        )
    for name, value in state.info.items():
        require(
            isinstance(value, float) and np.isfinite(value),
            f"info[{name!r}] of {at} is {value!r}, wanted a finite float",
        )


@laws("exact")
def rows_are_counted(solver: Any) -> None:
    """rows_seen counts the rows that were read since the start: it grows, and is believable.

    A budget of passes never ends where it stands still, and ends at once where it is too large.
    """
    from time import perf_counter

    begin = perf_counter()
    _, iterator = started(solver, sample())
    before, at_once = 0, 0
    for count, state in enumerate(islice(iterator, PATIENCE), 1):
        seen = state.rows_seen
        whole = isinstance(seen, int | float | np.integer) and not isinstance(seen, bool)
        require(whole, f"rows_seen of step {count} is {seen!r}, wanted a number of rows")
        require(seen >= before, f"rows_seen fell from {before} to {seen} at step {count}")
        require(count > 1 or seen > 0, "rows_seen of step 1 is 0, although w was computed")
        limit = FASTEST * (perf_counter() - begin)
        require(seen < limit, f"rows_seen is {seen:.3g} at step {count}, more than can be read")
        at_once = at_once + 1 if seen == before else 0
        before = seen
        if seen > 5 * extent().n:
            return
    require(at_once < PATIENCE // 2, f"rows_seen stands at {before} for {at_once} steps")


@laws("exact")
def reads_are_counted(solver: Any) -> None:
    """rows_seen is at least the number of rows that were read for products with weights.

    They are those of scores, values, gradients, and products with a Hessian, as in `lipschitz`,
    whatever data, objective or map they are read through. Otherwise a solver gets more work done
    within the same budget than others.
    """
    with counting() as read:
        _, states = started(solver, sample())
        for state in islice(states, STEPS):
            require(
                state.rows_seen >= read.rows,
                f"rows_seen is {state.rows_seen} at step {state.step}, and scores, values, "
                f"gradients and products with the Hessian have read {read.rows} rows; `counted` "
                "of aucbench.optim counts them",
            )


@laws("exact")
def budget(solver: Any) -> None:
    """A solver that reads the budget runs with any one: without passes, without seconds, with none.

    Nobody sets a limit in a loop of one's own, and `solve` may have only one of the two.
    """
    if not any(map(reads_budget, (solver.problem, solver.iterates))):
        not_asked("neither `problem` nor `iterates` has the parameter budget")
    for one in (None, Budget(), Budget(passes=2.0), Budget(seconds=1.0)):
        told = solver if one is None else with_budget(solver, one)
        try:
            trajectory(told, sample(), 3)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise LawBroken(
                f"with budget={one} it raises {what}; write budget: Budget | None = None, and "
                "expect None for passes and seconds too"
            ) from error


@laws("exact")
def same_seed(solver: Any) -> None:
    """The same seed gives the same iterates, whatever the global generators are set to.

    All random numbers come from the `rng` that the solver gets. So a result can be repeated.
    """
    require_same("two fits of one seed", *under_two_states(lambda: trajectory(solver, sample())[1]))


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
