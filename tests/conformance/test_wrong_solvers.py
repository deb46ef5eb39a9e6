"""Solvers that are wrong on purpose: each is found, by the law that is about its mistake."""

import os
import random
import signal
import subprocess
import tempfile
import threading
import time
import warnings
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from broken_laws import Weightless, assert_found, maker, verdict, with_lambda
from threadpoolctl import threadpool_info

from aucbench.contract import Model, Needs, Problem, Solver, State, count_rows
from aucbench.data import ALL, Labels, uncounted
from aucbench.errors import ParameterError
from aucbench.objectives import PairwiseSquare
from aucbench.optim import lipschitz, passes
from aucbench.projectors import ElasticNet, GroupL2, TopK
from aucbench.registry import get_solver
from aucbench.testing import Verdict, check
from aucbench.testing.samples import Extent

pytestmark = pytest.mark.filterwarnings("ignore")
made = maker(globals())


def able(*capabilities, **others):
    return Needs(frozenset(capabilities), **others)


# --- those that are right, and ways to change them --------------------------------------


class Descent(Solver):
    """Gradient descent, as it should be; what is wrong with the others is what they override."""

    needs = able("any-objective", "any-projector", "warm-start")

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, w0, rng, budget):
        f, w = problem.objective, w0
        gamma = 1 / lipschitz(f, [ALL], rng)
        while True:
            w = problem.project(w - gamma * f.grad(w), gamma)
            yield State(w)


class Direct(Descent):
    """A method in one step, which `weights` does."""

    needs: ClassVar = Needs()
    problem = Solver.problem

    def iterates(self, problem, w0, rng, budget):
        count_rows(problem.data.n)
        return State(self.weights(problem.data, rng))

    def weights(self, data, rng):
        return apart(data)


@dataclass(frozen=True)
class Ridge(Descent):
    lam: float = 1e-2

    needs = able("warm-start")
    space: ClassVar = {"lam": (1e-3, 1e-2, 1e-1)}

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), ElasticNet(l1=0.0, l2=self.lam))


@dataclass(slots=True)
class Total:
    w: np.ndarray
    n: int = 0


class Stream(Direct):
    """w = Σ y x / n of the rows so far."""

    needs: ClassVar = able("chunks", "warm-start")

    def iterates(self, problem, w0, rng, budget):
        return passes(self, problem, w0, rng, shuffle=False)

    def start(self, w, rng):
        return Total(w)

    def update(self, memory, chunk, order):
        memory.w += chunk.rows.take(order).dense().matrix.T @ chunk.y[order].astype(float)
        memory.n += order.size

    def weights(self, memory):
        return memory.w / max(memory.n, 1)


def solver(base=Descent, **members):
    return made(base, members)()


def ridge(iterates):
    return solver(Ridge, iterates=iterates)


def direct(weights):
    return solver(Direct, weights=lambda self, data, rng: weights(data, rng))


def edited(**changes):
    """States with other fields; a change is a value, or a function of the state."""

    def iterates(self, problem, w0, rng, budget):
        for state in Descent.iterates(self, problem, w0, rng, budget):
            yield replace(state, **{k: v(state) if callable(v) else v for k, v in changes.items()})

    return solver(iterates=iterates)


def changed(change):
    """Descent, whose weights `change(w, t, problem, rng, budget)` changes when they are yielded."""

    def iterates(self, problem, w0, rng, budget):
        states = Descent.iterates(self, problem, w0, rng, budget)
        for t, state in enumerate(states, 1):
            yield State(change(state.w, t, problem, rng, budget))

    return iterates


def moved(move):
    """Descent, whose weights `move` moves a little."""
    return solver(iterates=changed(lambda w, t, problem, rng, budget: w + 1e-9 * move(w)))


def stepping(direction, gamma=None, project=True):
    """Descent along `direction(problem, w, t)`."""

    def iterates(self, problem, w0, rng, budget):
        w = w0
        length = gamma or 1 / lipschitz(PairwiseSquare(problem.data), [ALL], rng)
        for t in count(1):
            w = w - length * direction(problem, w, t)
            w = problem.project(w, length) if project else w
            yield State(w)

    return iterates


