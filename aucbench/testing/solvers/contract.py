"""What a solver declares and says is true; it repeats its results, and disturbs nothing."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import islice
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.tally import counting, uncounted
from aucbench.errors import PluginError
from aucbench.protocols import Budget, Problem, State
from aucbench.ranges import samples
from aucbench.registry.shapes import fault
from aucbench.solving.laws import STUCK
from aucbench.solving.laws import Laws as StateLaws
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import reads_budget, with_budget
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import (
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


add_nothing_left(
    laws, lambda solver: solve(solver, sample(), passes=3).decision_function(features())
)


@laws("exact")
def declared(solver: Any) -> None:
    """A solver is a frozen dataclass with `space` and `needs`, and takes the values of its grid.

    The fields are the hyperparameters: the id of a result and the grid of tuning are made of them.
    """
    name = type(solver).__name__
    wrong = fault("solvers", type(solver)) or fault("solvers", solver)
    require(not wrong, f"{name} is no solver: {wrong}")
    own, needs = {f.name for f in fields(solver) if f.init}, solver.needs
    for attribute in ("needs", "space"):
        require(attribute not in own, f"{attribute} is a field of {name}; write {attribute}: "
                "ClassVar = …")  # fmt: skip
    parts = [solver.space] if isinstance(solver.space, Mapping) else solver.space
    if len(parts) == 1:
        for key, axis in parts[0].items():
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
    """Each state obeys the laws that a run asks for, and what it adds is true.

    It has the next step, w or a model, and at least the rows that were read for products with
    weights, whatever data, objective or map they were read through. The caller computes passes,
    curves and the end of a run from these numbers.
    """
    with counting() as read:
        problem, iterator = started(solver, sample())
        n, d = problem.data.n, problem.data.d
        of_run = StateLaws(iterator, type(solver), n, d, counts_passes=True)
        try:
            for count, state in enumerate(islice(iterator, STUCK + 2), 1):
                known, finite = of_run.taken(state, read.rows)
                require(finite, f"step {count}: w is not finite")
                if count <= STEPS:
                    _require_true(problem, known)
                elif known.rows_seen > 5 * n:
                    break
            of_run.require_a_state()
        except PluginError as broken:
            raise LawBroken(str(broken)) from broken


def _require_true(problem: Problem, state: State) -> None:
    at = f"step {state.step}"
    require(
        state.residual is None or state.residual >= 0.0,
        f"residual of {at} is {state.residual!r}, wanted at least 0 or None",
    )
    for name, value in state.info.items():
        require(np.isfinite(value), f"info[{name!r}] of {at} is {value!r}, wanted a finite float")
    if state.w is None:
        require(problem.f is None, f"{at} has a model, so that f of the Problem must be None")
    elif state.value is not None and problem.f is not None:
        with uncounted():
            wanted = problem.value(state.w)
        require_close(f"State.value of {at}", state.value, wanted, rtol=1e-9, atol=1e-12)


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
