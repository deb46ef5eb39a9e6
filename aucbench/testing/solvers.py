"""Laws of solvers."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import islice, pairwise
from typing import Any, cast

import numpy as np

from aucbench.data import Breakpoints, Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import UnsupportedError
from aucbench.metrics import auc
from aucbench.objectives import Logistic, PairwiseSquare
from aucbench.optim import Counted, counted
from aucbench.projectors import L2Ball
from aucbench.protocols import Budget, Identity, Needs, NoMap, Problem, State, Streaming
from aucbench.ranges import is_axis, samples
from aucbench.records import Stop
from aucbench.solving.loop import solve
from aucbench.solving.points import mappings
from aucbench.solving.wrappers import Observed, Recast, reads_budget, recast, with_budget
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import (
    csr,
    extent,
    features,
    labels,
    locked,
    numbers_of,
    require_close,
    rounded,
    sample,
    single,
)

STEPS = 25  # of a trajectory
PATIENCE = 1000  # steps after which rows must have been read
FASTEST = 1e11  # rows of 12 features that nobody reads in a second
AT_LEAST = 0.85  # AUC on the training rows; the class means are one deviation apart
SMALL_BALL = 1e-3
laws = Laws("solvers")


def started(solver: Any, data: Data, seed: int = 0) -> tuple[Problem, Iterator[State]]:
    """The problem of a solver and its iterates."""
    problem_rng, rng = np.random.default_rng(seed).spawn(2)
    problem = solver.problem(data, problem_rng)
    return problem, iter(solver.iterates(problem, rng))


def learnt(problem: Problem, state: State) -> Vector:
    """A copy of the weights; or the scores that the model gives the sample."""
    if state.w is None:
        return problem.scorer(state, features())
    return np.array(state.w, dtype=np.float64)


def trajectory(
    solver: Any, data: Data, steps: int = STEPS
) -> tuple[Problem, list[tuple[int, int, Vector]]]:
    """The problem, and (step, rows_seen, learnt) of the first states."""
    problem, states = started(solver, data)
    made = [(s.step, s.rows_seen, learnt(problem, s)) for s in islice(states, steps)]
    require(made, "iterates ended without yielding a state; yield at least one")
    return problem, made


def require_same(what: str, one: Any, other: Any, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Raise `LawBroken` unless two trajectories agree."""
    require(
        [row[:2] for row in one] == [row[:2] for row in other],
        f"{what}: steps and rows_seen differ",
    )
    for (t, _, w), (_, _, v) in zip(one, other, strict=True):
        require_close(f"{what}: w of step {t}", w, v, rtol=rtol, atol=atol)


def require_fit(what: str, solver: Any, data: Data, passes: float = 5) -> Any:
    """Raise `LawBroken` unless a fit ends in the normal way, with finite numbers."""
    problem = Observed(solver)
    run = solve(problem, data, passes=passes)
    require(run.stop is not Stop.INVALID, f"{what}: a state was invalid: {run.stop.value}")
    require(run.points, f"{what}: no state came")
    require(
        np.isfinite(run.decision_function(data.rows.matrix)).all(),
        f"{what}: a score is not finite",
    )
    return run


def require_ranks(what: str, solver: Any, data: Data) -> None:
    """Raise `LawBroken` unless the solver learns to rank these rows."""
    run = require_fit(what, solver, data, passes=20)
    got = auc(data.y, run.decision_function(data.rows.matrix))
    require(
        got > AT_LEAST,
        f"{what}: the AUC on the training rows is {got:.3f} after 20 passes, wanted more than "
        f"{AT_LEAST}",
    )


# --- what it declares --------------------------------------------------------------------


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


@laws("rows_seen: 10 % below the rows that were read")
def reads_are_counted(solver: Any) -> None:
    """rows_seen is at least the number of rows that were read through the objective.

    They are those of its values, of its gradients, and of its products with the Hessian, as in
    `lipschitz`. Otherwise a solver gets more work done within the same budget than others.
    """
    if not solver.needs.objective:
        not_asked("it has an objective of its own")
    counting = recast(solver, objective=lambda data: counted(PairwiseSquare(data)))
    problem, iterator = started(counting, sample())
    f = cast(Counted, problem.objective)
    f.rows_seen = 0  # what `problem` has read is tuning
    for state in islice(iterator, STEPS):
        require(
            state.rows_seen >= 0.9 * f.rows_seen,
            f"rows_seen is {state.rows_seen} at step {state.step}, and values, gradients and "
            f"products with the Hessian have read {f.rows_seen} rows; `counted` of aucbench.optim "
            "counts them",
        )