def on_the_problem(change):
    """Descent on another problem than the one that is listed."""

    def iterates(self, problem, w0, rng, budget):
        return Descent.iterates(self, change(problem), w0, rng, budget)

    return iterates


def before_each_fit(act):
    """A solver that does something before it begins."""

    def iterates(self, *given):
        act()
        return Descent.iterates(self, *given)

    return solver(iterates=iterates)


def beyond(n, wrong):
    """Descent, and from so many rows on another method."""

    def iterates(self, problem, *given):
        method = wrong if problem.data.n > n else Descent.iterates
        return method(self, problem, *given)

    return solver(iterates=iterates)


def grad(problem, w, t=0):
    return problem.objective.grad(w)


def apart(data):
    m_neg, m_pos = data.means
    return m_pos - m_neg


def of_weights(data, weights):
    return replace(data, target=Labels.of(data.y, None, None, weights))


@pytest.mark.parametrize("base", [Descent, Direct, Stream])
def test_the_right_ones_obey_all_laws(base):
    assert not [f for f in check(solver(base)) if f.verdict is Verdict.BROKEN]


# --- states and declarations ------------------------------------------------------------


class Zero:
    def scores(self, rows):
        return np.zeros(rows.n)


def rounded_value(self, problem, *given):
    """The value is a sum of float32."""
    for state in Descent.iterates(self, problem, *given):
        with uncounted():
            yield replace(state, value=float(np.float32(problem.objective.value(state.w))))


def without_counting(self, problem, w0, rng, budget):
    X, y = problem.data.rows.dense().matrix, problem.data.y
    while True:
        w0 = w0 + 0.1 * X.T @ (y - y.mean()) / y.size
        yield State(w0)


def stages(self, problem, w0, rng, budget):
    return islice(Descent.iterates(self, problem, w0, rng, budget), int(budget.passes))


STATES = {
    "float32": ("states", "float32", edited(w=lambda s: s.w.astype(np.float32))),
    "one more": ("states", "shape (13,)", edited(w=lambda s: np.append(s.w, 1.0))),
    "NaN": ("states", "not finite", edited(w=lambda s: s.w * np.nan)),
    "neither": ("states", "got neither", edited(w=None)),
    "model with f": ("states", "f of the Problem must be None", edited(w=None, model=Zero())),
    "gap below 0": ("states", "at least 0", edited(gap=-1.0)),
    "residual below 0": ("states", "residual of step 1", edited(residual=-1e-9)),
    "wrong value": ("states", "State.value of step 1", edited(value=7.0)),
    "value of float32": ("states", "State.value of step", solver(iterates=rounded_value)),
    "info NaN": ("states", "info['a'] of step 1", edited(info={"a": np.nan})),
    "ends at once": ("states", "without one", solver(iterates=lambda *_: iter(()))),
    "yields weights": ("states", "yield a State", solver(iterates=lambda s, p, w, *_: iter([w]))),
    "rows uncounted": ("states", "count_rows", solver(iterates=without_counting, needs=Needs())),
    "gap 0": ("certificate", "with a gap of 0", edited(gap=0.0)),
    "gap too small": ("certificate", "a gap of", edited(gap=lambda s: 1e-3 + 0.0 * s.w[0])),
    "budget of passes": ("budget", "passes=None, seconds=None", solver(iterates=stages)),
}


def refusing(self):
    if self.k > 1:
        raise ValueError("k is too large")


def of_k(**members):
    return solver(k=1, **{"__annotations__": {"k": int}} | members)


def typed_needs():
    return solver(__annotations__={"needs": Needs}, needs=Needs())


