"""What a solver declares and says is true; it repeats its results, and disturbs nothing."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from aucbench.contract import Budget, Problem, State
from aucbench.data import Data, uncounted
from aucbench.data.tally import counting
from aucbench.errors import PluginError
from aucbench.kernels.parallel import threads as own_threads
from aucbench.ranges import samples
from aucbench.registry.shapes import fault
from aucbench.solving.laws import STUCK
from aucbench.solving.laws import Laws as StateLaws
from aucbench.solving.loop import solve
from aucbench.solving.values import objective_at
from aucbench.testing.common import add_layouts, add_same_seed
from aucbench.testing.elsewhere import run_elsewhere
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import (
    features,
    labels,
    locked,
    require_close,
    sample,
)
from aucbench.testing.solvers.fits import (
    NEAR,
    STEPS,
    Step,
    learnt,
    require_same,
    started,
    trajectory,
)
from aucbench.testing.traces import add_nothing_left

laws = Laws("solvers")


add_nothing_left(
    laws, lambda solver: solve(solver, sample(), passes=3).decision_function(features())
)


def of_data(solver: Any, data: Data) -> list[Step]:
    """The first states of a fit to these rows."""
    return trajectory(solver, data)[1]


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
    require(
        needs.path is None or needs.path in own,
        f"{name}.needs has the path {needs.path!r}, which is no field",
    )
    require(
        needs.path is None or "warm-start" in needs.capabilities,
        f"{name}.needs has the path {needs.path!r} without the capability warm-start; start from "
        "w0 and name it, or leave the path out",
    )


@laws("value: 1e-9 of its size")
def states(solver: Any) -> None:
    """Each state obeys the laws that a run asks for, and what it adds is true.

    Rows are read, and counted: the budget of a fit is passes over the rows.
    """
    with counting() as read:
        problem, iterator = started(solver, sample())
        of_run = StateLaws(iterator, type(solver), problem.data.d, counts_passes=True)
        try:
            for count, state in enumerate(islice(iterator, STUCK + 2), 1):
                known, finite = of_run.check(state, read.rows)
                require(finite, f"step {count}: w is not finite")
                if count <= STEPS:
                    _require_true(problem, known, f"step {count}")
                elif read.rows > 5 * problem.data.n:
                    break
            of_run.require_a_state()
        except PluginError as broken:
            raise LawBroken(str(broken)) from broken


def _require_true(problem: Problem, state: State, at: str) -> None:
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
            wanted = objective_at(problem, state.w)
        require_close(f"State.value of {at}", state.value, wanted, rtol=1e-9, atol=1e-12)


@laws("exact")
def models_stay(solver: Any) -> None:
    """A model scores rows later as when it was yielded: each state has a model of its own.

    A caller may keep the best of them. One object that goes on learning is all of them at once.
    """
    problem, iterator = started(solver, sample())
    kept = []
    for state in islice(iterator, STEPS):
        if state.model is None:
            not_asked("its states have weights")
        kept.append((State(model=state.model), learnt(problem, state)))
    for t, (state, scores) in enumerate(kept, 1):
        require_close(f"scores by the model of step {t}, asked again at the end; yield another "
                      "model in each state", learnt(problem, state), scores)  # fmt: skip


@laws("exact")
def budget(solver: Any) -> None:
    """It runs with any budget: few passes, seconds instead of passes, or no limit at all."""
    for one in (Budget(), Budget(passes=0.5), Budget(seconds=1.0)):
        try:
            _, iterator = started(solver, sample(), budget=one)
            for _ in islice(iterator, 3):
                pass
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise LawBroken(f"with budget={one} it raises {what}; passes and seconds may be None, "
                            "and passes less than 1") from error  # fmt: skip


@laws("exact")
def another_process(solver: Any) -> None:
    """The same seed gives the same iterates in another process, which has another PYTHONHASHSEED.

    There a set of texts has another order, and each thing another address. A cell may run on any
    host.
    """
    here, there = trace(solver), run_elsewhere(f"{__name__}:{trace.__name__}", solver)
    require(len(here) == len(there), f"there are {len(here)} states here, and {len(there)} in "
            "another process")  # fmt: skip
    for one, other in zip(here, there, strict=True):
        require(one == other, f"step {one[0]} differs in another process; do not let the order of "
                "a set or an address decide")  # fmt: skip


def trace(solver: Any) -> list[list[Any]]:
    """Number, rows read, and a hash of what was learnt, of the first states by one thread."""
    with threadpool_limits(1), own_threads(1):
        states = trajectory(solver, sample())[1]
    return [[int(t), int(seen), blake2b(w.tobytes()).hexdigest()] for t, seen, w in states]


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
        mixed.append(learnt(problem, state))
        next(other, None)
    for t, (w, (_, _, wanted)) in enumerate(zip(mixed, alone, strict=True), 1):
        require_close(f"a fit beside another one: w of step {t}", w, wanted)


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
    runs = []
    for count in (1, 2):
        with threadpool_limits(count), own_threads(count):
            runs.append(trajectory(solver, sample(), 8)[1])
    require_same("one thread and two", runs[0], runs[1], 1e-3)


add_same_seed(laws, of_data, require_same)
add_layouts(laws, of_data, partial(require_same, near=NEAR), 1e-3, 1e-9)
