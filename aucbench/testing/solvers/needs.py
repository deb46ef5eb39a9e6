"""What a solver says that it needs is true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from aucbench.data import Breakpoints, Data
from aucbench.objectives import Logistic, PairwiseSquare
from aucbench.projectors import L2Ball
from aucbench.protocols import Identity, NoMap
from aucbench.ranges import samples
from aucbench.solving.loop import solve
from aucbench.solving.points import mappings
from aucbench.solving.wrappers import Observed, Recast, recast
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import extent, features, labels, locked, require_close, sample
from aucbench.testing.solvers.fits import require_fit, require_same, started, trajectory

SMALL_BALL = 1e-3
laws = Laws("solvers")


@laws("the weights differ")
def needs_objective(solver: Any) -> None:
    """`Needs(objective=True)` is true: it minimises the objective that is put into the problem.

    `--objective` would change the name of a result and not the result.
    """
    if not solver.needs.objective:
        not_asked("it does not declare Needs(objective=True)")
    ends = []
    for objective in (PairwiseSquare, Logistic):
        watched = Observed(recast(solver, objective=objective))
        run = solve(watched, sample(), passes=10)
        [problem] = watched.problems
        require(isinstance(problem.f, objective), "the problem has lost the objective")
        if run.w is None:
            raise LawBroken("a model has no objective; declare Needs(objective=False)")
        ends.append(run.w)
    same = np.allclose(ends[0], ends[1], rtol=1e-9, atol=0)
    require(
        not same,
        "the same w came for pairwise-square and for logistic; read problem.objective, or declare "
        "Needs(objective=False)",
    )


@laws("as `contains` of the projector")
def needs_projector(solver: Any) -> None:
    """`Needs(projector=True)` is true: the iterates stay in a small ball that is put there."""
    if not solver.needs.projector:
        not_asked("it does not declare Needs(projector=True)")
    small = L2Ball(SMALL_BALL)
    _, made = trajectory(recast(solver, projector=small), sample(), 8)
    for t, _, w in made:
        require(
            small.contains(w),
            f"w of step {t} has the length {np.linalg.norm(w):.3g} outside of the ball of "
            f"{SMALL_BALL}; call problem.project, or declare Needs(projector=False)",
        )
    _, free = trajectory(recast(solver, projector=Identity()), sample(), 8)
    require(
        not np.allclose(free[-1][2], made[-1][2], rtol=1e-9, atol=0),
        "the same w came with a ball and without; call problem.project",
    )


@laws("exact")
def own_parameters(solver: Any) -> None:
    """Parameters of its own objective or projector change nothing where another one is there.

    `Needs` names them in `objective_parameters` and `projector_parameters`, and they leave the
    record of a result.
    """
    parts: dict[str, Any] = {"objective": Logistic, "projector": L2Ball()}
    asked = False
    for kind, part in parts.items():
        for name in solver.needs.parameters_of([kind]):
            axes = [each[name] for each in mappings(solver.space) if name in each]
            values = [value for axis in axes for value in samples(axis)][:2]
            if len(values) < 2:
                continue
            asked = True
            cases = [Recast(replace(solver, **{name: v}), **{kind: part}) for v in values]
            one, other = (trajectory(case, sample(), 8)[1] for case in cases)
            what = f"{name}={values[0]} and {name}={values[1]} with another {kind}"
            require_same(what, one, other)
    if not asked:
        not_asked("it names no parameters of its own objective or projector that have a grid")


@laws("scores are finite")
def needs_breakpoints(solver: Any) -> None:
    """`Needs(breakpoints=True)` is true: it learns from error functions, where `y` is refused."""
    if not getattr(solver.needs, "breakpoints", False):
        not_asked("it does not declare Needs(breakpoints=True)")
    data = Data(sample().rows, Breakpoints.of_labels(sample().y, "count"))
    require_fit("error functions", solver, data)


@laws("1e-8 of the objective")
def needs_weights(solver: Any) -> None:
    """`Needs(weights=True)` is true: a row of weight 2 counts like two rows.

    Where no objective is listed, or the features are drawn from the rows, weights must at least
    change what is learnt.
    """
    if not getattr(solver.needs, "weights", False):
        not_asked("it does not declare Needs(weights=True)")
    v = np.where(np.arange(extent().n) % 3 == 0, 2.0, 1.0)
    heavy = locked(features(), labels(), weights=v)
    problem, made = trajectory(solver, heavy, 8)
    if problem.f is None or not isinstance(problem.features, NoMap):
        _, light = trajectory(solver, sample(), 8)
        changed = not np.array_equal(light[-1][2], made[-1][2])
        require(changed, "weights of rows change nothing; declare Needs(weights=False)")
        return
    twice = started(solver, sample(rows=np.repeat(np.arange(extent().n), v.astype(int))))[0]
    w = np.linspace(-1.0, 1.0, problem.data.d)
    require_close(
        "f with weight 2 and with rows twice",
        problem.objective.value(w),
        twice.objective.value(w),
        rtol=1e-8,
    )