DECLARED = {
    "not frozen": ("no frozen dataclass", lambda: made(Direct, {}, frozen=False)()),
    "no needs": ("wanted an instance", lambda: solver(needs={"objective": True})),
    "no space": ("wanted a mapping", lambda: solver(space=None)),
    "space of no field": ("none of its parameters", lambda: of_k(space={"j": (1,)})),
    "axis of one number": ("a tuple of values", lambda: of_k(space={"k": 3})),
    "refused value": ("too large", lambda: of_k(space={"k": (1, 2)}, __post_init__=refusing)),
    "path of no field": ("the path 'lam'", lambda: solver(needs=able("warm-start", path="lam"))),
    "path without a start": ("warm-start", lambda: of_k(space={"k": (1, 2)}, needs=able(path="k"))),
    "needs as a field": ("needs is a field", typed_needs),
}


@pytest.mark.parametrize("name", DECLARED)
def test_wrong_declarations(name):
    told, make = DECLARED[name]
    assert_found("solvers", make(), "declared", told)


# --- it does not minimise what it lists -------------------------------------------------


def timid_with_much(self, problem, w0, rng, budget):
    """The larger its budget, the shorter its steps."""
    length = 0.1 if budget.passes and budget.passes < 1000 else 1e-6
    return stepping(grad, length)(self, problem, w0, rng, budget)


def n_times_the_ridge(self, problem, w0, rng, budget):
    own = replace(problem, project=ElasticNet(l1=0.0, l2=self.lam * problem.data.n))
    return Descent.iterates(self, own, w0, rng, budget)


def n_times_the_ridge_if_wide(self, problem, *given):
    wide = problem.data.n < problem.data.d
    return (n_times_the_ridge if wide else Descent.iterates)(self, problem, *given)


ELSEWHERE = {
    "it stops after three steps": stepping(lambda p, w, t: grad(p, w) * (t <= 3)),
    "its steps shrink with the budget": timid_with_much,
    "n times the ridge": n_times_the_ridge,
    "scores times 0.9": changed(lambda w, *_: 0.9 * w),
    "it ends early": lambda *given: islice(Descent.iterates(*given), 3),
}


def least_ridge(floor):
    """Descent with a certified gap, of a ridge of at least `floor`."""

    def iterates(self, problem, w0, rng, budget):
        f, lam = problem.objective, max(self.lam, floor)
        own = replace(problem, project=ElasticNet(l1=0.0, l2=lam))
        for state in Descent.iterates(self, own, w0, rng, budget):
            with uncounted():
                slope = f.grad(state.w) + lam * state.w
            yield replace(state, gap=float(slope @ slope) / (2 * lam))

    return iterates


def from_the_start(self, problem, w0, rng, budget):
    """It adds the weights that it starts from to those that it ends at."""
    first = w0.copy()
    for state in Descent.iterates(self, problem, np.zeros_like(w0), rng, budget):
        yield State(state.w + 0.5 * first)


def from_zeros(self, problem, w0, rng, budget):
    return Descent.iterates(self, problem, 0.0 * w0, rng, budget)


MINIMA = {
    **{name: ("optimum", "gradient method", ridge(each)) for name, each in ELSEWHERE.items()},
    "n times the ridge if rows are few": (
        "optimum",
        "fewer rows than columns",
        replace(ridge(n_times_the_ridge_if_wide), lam=10.0),
    ),
    "gap at the end of a space": ("ends-of-space", "lam=0.001", ridge(least_ridge(5e-3))),
    "a path that ends elsewhere": (
        "path",
        "the last value",
        solver(Ridge, iterates=from_the_start, needs=able("warm-start", path="lam")),
    ),
    "a start that is ignored": ("warm-start", "depend on w0", solver(iterates=from_zeros)),
    "a start that is left": (
        "warm-start",
        "near the minimum",
        solver(iterates=changed(lambda w, *_: 3.0 * w)),
    ),
}


# --- what a solver reads, draws and keeps -----------------------------------------------


KEPT = {"w": np.zeros(12)}


def in_a_global(self, problem, w0, rng, budget):
    KEPT["w"] = w0
    while True:
        KEPT["w"] = KEPT["w"] - 0.01 * problem.objective.grad(KEPT["w"])
        yield State(KEPT["w"])


