"""A solver minimises what it says, also with the parts, pairs and chunks that it says it takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import numpy as np

from aucbench.data import Breakpoints, Chunk, Data, Grades, Survival, Terms
from aucbench.data.arrays import Index, Vector
from aucbench.metrics import auc
from aucbench.metrics.pairs import quality_of
from aucbench.objectives import Logistic
from aucbench.pairs import Group
from aucbench.projectors import ElasticNet, L2Ball
from aucbench.protocols import Identity, NoMap, Problem, State, Streaming
from aucbench.ranges import ENOUGH, samples
from aucbench.records import Stop
from aucbench.solving.descent import lowered
from aucbench.solving.loop import solve
from aucbench.solving.points import mappings
from aucbench.solving.wrappers import WithParts, WithProblems, recast
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import (
    csr,
    extent,
    features,
    labels,
    locked,
    numbers_of,
    require_close,
    sample,
)
from aucbench.testing.solvers.fits import (
    PLAIN_STEPS,
    RANKED,
    SHARE,
    Opposite,
    require_falls,
    require_fit,
    require_same,
    started,
    trajectory,
)

laws = Laws("solvers")
SIZE, SHIFT = 6, 5.0  # rows of a group, and standard deviations of the groups
FEWEST = 360  # rows, from which trees of few rows grow


@laws("as `contains` of the projector")
def iterates_are_feasible(solver: Any) -> None:
    """Each w is in the domain of Ω: the caller may stop after any step."""
    if started(solver, sample())[0].f is None:
        not_asked("it minimises no listed objective")
    problem, states = trajectory(solver, sample())
    for t, _, w in states:
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


SMALL_BALL = 1e-3


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
    _, states = trajectory(recast(solver, projector=small), sample(), 8)
    for t, _, w in states:
        require(
            small.contains(w),
            f"w of step {t} has the length {np.linalg.norm(w):.3g} outside of the ball of "
            f"{SMALL_BALL}; call problem.project, or declare Needs(projector=False)",
        )
    _, free = trajectory(recast(solver, projector=Identity()), sample(), 8)
    require(
        not np.allclose(free[-1][2], states[-1][2], rtol=1e-9, atol=0),
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


@laws(f"exact; {SHARE:.0%} of what a plain method gains")
def needs_shapes(solver: Any) -> None:
    """`Needs(shapes=True)` is true: no weight leaves its bounds, and f falls within them.

    The bounds keep the sign of half of the weights apart from that of their class means.
    """
    if not getattr(solver.needs, "shapes", False):
        not_asked("it does not declare Needs(shapes=True)")
    bounded = _bounded(sample())
    problem, states = trajectory(solver, bounded)
    terms = problem.data.terms  # of the solver's own features, where it makes some
    require(
        terms is not None and terms.are_bounded,
        "the rows of its problem have no bounds; make them of those of data.terms, or declare "
        "Needs(shapes=False)",
    )
    low, high = (cast(Vector, getattr(terms, name)) for name in ("low", "high"))
    for t, _, w in states:
        require(
            bool(np.all((w >= low) & (w <= high))),
            f"a weight of step {t} is outside of the bounds of data.terms; keep them, or declare "
            "Needs(shapes=False)",
        )
    outside = np.where(np.isfinite(low), -1.0, 1.0)
    require(
        not problem.project.contains(outside),
        "the projector of the problem allows weights outside of the bounds of data.terms, so that "
        "nobody can see whether f is at its minimum within them",
    )
    require_falls("within bounds", solver, bounded)


def _bounded(data: Data) -> Data:
    """The rows with bounds of all weights but the last one; those of even ones are uphill."""
    m_neg, m_pos = data.means
    upwards = (m_pos > m_neg) ^ (np.arange(data.d) % 2 == 0)
    low, high = np.where(upwards, 0.0, -np.inf), np.where(upwards, np.inf, 0.0)
    low[-1], high[-1] = -np.inf, np.inf
    return replace(data, terms=Terms.each(data.d).bounded(low, high))


@laws("1e-10 of each number")
def chunks(solver: Any) -> None:
    """The memory is the same wherever chunks end, even with a single row or class in a chunk."""
    if not isinstance(solver, Streaming):
        not_asked("it does not stream")
    cuts = [0, 1, 20, 21, 60, extent().n]
    for layout in (np.asarray, csr):  # the whole and parts alike
        whole, parts = (
            solver.start(np.zeros(extent().d), np.random.default_rng(5)) for _ in range(2)
        )
        solver.update(whole, sample(layout).chunk, _first(extent().n))
        for lo, hi in pairwise(cuts):
            chunk = Chunk.of(layout(features()[lo:hi]), labels()[lo:hi])
            solver.update(parts, chunk, _first(hi - lo))
        once, cut = solver.weights(whole), solver.weights(parts)
        require_close("weights after chunks", cut, once, rtol=1e-10, atol=1e-13)
        held = numbers_of(whole), numbers_of(parts)
        require(held[0], "the memory has no number; keep what was learnt in a dataclass")
        for one, other in zip(*held, strict=True):
            require_close("the memory after chunks", other, one, rtol=1e-10, atol=1e-10)


def _first(count: int) -> Index:
    return np.arange(count, dtype=np.int32)


@laws(f"share of pairs in order above {RANKED}")
def needs_pairs(solver: Any) -> None:
    """`Needs(pairs=...)` is true: it learns the order inside groups, of times, and of grades.

    Inside each group a larger first feature is more positive. Over all rows a smaller one is, so
    that who learns from all pairs learns the opposite.
    """
    kinds = getattr(solver.needs, "pairs", ())
    asked = [(what, data) for kind, what, data in _rows() if kind in kinds]
    if not asked:
        not_asked("it declares no pairs in Needs(pairs=...)")
    for what, data in asked:
        run = require_fit(what, solver, data, passes=50)
        share = quality_of(data, run.decision_function(data.rows.matrix))
        require(
            share > RANKED,
            f"{what}: {share:.3f} of the pairs that count are in order, wanted more than "
            f"{RANKED}; learn from data.pairs, or leave the kind out of Needs(pairs=...)",
        )


def _rows() -> Iterator[tuple[str, str, Data]]:
    """Yield rows of each kind of pairs, and what they are."""
    rng = np.random.default_rng(8)
    n, d = max(FEWEST, extent().n // SIZE * SIZE), extent().d
    X = rng.normal(size=(n, d))
    group = np.arange(n) // SIZE
    shift = rng.normal(size=group[-1] + 1)[group]
    inside = X[:, 0].copy()
    y = np.where(inside - 2.0 * shift + 0.3 * rng.normal(size=n) > 1.0, 1, -1)
    X[:, 0] += SHIFT * shift
    yield "group", "pairs within groups", locked(X, y, groups=group, pairs=Group())
    level = np.floor(2.0 * inside + rng.normal(size=n))
    X = X.copy()
    X[:, 0] = inside
    yield "order", "grades", locked(X, Grades.of(level - level.min()))
    times = Survival.of(np.exp(-inside + 0.3 * rng.normal(size=n)), rng.random(n) < 0.7)
    yield "order", "survival times", locked(X.copy(), times)
