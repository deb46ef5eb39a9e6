"""A solver minimises what it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.protocols import Problem, State
from aucbench.ranges import ENOUGH
from aucbench.records import Stop
from aucbench.solving.descent import lowered
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import WithProblems
from aucbench.testing.laws import Laws, not_asked, require
from aucbench.testing.samples import extent, features, labels, locked, sample
from aucbench.testing.solvers.fits import PLAIN_STEPS, started, trajectory

laws = Laws("solvers")


@laws("as `contains` of the projector")
def iterates_are_feasible(solver: Any) -> None:
    """Each w is in the domain of Ω: the caller may stop after any step."""
    if started(solver, sample())[0].f is None:
        not_asked("it minimises no listed objective")
    problem, made = trajectory(solver, sample())
    for t, _, w in made:
        require(problem.project.contains(w), f"w of step {t} is not in the domain of Ω")


@laws("less than at the start")
def objective_falls(solver: Any) -> None:
    """After 50 passes the objective that the problem names is less than at the start."""
    watched = WithProblems(solver)
    run = solve(watched, sample(), passes=50)
    [problem] = watched.problems
    if problem.f is None:
        not_asked("it minimises no listed objective")
    before, after = problem.value(problem.start()), run.points[-1].objective
    require(
        before is not None and after is not None and (after < before or after == before == 0.0),
        f"f + Ω is {after} after 50 passes, and {before} at the start",
    )


@laws("1e-9 of the objective, beside the gap")
def certificate(solver: Any) -> None:
    """No feasible point has f + Ω below its value at w less the gap, with weights of rows too.

    A gap is a promise: it bounds how far the objective is from its minimum. Looked at are points
    near w, down the gradient, and those that a plain method finds.
    """
    cases = {"": sample()}
    if getattr(solver.needs, "weights", False):
        uneven = np.where(np.arange(extent().n) % 3 == 0, 20.0, 0.2)
        cases["with weights of rows "] = locked(features(), labels(), weights=uneven)
    for name, data in cases.items():
        _require_certified(name, solver, data)


def _require_certified(what: str, solver: Any, data: Data) -> None:
    watched = WithProblems(solver)
    gaps: list[tuple[float, Vector]] = []

    def keep(_: Any, state: State) -> None:
        if state.gap is not None and state.w is not None:
            gaps.append((state.gap, np.array(state.w)))

    solve(watched, data, passes=100, gap_tol=1e-9, watch=keep)
    [problem] = watched.problems
    if not gaps or problem.f is None:
        not_asked("it certifies no gap")
    best = min(low for _, w in gaps[-1:] for low in _values_near(problem, w))
    for gap, w in gaps:
        value = problem.value(w) or 0.0
        require(
            value - gap <= best + 1e-9 * max(1.0, abs(best)),
            f"{what}f + Ω is {value:.9g} with a gap of {gap:.3g}, and a feasible point has "
            f"{best:.9g}",
        )


@laws("1 % of what the fit has gained")
def optimum(solver: Any) -> None:
    """A method that ends by itself is at a minimum: no plain method comes much lower from there.

    A table says of it that it has finished, and not that the budget has ended it.
    """
    problem, _ = started(solver, sample())
    if problem.f is None or problem.early_stopping:
        not_asked("it minimises no listed objective")
    watched = WithProblems(solver)
    run = solve(watched, sample(), passes=300, every=np.inf)
    [problem] = watched.problems
    by_itself = run.stop in (Stop.FINISHED, Stop.STALLED)
    if run.w is None or not by_itself or run.points[-1].gap is not None:
        not_asked("it does not end by itself without a gap")
    value, start = problem.value(run.w) or 0.0, problem.value(problem.start()) or 0.0
    best = min(_values_near(problem, run.w))
    require(
        value - best <= ENOUGH * (start - best),
        f"it has ended at f + Ω = {value:.6g}, and a feasible point has {best:.6g}",
    )


def _values_near(problem: Problem, w: Vector) -> Iterator[float]:
    """f + Ω at w, at feasible points near it, and where a plain method ends that starts there."""
    rng = np.random.default_rng(0)
    f = problem.objective
    yield problem.value(w) or 0.0
    yield lowered(problem, w, PLAIN_STEPS).value
    for size_of_step in np.geomspace(1e-6, 1.0, 13):
        moves = [rng.normal(size=w.size) for _ in range(8)]
        for move in [*moves, -f.grad(w), -f.grad(np.zeros_like(w))]:
            u = problem.project(w + size_of_step * move, size_of_step)
            if problem.project.contains(u):
                value = problem.value(u)
                if value is not None and np.isfinite(value):
                    yield value