def scaled_in_place(self, problem, w0, rng, budget):
    problem.data.rows.stored.setflags(write=True)
    problem.data.rows.stored[:] /= 2.0
    return Descent.iterates(self, problem, w0, rng, budget)


def by_a_set_of_names(w, t, problem, rng, budget):
    """The factors of the columns come in the order of a set of names, which are many.

    Of a few names two processes may by chance have the same first one.
    """
    order = np.array([int(name) for name in {f"{j}" for j in range(99)}])
    return w * (1.0 + 1e-9 * order[: w.size])


def drawing_and_blind(data, rng):
    """Rows are drawn, and never the last ten."""
    X, y = data.rows.dense().matrix, data.y
    some = rng.integers(0, data.n - 10, 50 * data.n)
    return X[some].T @ (y[some] - y.mean())


def drawing_positives(data, rng):
    """Positive rows are drawn, and negatives are ignored."""
    some = rng.choice(np.flatnonzero(data.y > 0), data.n)
    return data.rows.dense().matrix[some].mean(axis=0)


def of_rows(chosen):
    """The correlation with the labels of `chosen(data)`."""

    def weights(data, rng):
        some = chosen(data)
        X, y = data.rows.take(some).dense().matrix, data.y[some]
        return X.T @ (y - y.mean())

    return direct(weights)


def thread_count():
    return max((pool["num_threads"] for pool in threadpool_info()), default=1)


@dataclass(frozen=True)
class Batch(Model):
    """Scores of means, changed by a function of the batch."""

    w: np.ndarray
    change: Any

    def scores(self, rows):
        return self.change(rows.dense().matrix @ self.w)


def modelled(change):
    """A solver whose model changes its scores by a function of all of them."""

    def iterates(self, problem, *_):
        count_rows(problem.data.n)
        return State(model=Batch(apart(problem.data), change))

    return solver(Direct, iterates=iterates)


def standardised(scores):
    return (scores - scores.mean()) / max(scores.std(), 1e-12)


def of_batches_above(n):
    return modelled(lambda scores: standardised(scores) if scores.size > n else scores)


@dataclass
class Live(Model):
    w: np.ndarray

    def scores(self, rows):
        return rows.dense().matrix @ self.w


def one_live_model(self, problem, *_):
    model = Live(apart(problem.data))
    while True:
        count_rows(problem.data.n)
        model.w = 0.5 * model.w
        yield State(model=model)


ROW_BY_ROW = {
    "standardised": modelled(standardised),
    "by its place": modelled(lambda scores: scores + 0.01 * np.arange(scores.size)),
    "standardised from 50 rows on": of_batches_above(50),
}
READS = {
    **{name: ("row-by-row", "rows apart", each) for name, each in ROW_BY_ROW.items()},
    "one live model": ("models-stay", "another model", solver(Direct, iterates=one_live_model)),
    "global generator": ("same-seed", "w of step 1", moved(lambda w: np.random.rand())),  # noqa: NPY002
    "a global": ("fits-are-independent", "w of step 2", solver(iterates=in_a_global)),
    "rows in place": ("data-are-left-alone", "changed X", solver(iterates=scaled_in_place)),
    "every other row": ("any-order", "shuffled", of_rows(lambda d: slice(None, None, 2))),
    "not the last ten": ("any-order", "over 20 seeds", direct(drawing_and_blind)),
    "positives only": ("exchanged-classes", "exchanged", direct(lambda d, r: d.means[1])),
    "drawn positives": ("exchanged-classes", "over 20 seeds", direct(drawing_positives)),
    "order of a set": ("another-process", "differs", solver(iterates=changed(by_a_set_of_names))),
    "lambda": ("pickles", "<lambda>", solver(__post_init__=with_lambda)),
    "threads": ("threads", "one thread and two", moved(lambda w: 1e9 * thread_count())),
}


# --- it breaks on some rows -------------------------------------------------------------


