"""What a solver says that it needs is true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from aucbench.data import Breakpoints, Data
from aucbench.metrics import auc
from aucbench.objectives import Logistic
from aucbench.projectors import ElasticNet, L2Ball
from aucbench.protocols import Identity, NoMap
from aucbench.ranges import samples
from aucbench.solving.points import mappings
from aucbench.solving.wrappers import WithParts, recast
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import extent, features, labels, locked, require_close, sample
from aucbench.testing.solvers.fits import (
    RANKED,
    SHARE,
    require_falls,
    require_fit,
    require_same,
    started,
    trajectory,
)
from aucbench.testing.solvers.opposite import Opposite

SMALL_BALL = 1e-3
laws = Laws("solvers")


@laws(f"{SHARE:.0%} of what a plain method gains")
def needs_objective(solver: Any) -> None:
    """`Needs(objective=True)` is true: what is put into the problem falls.

    It falls as a plain method makes it fall, for the logistic loss and for the pairwise square of
    the opposite labels. `--objective` would else change the name of a result and not the result.
    """
    if not solver.needs.objective:
        not_asked("it does not declare Needs(objective=True)")
    objectives = {"the logistic loss": Logistic, "the opposite labels": Opposite}
    for name, objective in objectives.items():
        try:
            require_falls(f"with {name}", recast(solver, objective=objective), sample())
        except LawBroken as broken:
            raise LawBroken(
                f"{broken}; minimise problem.objective, or declare Needs(objective=False)"
            ) from broken


@laws(f"as `contains` of the projector; {SHARE:.0%} of what a plain method gains")
def needs_projector(solver: Any) -> None:
    """`Needs(projector=True)` is true: the iterates stay in a small ball that is put there.

    With a penalty, f + Ω falls as a plain method makes it fall.
    """
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
    problem, _ = started(solver, sample())
    if problem.f is not None:
        steepest = float(np.abs(problem.f.grad(problem.start())).max())
        penalty = ElasticNet(l1=0.5 * steepest, l2=0.0)
        require_falls("with an l1 penalty", recast(solver, projector=penalty), sample())


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
            cases = [WithParts(replace(solver, **{name: v}), **{kind: part}) for v in values]
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


@laws(f"f: 1e-8 of its size; {SHARE:.0%} of what a plain method gains; AUC above {RANKED}")
def needs_weights(solver: Any) -> None:
    """`Needs(weights=True)` is true: f counts a row of weight 2 like two rows, and f falls.

    It learns to rank, although each row occurs once more, of the other class, five times as long
    and with a weight of 0.001. Who ignores the weights, or those of one class, learns from these.
    """
    if not getattr(solver.needs, "weights", False):
        not_asked("it does not declare Needs(weights=True)")
    v = np.where(np.arange(extent().n) % 3 == 0, 2.0, 1.0)
    problem, _ = started(solver, locked(features(), labels(), weights=v))
    if problem.f is not None and isinstance(problem.features, NoMap):
        twice = started(solver, sample(rows=np.repeat(np.arange(extent().n), v.astype(int))))[0]
        w = np.linspace(-1.0, 1.0, problem.data.d)
        values = [each.objective.value(w) for each in (problem, twice)]
        require_close("f with weight 2 and with rows twice", *values, rtol=1e-8)
    X, y = features(), labels()
    light = np.r_[np.ones(y.size), np.full(y.size, 1e-3)]
    lying = locked(np.r_[X, 5.0 * X], np.r_[y, -y], weights=light)
    ranked = auc(
        y, require_fit("light rows that lie", solver, lying, passes=50).decision_function(X)
    )
    require(
        ranked > RANKED,
        f"the AUC on heavy rows is {ranked:.3f} beside light rows that lie, wanted more than "
        f"{RANKED}; learn with the weights of rows, or declare Needs(weights=False)",
    )
    if problem.f is not None:
        require_falls("beside light rows that lie", solver, lying)