@laws("exact")
def budget(solver: Any) -> None:
    """A solver that reads the budget runs with any one: without passes, without seconds, with none.

    Nobody sets a limit in a loop of one's own, and `solve` may have only one of the two.
    """
    if not any(map(reads_budget, (solver.problem, solver.iterates))):
        not_asked("neither `problem` nor `iterates` has the parameter budget")
    for given in (None, Budget(), Budget(passes=2.0), Budget(seconds=1.0)):
        told = solver if given is None else with_budget(solver, given)
        try:
            trajectory(told, sample(), 3)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise LawBroken(
                f"with budget={given} it raises {what}; write budget: Budget | None = None, and "
                "expect None for passes and seconds too"
            ) from error


# --- repeatable --------------------------------------------------------------------------


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

    from aucbench.parallel import threads as own_threads

    runs = []
    for count in (1, 2):
        with threadpool_limits(count), own_threads(count):
            runs.append(trajectory(solver, sample(), 8)[1])
    require_same("one thread and two", runs[0], runs[1], rtol=1e-3, atol=1e-4)


# --- what it reads -----------------------------------------------------------------------


@laws("1e-3 of each number, and 1e-4; sums are added in another order")
def layouts(solver: Any) -> None:
    """Dense rows, CSR rows, rows in Fortran order and float32 rows give the same iterates.

    The numbers are multiples of 1/64, so that float32 has them exactly. All arrays are read-only.
    """
    whole = np.round(features() * 64) / 64
    dense = trajectory(solver, locked(whole.copy(), labels()))[1]
    made = {
        "CSR rows": csr(whole),
        "rows in Fortran order": np.asfortranarray(whole),
        "float32 rows": whole.astype(np.float32),
    }
    for name, rows in made.items():
        other = trajectory(solver, locked(rows, labels()))[1]
        require_same(f"{name} and dense rows", other, dense, rtol=1e-3, atol=1e-4)


@laws("1e-9 of each number, and 1e-12; sums are added in another order")
def float32(solver: Any) -> None:
    """Rows that are stored as float32 give the iterates of the same numbers as float64.

    A user stores them so to halve their memory. They are rounded once; all is computed in float64.
    A solver that cannot read them refuses them by an `UnsupportedError`.
    """
    for X in (features(), csr(features())):
        wanted = trajectory(solver, locked(rounded(X), labels()))[1]
        try:
            made = trajectory(solver, locked(single(X), labels()))[1]
        except UnsupportedError as refusal:
            not_asked(f"it refuses them: {refusal}")
        require_same("float32 rows", made, wanted, rtol=1e-9, atol=1e-12)


@laws(f"AUC above {AT_LEAST}")
def ranks(solver: Any) -> None:
    """It ranks easy rows much better than chance, and scores CSR rows as dense ones."""
    run = require_fit("the sample", solver, sample(), passes=20)
    for layout in (np.asarray, csr):
        got = auc(labels(), run.decision_function(layout(features())))
        require(
            got > AT_LEAST,
            f"the AUC on the training rows is {got:.3f} after 20 passes, wanted more than "
            f"{AT_LEAST}",
        )


@laws(f"AUC above {AT_LEAST}")
def order_of_rows(solver: Any) -> None:
    """It ranks well in whatever order the rows come: shuffled, or the positives last."""
    for name, order in (
        ("shuffled rows", np.random.default_rng(2).permutation(extent().n)),
        ("positives last", np.argsort(labels(), kind="stable")),
    ):
        require_ranks(name, solver, sample(rows=order))


@laws(f"AUC above {AT_LEAST}")
def flipped_labels(solver: Any) -> None:
    """With the classes exchanged it ranks the other class first."""
    require_ranks("flipped labels", solver, locked(features(), -labels()))


@laws("scores are finite")
def one_positive(solver: Any) -> None:
    """It learns from rows with one positive, and from rows with one negative."""
    y = labels()
    some = np.r_[np.flatnonzero(y > 0)[:1], np.flatnonzero(y < 0)]
    for name, sign in (("one positive", 1), ("one negative", -1)):
        require_fit(name, solver, locked(features()[some], sign * y[some]))


@laws("scores are finite")
def constant_column(solver: Any) -> None:
    """A column that is constant, and a column of zeros, do no harm."""
    X = features()
    X[:, 3], X[:, 5] = 1.0, 0.0
    require_fit("a constant column", solver, locked(X, labels()))