def over_the_deviation(data, rng):
    return apart(data) / data.rows.dense().matrix.std(axis=0)


def over_that_of_the_positives(data, rng):
    return apart(data) / data.rows.dense().matrix[data.y > 0].std(axis=0, ddof=1)


def by_a_table_of_rows(data, rng):
    X = data.rows.dense().matrix
    known = {tuple(row): sign for row, sign in zip(X.tolist(), data.y.tolist(), strict=True)}
    total = sum(sign * np.array(row) for row, sign in known.items())
    return total / max(0, len(known) - data.n + 1)


def over_the_median_step(data, rng):
    steps = np.diff(np.sort(data.rows.dense().matrix, axis=0), axis=0)
    return apart(data) / np.median(steps, axis=0)


def two_columns(data, rng):
    return apart(data) + 1e-9 * np.eye(data.d)[1]


def in_their_float_type(data, rng):
    return apart(data).astype(data.rows.stored.dtype).astype(np.float64)


def dense_only(data, rng):
    return data.rows.stored.reshape(data.n, data.d).T @ (data.y - data.y.mean())


def powers_of_means(data, rng):
    return (data.means[1] ** 9 - data.means[0] ** 9) ** 5


ROWS = {
    "constant": ("ranks", "AUC on the training rows is 0.5", direct(lambda d, r: np.zeros(d.d))),
    "only the sum": ("exchanged-classes", "exchanged", direct(lambda d, r: np.ones(d.d))),
    "deviation": ("odd-rows", "a constant column", direct(over_the_deviation)),
    "deviation of one": ("one-positive", "invalid", direct(over_that_of_the_positives)),
    "table of rows": ("odd-rows", "duplicated rows", direct(by_a_table_of_rows)),
    "median step": ("odd-rows", "ties in columns", direct(over_the_median_step)),
    "second column": ("one-column", "IndexError", direct(two_columns)),
    "dense only": ("layouts", "reshape", direct(dense_only)),
    "stored values": ("layouts", "CSR", direct(lambda d, r: apart(d) / d.rows.stored.size)),
    "in float32": ("float32", "float32 rows: w of step 1", direct(in_their_float_type)),
    "overflow": ("scales", "rows times 1e+08", direct(powers_of_means)),
    "fixed step": ("scales", "invalid", solver(iterates=stepping(grad, 0.01))),
}


# --- what it declares is false ----------------------------------------------------------


def clipped_in_secret(w, t, problem, rng, budget):
    terms = problem.data.terms
    return w if terms is None else np.clip(w, terms.low, terms.high)


def bounded_problem(self, data, rng, budget):
    own = Descent.problem(self, data, rng, budget)
    return replace(own, project=GroupL2(0.0, terms=data.terms))


def towards_the_heavy(problem, w, t):
    """The step ranks the heavy rows, and leaves f where it was."""
    count_rows(problem.data.n)
    return -apart(problem.data) * (np.linalg.norm(w) < 0.01)


def certified_without_weights(self, problem, w0, rng, budget):
    plain = replace(problem, f=PairwiseSquare(of_weights(problem.data, None)))
    states = Descent.iterates(self, plain, w0.copy(), rng, budget)
    with uncounted():
        least = min(plain.objective.value(s.w) for s in islice(states, 500))
    for state in Descent.iterates(self, problem, w0, rng, budget):
        with uncounted():
            gap = max(0.0, plain.objective.value(state.w) - least) + 1e-12
        yield replace(state, gap=gap)


def sparse_problem(self, data, rng, budget):
    return Problem(PairwiseSquare(data), TopK(3))


def weightless_problem(self, data, rng, budget):
    return Problem(Weightless(data))


def of_all_pairs(self, data, rng, budget):
    return Problem(PairwiseSquare(replace(data, pairs=None)))


def ignoring(capability):
    return solver(problem=of_all_pairs, needs=able(capability))


