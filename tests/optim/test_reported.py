"""States that a library reports by its callback."""

from dataclasses import dataclass
from itertools import islice
from threading import active_count

import numpy as np
import pytest
from samples import data as labelled
from scipy.optimize import minimize

from aucbench import solve
from aucbench.contract import Problem, Solver, State
from aucbench.objectives import PairwiseSquaredHinge
from aucbench.optim import reported
from aucbench.projectors import ElasticNet
from aucbench.records import Stop


@dataclass(frozen=True)
class Scipy(Solver):
    """The pairwise squared hinge with a ridge, by L-BFGS-B of SciPy."""

    lam: float = 0.1

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquaredHinge(data), ElasticNet(0.0, self.lam))

    def iterates(self, problem, w0, rng, budget):
        f, omega = problem.objective, problem.project

        def minimise(report):
            minimize(
                lambda w: (f.value(w) + omega.value(w), f.grad(w) + self.lam * w),
                w0,
                jac=True,
                method="L-BFGS-B",
                callback=report,
                options={"ftol": 1e-15, "gtol": 1e-10},
            )

        return reported(minimise)


DATA = labelled(n=200, d=6)


def test_a_library_with_callbacks_has_a_curve_and_its_rows_count():
    run = solve(Scipy(), DATA, passes=100)
    assert run.stop is Stop.FINISHED
    values = [point.objective for point in run.points]
    assert len(values) > 5
    assert values[-1] < values[0]
    # each of its evaluations reads the rows twice: once for f, once for the gradient
    steps = np.diff([0.0, *(point.passes for point in run.points)])
    assert (steps[:-1] >= 2.0).all()
    assert float(run.points[-1].passes).is_integer()


def test_a_budget_stops_the_library_in_the_middle_and_leaves_no_thread():
    before = active_count()
    run = solve(Scipy(), DATA, passes=6)
    assert run.stop is Stop.PASSES
    assert run.points[-1].passes < 12
    assert active_count() == before
    assert np.array_equal(run.w, solve(Scipy(), DATA, passes=6).w)


def test_an_exception_is_raised_where_the_state_was_wanted():
    def minimise(report):
        report(np.ones(2))
        raise RuntimeError("the library failed")

    states = reported(minimise)
    assert isinstance(next(states), State)
    with pytest.raises(RuntimeError, match="library"):
        next(states)


def test_nothing_runs_before_the_first_state_and_a_library_that_catches_exceptions_stops():
    calls = []

    def minimise(report):
        for k in range(100):
            try:
                calls.append(k)
                report(np.full(2, k))
            except Exception:  # as some libraries do around callbacks
                calls.append("caught")

    reported(minimise).close()
    assert calls == []
    assert [state.w[0] for state in islice(reported(minimise), 3)] == [0.0, 1.0, 2.0]
    states = reported(minimise)
    next(states)
    states.close()
    assert calls == [0, 1, 2, 0]
    assert [*reported(lambda report: None)] == []