@laws("scores are finite")
def duplicated_rows(solver: Any) -> None:
    """Rows that occur twice, and with both labels, do no harm."""
    twice = np.repeat(np.arange(extent().n), 2)
    y = labels()[twice]
    require_fit("duplicated rows", solver, locked(features()[twice], y))
    y[:8:2] = -y[:8:2]
    require_fit("equal rows of both classes", solver, locked(features()[twice], y))


@laws("scores are finite")
def ties(solver: Any) -> None:
    """Columns with two values, whose scores are full of ties, do no harm."""
    require_fit("ties", solver, locked(np.sign(features()), labels()))


@laws("scores are finite")
def one_column(solver: Any) -> None:
    """It learns from a single column."""
    require_fit("one column", solver, locked(features()[:, :1].copy(), labels()))


@laws("scores are finite, and not an exception")
def scales(solver: Any) -> None:
    """Rows in units 1e8 times smaller or larger end in finite scores.

    Tables of people come in such units, and a sum of squares of them is still a float.
    """
    for scale in (1e-8, 1e8):
        data = locked(features() * scale, labels())
        require_fit(f"rows times {scale:g}", solver, data, passes=30)


# --- what it minimises -------------------------------------------------------------------


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
    watched = Observed(solver)
    run = solve(watched, sample(), passes=50)
    [problem] = watched.problems
    if problem.f is None:
        not_asked("it minimises no listed objective")
    before, after = problem.value(problem.start()), run.points[-1].objective
    require(
        before is not None and after is not None and after < before,
        f"f + Ω is {after} after 50 passes, and {before} at the start",
    )


@laws("1e-9 of the objective, beside the gap")
def certificate(solver: Any) -> None:
    """No feasible point near w, or down the gradient, is lower than f + Ω less its gap.

    A gap is a promise: it bounds how far the objective is from its minimum.
    """
    watched = Observed(solver)
    gaps: list[tuple[float, Vector]] = []

    def keep(_: Any, state: State) -> None:
        if state.gap is not None and state.w is not None:
            gaps.append((state.gap, np.array(state.w)))

    solve(watched, sample(), passes=100, gap_tol=1e-9, watch=keep)
    [problem] = watched.problems
    if not gaps or problem.f is None:
        not_asked("it certifies no gap")
    best = min(low for _, w in gaps[-1:] for low in _values_near(problem, w))
    for gap, w in gaps:
        value = problem.value(w) or 0.0
        require(
            value - gap <= best + 1e-9 * max(1.0, abs(best)),
            f"f + Ω is {value:.9g} with a gap of {gap:.3g}, and a feasible point has {best:.9g}",
        )


@laws("1 % of what the fit has gained")
def optimum(solver: Any) -> None:
    """A method that ends by itself is at a minimum: no feasible point near by is much lower.

    A table says of it that it has finished, and not that the budget has ended it.
    """
    problem, _ = started(solver, sample())
    if problem.f is None or problem.early_stopping:
        not_asked("it minimises no listed objective")
    watched = Observed(solver)
    run = solve(watched, sample(), passes=300, every=np.inf)
    [problem] = watched.problems
    if run.w is None or run.stop is not Stop.FINISHED:
        not_asked("it does not end by itself without a gap")
    value, start = problem.value(run.w) or 0.0, problem.value(problem.start()) or 0.0
    best = min(_values_near(problem, run.w))
    require(
        value - best <= 0.01 * (start - best),
        f"it has ended at f + Ω = {value:.6g}, and a feasible point near by has {best:.6g}",
    )


def _values_near(problem: Problem, w: Vector) -> Iterator[float]:
    """f + Ω at w and at feasible points near it: perturbed ones, and down the gradient."""
    rng = np.random.default_rng(0)
    f = problem.objective
    yield problem.value(w) or 0.0
    for size_of_step in np.geomspace(1e-6, 1.0, 13):
        moves = [rng.normal(size=w.size) for _ in range(8)]
        for move in [*moves, -f.grad(w), -f.grad(np.zeros_like(w))]:
            u = problem.project(w + size_of_step * move, size_of_step)
            if problem.project.contains(u):
                value = problem.value(u)
                if value is not None and np.isfinite(value):
                    yield value


# --- what it says that it needs ----------------------------------------------------------


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


# --- streams -----------------------------------------------------------------------------


@laws("1e-10 of each number")
def chunks(solver: Any) -> None:
    """The memory is the same wherever chunks end, even with a single row or class in a chunk."""
    if not isinstance(solver, Streaming):
        not_asked("it does not stream")
    cuts = [0, 1, 20, 21, 60, extent().n]
    for layout in (np.asarray, csr):
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