own_objective = on_the_problem(lambda p: replace(p, f=PairwiseSquare(p.data)))
own_length = on_the_problem(lambda p: replace(p, project=lambda v, _: p.project(v)))
unprojected = stepping(grad, project=False)
weighted = able("weights")
FALSE = {
    "no projection": (
        "iterates-are-feasible",
        "w of step 1",
        solver(problem=sparse_problem, iterates=unprojected),
    ),
    "objective ignored": ("any-objective", "minimise", solver(iterates=own_objective)),
    "prox of the length 1": ("any-projector", "l1 penalty", solver(iterates=own_length)),
    "projector ignored": ("any-projector", "call problem.project", solver(iterates=unprojected)),
    "weights ignored": (
        "weights",
        "with weight 2",
        solver(problem=weightless_problem, needs=weighted),
    ),
    "weights of half the rows": (
        "weights",
        "light rows",
        solver(iterates=stepping(towards_the_heavy, gamma=0.002), needs=weighted),
    ),
    "gap without weights": (
        "certificate",
        "weights of rows",
        solver(iterates=certified_without_weights, needs=weighted),
    ),
    "model without weights": (
        "weights",
        "pairs that count",
        solver(Direct, weights=lambda s, d, r: apart(of_weights(d, None)), needs=weighted),
    ),
    "class-pairs": ("class-pairs", "pairs that count", ignoring("class-pairs")),
    "group-pairs": ("group-pairs", "learn from data.pairs", ignoring("group-pairs")),
    "range-pairs": ("range-pairs", "learn from data.pairs", ignoring("range-pairs")),
    "bounds ignored": ("shapes", "outside of the bounds", solver(needs=able("shapes"))),
    "bounds that are no part of the problem": (
        "shapes",
        "allows weights outside",
        solver(iterates=changed(clipped_in_secret), needs=able("shapes")),
    ),
    "bounds by giving up": (
        "shapes",
        "within bounds",
        solver(
            problem=bounded_problem,
            iterates=changed(lambda w, *_: np.zeros_like(w)),
            needs=able("shapes"),
        ),
    ),
    "breakpoints": ("breakpoints", "needs labels", solver(Direct, needs=able("breakpoints"))),
    "chunks": ("chunks", "read in chunks", solver(needs=able("chunks"))),
}


def mean_of_means(self, memory, chunk, order):
    memory.w = memory.w / 2 + chunk.rows.take(order).dense().matrix.mean(axis=0)


def both_classes(self, memory, chunk, order):
    y, X = chunk.y[order], chunk.rows.take(order).dense().matrix
    memory.w += y.size * (X[np.flatnonzero(y > 0)[0]] - X[np.flatnonzero(y < 0)[0]])


STREAMS = {
    "mean of means": ("chunks", "after chunks", solver(Stream, update=mean_of_means)),
    "both classes": ("chunks", "IndexError", solver(Stream, update=both_classes)),
}
WRONG = STATES | MINIMA | READS | ROWS | FALSE | STREAMS


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found_by_its_law(name):
    law, told, thing = WRONG[name]
    assert_found("solvers", thing, law, told)


# --- what has no effect, or stays behind ------------------------------------------------


def drawing_in_vain(self, problem, w0, rng, budget):
    rng.integers(10)
    return stepping(grad, gamma=0.01)(self, problem, w0, rng, budget)


def by_pairs_if_drawn(self, problem, w0, rng, budget):
    move = 1e-3 if self.loss == "drawn" else 0.0
    return changed(lambda w, *_: w + move)(self, problem, w0, rng, budget)


def refusing_pairs(self):
    if self.pairs is not None and self.loss == "exact":
        raise ParameterError("pairs are drawn; take loss='drawn' too")


def with_fields(iterates=Descent.iterates, **fields):
    """A solver with these parameters, (type, default) each."""
    types, defaults = ({k: v[j] for k, v in fields.items()} for j in (0, 1))
    checking = {"__post_init__": refusing_pairs} if "pairs" in fields else {}
    return solver(iterates=iterates, __annotations__=types, **defaults, **checking)


WORD = {"loss": (Literal["exact", "drawn"], "exact"), "pairs": (int | None, None)}
WARNED = {
    "draws in vain": ("seeds-differ", "three seeds", solver(iterates=drawing_in_vain)),
    "idle parameter": ("parameters", "0.9 and 0.0009", with_fields(momentum=(float, 0.9))),
    "beside a word": ("parameters", "pairs = None and", with_fields(by_pairs_if_drawn, **WORD)),
}


@pytest.mark.parametrize("name", WARNED)
def test_what_has_no_effect_is_a_warning(name):
    law, told, thing = WARNED[name]
    assert_found("solvers", thing, law, told, Verdict.WARNING)


SLEEPING = []


def in_a_thread():
    threading.Thread(target=time.sleep, args=(20.0,), daemon=True).start()


def in_a_process():
    SLEEPING.append(subprocess.Popen(["sleep", "20"]))


LEAVES = {
    "a thread": ("other threads", in_a_thread),
    "a process": ("other processes", in_a_process),
    "a file": ("my_log.txt", lambda: Path("my_log.txt").write_text("step 1")),
    "a temporary file": ("1 files or folders", lambda: os.close(tempfile.mkstemp()[0])),
    "np.seterr": ("errors of NumPy", lambda: np.seterr(all="ignore")),
    "global seed": ("numpy.random", lambda: np.random.seed(0)),  # noqa: NPY002
    "seed of random": ("generators: random", lambda: random.seed(0)),
    "filters": ("filters of warnings", lambda: warnings.simplefilter("error")),
    "environment": ("MY_SOLVER_RUNS", lambda: os.environ.update(MY_SOLVER_RUNS="1")),
    "signals": ("SIGINT", lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)),
    "a print": ("it has printed 'step 1", lambda: print("step 1")),  # noqa: T201
    "a print of C": ("it has printed 'step 1", lambda: os.write(1, b"step 1\n")),
    "another folder": ("present folder", lambda: os.chdir("/")),
}


@pytest.mark.parametrize("name", LEAVES)
def test_what_is_left_behind(name):
    told, act = LEAVES[name]
    try:
        assert_found("solvers", before_each_fit(act), "leaves-nothing", told)
    finally:
        for process in SLEEPING:
            process.kill()
            process.wait()
        SLEEPING.clear()


def test_an_import_may_draw_a_number_once(tmp_path, monkeypatch):
    (tmp_path / "draws_at_import.py").write_text("import random; random.random()")
    monkeypatch.syspath_prepend(tmp_path)
    importing = before_each_fit(lambda: import_module("draws_at_import"))
    assert verdict("solvers", importing, "leaves-nothing").verdict is Verdict.HOLDS


# --- what only larger rows show ---------------------------------------------------------

TALL, WIDE = Extent(2000, 50), Extent(300, 3000)


def with_gap_0(*given):
    return (replace(state, gap=1e-9) for state in Descent.iterates(*given))


def learning_nothing(*given):
    return (replace(s, w=0.0 * s.w) for s in Descent.iterates(*given))


LARGER = {
    "gap from 100 rows on": (TALL, "certificate", beyond(100, with_gap_0)),
    "nothing from 1000 rows on": (TALL, "ranks", beyond(1000, learning_nothing)),
    "another minimum from 1000 rows on": (TALL, "optimum", beyond(1000, learning_nothing)),
    "batches of 250 rows": (WIDE, "row-by-row", of_batches_above(250)),
}


@pytest.mark.parametrize("name", LARGER)
def test_lies_about_larger_rows(name):
    at, law, thing = LARGER[name]
    assert verdict("solvers", thing, law).verdict is not Verdict.BROKEN
    assert verdict("solvers", thing, law, at).verdict is Verdict.BROKEN


@pytest.mark.nightly
def test_chunks_of_rows_stored_as_csr_are_stored_so_too():
    assert verdict("solvers", get_solver("opauc-lr"), "chunks", WIDE).verdict is Verdict.HOLDS
