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
from broken_laws import assert_found

from aucbench.contract import (
    Model,
    Needs,
    Problem,
    Solver,
    State,
    count_rows,
)
from aucbench.data import ALL, Labels, uncounted
from aucbench.errors import ParameterError
from aucbench.metrics import auc
from aucbench.objectives import PairwiseSquare
from aucbench.optim import lipschitz, passes
from aucbench.projectors import ElasticNet, GroupL2, TopK
from aucbench.records import Finding
from aucbench.registry import get_solver
from aucbench.testing import LAWS, Verdict, check
from aucbench.testing.laws import found
from aucbench.testing.samples import Extent, extended

pytestmark = pytest.mark.filterwarnings("ignore")


def able(*capabilities, **others):
    return Needs(frozenset(capabilities), **others)


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


NUMBERS = count()


def with_lambda(self):
    object.__setattr__(self, "rule", lambda x: x)


def made(base, members, **options):
    """A dataclass with other members than the base; a pickle finds it in this module."""
    name = f"Made{next(NUMBERS)}"
    own = {"__module__": __name__, "__qualname__": name} | members
    cls = dataclass(**{"frozen": True, **options})(type(name, (base,), own))
    globals()[name] = cls
    return cls


class Direct(Descent):
    """A method in one step, which `weights` does."""

    needs: ClassVar = Needs()
    problem = Solver.problem

    def iterates(self, problem, w0, rng, budget):
        count_rows(problem.data.n)
        return State(self.weights(problem.data, rng))

    def weights(self, data, rng):
        m_neg, m_pos = data.means
        return m_pos - m_neg


def solver(base=Descent, **members):
    return made(base, members)()


def direct(weights):
    return solver(Direct, weights=lambda self, data, rng: weights(data, rng))


def test_the_right_ones_obey_all_laws():
    for thing in (solver(), solver(Direct)):
        assert not [f for f in check(thing) if f.verdict is Verdict.BROKEN]


def edited(**changes):
    """States with other fields; a change is a value, or a function of the state."""

    def iterates(self, problem, w0, rng, budget):
        for state in Descent.iterates(self, problem, w0, rng, budget):
            new = {k: v(state) if callable(v) else v for k, v in changes.items()}
            yield replace(state, **new)

    return solver(iterates=iterates)


class Zero:
    def scores(self, rows):
        return np.zeros(rows.n)


STATES = {
    "float32": ("states", "got an array of float32", {"w": lambda s: s.w.astype(np.float32)}),
    "list": ("states", "got an object of the class list", {"w": lambda s: s.w.tolist()}),
    "column": ("states", "with shape (12, 1)", {"w": lambda s: s.w[:, None]}),
    "one more": ("states", "with shape (13,)", {"w": lambda s: np.append(s.w, 1.0)}),
    "NaN": ("states", "w is not finite", {"w": lambda s: s.w * np.nan}),
    "neither": ("states", "must have w or a model, one of them, got neither", {"w": None}),
    "model with f": ("states", "f of the Problem must be None", {"w": None, "model": Zero()}),
    "gap below 0": ("states", "a bound of at least 0", {"gap": -1.0}),
    "residual below 0": ("states", "residual of step 1", {"residual": -1e-9}),
    "wrong value": ("states", "State.value of step 1", {"value": 7.0}),
    "info NaN": ("states", "info['a'] of step 1", {"info": {"a": np.nan}}),
    "gap 0": ("certificate", "with a gap of 0", {"gap": 0.0}),
    "gap too small": ("certificate", "with a gap of", {"gap": lambda s: 1e-3 + 0.0 * s.w[0]}),
}


@pytest.mark.parametrize("name", STATES)
def test_wrong_states(name):
    law, told, changes = STATES[name]
    assert_found("solvers", edited(**changes), law, told)


def refusing(self):
    if self.k > 1:
        raise ValueError("k is too large")


K = {"k": 1, "__annotations__": {"k": int}}
DECLARED = {
    "not frozen": ("is no frozen dataclass", lambda: made(Direct, {}, frozen=False)()),
    "no needs": ("wanted an instance, as in", lambda: solver(needs={"objective": True})),
    "no space": ("wanted a mapping", lambda: solver(space=None)),
    "space of no field": (
        "'j', which is none of its parameters",
        lambda: solver(**K, space={"j": (1,)}),
    ),
    "axis of one number": ("wanted a tuple of values", lambda: solver(**K, space={"k": 3})),
    "refused value": (
        "k is too large",
        lambda: solver(**K, space={"k": (1, 2)}, __post_init__=refusing),
    ),
    "path of no field": ("the path 'lam'", lambda: solver(needs=able("warm-start", path="lam"))),
    "path without a start": (
        "without the capability warm-start",
        lambda: solver(**K, space={"k": (1, 2)}, needs=Needs(path="k")),
    ),
    "needs as a field": (
        "needs is a field",
        lambda: solver(__annotations__={"needs": Needs}, needs=Needs()),
    ),
}


@pytest.mark.parametrize("name", DECLARED)
def test_wrong_declarations(name):
    told, make = DECLARED[name]
    assert_found("solvers", make(), "declared", told)


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


def own_gradient(problem, w, t):
    return problem.objective.grad(w)


def on_the_problem(change):
    """Descent on another problem than the one that is listed."""

    def iterates(self, problem, w0, rng, budget):
        return Descent.iterates(self, change(problem), w0, rng, budget)

    return iterates


# --- it does not minimise what it lists ------------------------------------------------


@dataclass(frozen=True)
class Ridge(Descent):
    lam: float = 1e-2

    needs = able("warm-start")
    space: ClassVar = {"lam": (1e-3, 1e-2, 1e-1)}

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data), ElasticNet(l1=0.0, l2=self.lam))


def ridge(iterates):
    return made(Ridge, {"iterates": iterates})()


def frozen(problem, w, t):
    return own_gradient(problem, w, t) * (t <= 3)


def growing(problem, w, t):
    return own_gradient(problem, w, t) * (4.0 if t > 20 else 1.0)


def without_the_last_column(problem, w, t):
    return own_gradient(problem, w, t) * (np.arange(w.size) < w.size - 1)


def without_the_last_batch(problem, w, t):
    blocks = [slice(i, i + 16) for i in range(0, problem.data.n - 16, 16)]
    return np.mean([problem.objective.grad(w, block) for block in blocks], axis=0)


def of_labels_0_and_1(problem, w, t):
    return problem.objective.grad(2.0 * w)


def timid_with_much(self, problem, w0, rng, budget):
    """The larger its budget, the shorter its steps."""
    length = 0.1 if budget.passes and budget.passes < 1000 else 1e-6
    return stepping(own_gradient, length)(self, problem, w0, rng, budget)


def of_the_best_auc(self, problem, w0, rng, budget):
    best, kept = -1.0, w0
    for state in Ridge.iterates(self, problem, w0, rng, budget):
        with uncounted():
            reached = auc(problem.data.y, problem.data.scores(state.w))
        if reached > best:
            best, kept = reached, state.w.copy()
        yield State(kept)


def with_n_times_the_ridge(self, problem, w0, rng, budget):
    project = ElasticNet(l1=0.0, l2=self.lam * problem.data.n)
    own = replace(problem, project=project)
    return Descent.iterates(self, own, w0, rng, budget)


ELSEWHERE = {
    "it stops after three steps": stepping(frozen),
    "its steps grow after twenty": stepping(growing),
    "its steps shrink with the budget": timid_with_much,
    "n times the ridge": with_n_times_the_ridge,
    "without the last column": stepping(without_the_last_column),
    "without the last batch": stepping(without_the_last_batch),
    "labels of 0 and 1": stepping(of_labels_0_and_1),
    "scores times 0.9": changed(lambda w, *_: 0.9 * w),
    "the best AUC on training rows": of_the_best_auc,
    "it ends early": lambda *given: islice(Descent.iterates(*given), 3),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_another_minimum_than_the_listed_one_is_found(name):
    assert_found("solvers", ridge(ELSEWHERE[name]), "optimum", "a plain gradient method comes to")


@dataclass(frozen=True)
class ExactGap(Ridge):
    """Its gap is right at its default, and nowhere else."""

    def iterates(self, problem, w0, rng, budget):
        f, own = problem.objective, replace(problem, project=ElasticNet(l1=0.0, l2=1e-2))
        least = 0.0
        with uncounted():
            for state in islice(Descent.iterates(self, own, w0.copy(), rng, budget), 2000):
                w = state.w
            least = f.value(w) + own.project.value(w)
        for state in Descent.iterates(self, problem, w0, rng, budget):
            with uncounted():
                value = f.value(state.w) + problem.project.value(state.w)
            yield replace(state, gap=max(0.0, value - least) + 1e-9)


@dataclass(frozen=True)
class Warm(Ridge):
    """It adds the weights that it starts from to those that it ends at."""

    needs = able("warm-start", path="lam")

    def iterates(self, problem, w0, rng, budget):
        first = w0.copy()
        for state in Descent.iterates(self, problem, np.zeros_like(w0), rng, budget):
            yield State(state.w + 0.5 * first)


def test_gaps_and_minima_at_the_ends_of_a_space():
    assert_found("solvers", ExactGap(), "ends-of-space", "with lam=0.001 f + Ω is")


def test_a_path_that_ends_elsewhere():
    assert_found("solvers", Warm(), "path", "from the weights of the last value")


def test_a_start_that_is_ignored():
    def from_zeros(self, problem, w0, rng, budget):
        return Descent.iterates(self, problem, 0.0 * w0, rng, budget)

    assert_found("solvers", solver(iterates=from_zeros), "warm-start", "does not depend on w0")
    beyond_it = changed(lambda w, *_: 3.0 * w)
    assert_found("solvers", solver(iterates=beyond_it), "warm-start", "from a w0 near the minimum")


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


def drawing_in_vain(self, problem, w0, rng, budget):
    rng.integers(10)
    return stepping(own_gradient, gamma=0.01)(self, problem, w0, rng, budget)


def by_a_set_of_names(w, t, problem, rng, budget):
    """The factors of the columns come in the order of a set of names, which are many.

    Of a few names two processes may by chance have the same first one.
    """
    order = np.array([int(name) for name in {f"{j}" for j in range(99)}])
    return w * (1.0 + 1e-9 * order[: w.size])


def with_a_parameter():
    """A solver with a parameter that it never reads."""
    return solver(__annotations__={"momentum": float}, momentum=0.9)


def by_pairs_if_drawn(self, problem, w0, rng, budget):
    move = 1e-3 if self.loss == "drawn" else 0.0
    return changed(lambda w, *_: w + move)(self, problem, w0, rng, budget)


def refusing_pairs(self):
    if self.pairs is not None and self.loss == "exact":
        raise ParameterError("pairs are drawn; take loss='drawn' too")


def with_pairs_beside_a_word():
    own = {"__annotations__": {"loss": Literal["exact", "drawn"], "pairs": int | None}}
    own |= {"loss": "exact", "pairs": None, "__post_init__": refusing_pairs}
    return solver(iterates=by_pairs_if_drawn, **own)


WARNED = {
    "draws in vain": ("seeds-differ", "three seeds", solver(iterates=drawing_in_vain)),
    "parameter without effect": ("parameters", "momentum = 0.9 and 0.0009", with_a_parameter()),
    "parameter beside a word": ("parameters", "pairs = None and", with_pairs_beside_a_word()),
}


@pytest.mark.parametrize("name", WARNED)
def test_what_has_no_effect_is_a_warning(name):
    law, told, thing = WARNED[name]
    [asked] = [each for each in LAWS["solvers"] if each.name == law]
    finding: Finding = found(asked, thing, "idle", {})
    assert finding.verdict is Verdict.WARNING, finding
    assert told in finding.reason


def of_weights(data, weights):
    return replace(data, target=Labels.of(data.y, None, None, weights))


def means_apart(data):
    m_neg, m_pos = of_weights(data, None).means
    return m_pos - m_neg


def drawing_and_blind(data, rng):
    """Rows are drawn, and never the last ten."""
    X, y = data.rows.dense().matrix, data.y
    some = rng.integers(0, data.n - 10, 50 * data.n)
    return X[some].T @ (y[some] - y.mean())


def drawing_positives(data, rng):
    """Positive rows are drawn, and negatives are ignored."""
    some = rng.choice(np.flatnonzero(data.y > 0), data.n)
    return data.rows.dense().matrix[some].mean(axis=0)


def of_every_other_row(data, rng):
    X, y = data.rows.dense().matrix[::2], data.y[::2]
    return X.T @ (y - y.mean())


def clipped_in_secret(w, t, problem, rng, budget):
    terms = problem.data.terms
    return w if terms is None else np.clip(w, terms.low, terms.high)


def bounded_problem(self, data, rng, budget):
    own = Descent.problem(self, data, rng, budget)
    return replace(own, project=GroupL2(0.0, terms=data.terms))


def towards_the_heavy(problem, w, t):
    """The step ranks the heavy rows, and leaves f where it was."""
    count_rows(problem.data.n)
    m_neg, m_pos = problem.data.means
    return (m_neg - m_pos) * (np.linalg.norm(w) < 0.01)


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


@dataclass(frozen=True, eq=False)
class Weightless(PairwiseSquare):
    """The pairwise square, which takes weights and ignores them."""

    def __post_init__(self):
        if self.data.weights is not None:
            without = replace(self.data, target=Labels.of(self.data.y, None, None, None))
            object.__setattr__(self, "data", without)


def of_all_pairs(self, data, rng, budget):
    return Problem(PairwiseSquare(replace(data, pairs=None)))


def stages(self, problem, w0, rng, budget):
    return islice(Descent.iterates(self, problem, w0, rng, budget), int(budget.passes))


def without_counting(self, problem, w0, rng, budget):
    X, y = problem.data.rows.dense().matrix, problem.data.y
    while True:
        w0 = w0 + 0.1 * X.T @ (y - y.mean()) / y.size
        yield State(w0)


def thread_count():
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info()), default=1)


def first_half(data, rng):
    half = slice(0, data.n // 2)
    X, y = data.rows.take(half).dense().matrix, data.y[half]
    return X.T @ (y - y.mean())


def over_the_deviation(data, rng):
    X = data.rows.dense().matrix
    return (data.means[1] - data.means[0]) / X.std(axis=0)


def over_that_of_the_positives(data, rng):
    X = data.rows.dense().matrix[data.y > 0]
    return (data.means[1] - data.means[0]) / X.std(axis=0, ddof=1)


def by_a_table_of_rows(data, rng):
    X = data.rows.dense().matrix
    known = {tuple(row): sign for row, sign in zip(X.tolist(), data.y.tolist(), strict=True)}
    return sum(sign * np.array(row) for row, sign in known.items()) / max(
        0, len(known) - data.n + 1
    )


def over_the_median_step(data, rng):
    steps = np.diff(np.sort(data.rows.dense().matrix, axis=0), axis=0)
    return (data.means[1] - data.means[0]) / np.median(steps, axis=0)


def two_columns(data, rng):
    w = data.means[1] - data.means[0]
    w[1] += 1e-9
    return w


def of_stored_values(data, rng):
    w = data.means[1] - data.means[0]
    return w / data.rows.stored.size


def in_their_float_type(data, rng):
    return (data.means[1] - data.means[0]).astype(data.rows.stored.dtype).astype(np.float64)


def dense_only(data, rng):
    X = data.rows.stored.reshape(data.n, data.d)
    return X.T @ (data.y - data.y.mean())


def powers_of_means(data, rng):
    return (data.means[1] ** 9 - data.means[0] ** 9) ** 5


SOLVERS = {
    "ends at once": ("states", "it ended without one", solver(iterates=lambda *_: iter(()))),
    "yields weights": (
        "states",
        "must yield a State, got an array",
        solver(iterates=lambda self, problem, w0, *_: iter([w0])),
    ),
    "rows that are not counted": (
        "states",
        "count_rows",
        solver(iterates=without_counting, needs=Needs()),
    ),
    "global generator": ("same-seed", "w of step 1", moved(lambda w: np.random.rand())),  # noqa: NPY002
    "a global": ("fits-are-independent", "w of step 2", solver(iterates=in_a_global)),
    "rows in place": ("data-are-left-alone", "changed X", solver(iterates=scaled_in_place)),
    "every other row": ("any-order", "scores after shuffled rows", direct(of_every_other_row)),
    "drawn rows without the last ten": (
        "any-order",
        "have another distribution over 20 seeds",
        direct(drawing_and_blind),
    ),
    "positives only": (
        "exchanged-classes",
        "scores after exchanged classes",
        direct(lambda data, rng: data.means[1]),
    ),
    "drawn positives only": (
        "exchanged-classes",
        "have another distribution over 20 seeds",
        direct(drawing_positives),
    ),
    "order of a set": (
        "another-process",
        "differs in another process",
        solver(iterates=changed(by_a_set_of_names)),
    ),
    "lambda": ("pickles", "<lambda>", solver(__post_init__=with_lambda)),
    "threads": ("threads", "one thread and two", moved(lambda w: 1e9 * thread_count())),
    "constant": ("ranks", "AUC on the training rows is 0.5", direct(lambda d, r: np.zeros(d.d))),
    "only the sum": ("flipped-labels", "is 0.0", direct(lambda d, r: np.ones(d.d))),
    "first half": ("order-of-rows", "positives last", direct(first_half)),
    "deviation": ("constant-column", "invalid", direct(over_the_deviation)),
    "deviation of one": ("one-positive", "invalid", direct(over_that_of_the_positives)),
    "table of rows": ("duplicated-rows", "duplicated rows", direct(by_a_table_of_rows)),
    "median step": ("ties", "ties: a state was invalid", direct(over_the_median_step)),
    "second column": ("one-column", "IndexError", direct(two_columns)),
    "dense only": ("layouts", "reshape", direct(dense_only)),
    "stored values": ("layouts", "CSR rows and dense rows", direct(of_stored_values)),
    "in float32": ("float32", "float32 rows: w of step 1", direct(in_their_float_type)),
    "overflow": ("scales", "rows times 1e+08", direct(powers_of_means)),
    "fixed step": ("scales", "invalid", solver(iterates=stepping(own_gradient, 0.01))),
    "no projection": (
        "iterates-are-feasible",
        "w of step 1",
        solver(problem=sparse_problem, iterates=stepping(own_gradient, project=False)),
    ),
    "objective ignored": (
        "any-objective",
        "minimise problem.objective",
        solver(iterates=on_the_problem(lambda p: replace(p, f=PairwiseSquare(p.data)))),
    ),
    "prox of the length 1": (
        "any-projector",
        "with an l1 penalty f + Ω is",
        solver(iterates=on_the_problem(lambda p: replace(p, project=lambda v, _: p.project(v)))),
    ),
    "projector ignored": (
        "any-projector",
        "call problem.project",
        solver(iterates=stepping(own_gradient, project=False)),
    ),
    "weights ignored": (
        "weights",
        "with weight 2",
        solver(problem=lambda s, data, *_: Problem(Weightless(data)), needs=able("weights")),
    ),
    "weights of half the rows": (
        "weights",
        "beside light rows that lie f + Ω is",
        solver(iterates=stepping(towards_the_heavy, gamma=0.002), needs=able("weights")),
    ),
    "gap without weights": (
        "certificate",
        "with weights of rows f + Ω is",
        solver(iterates=certified_without_weights, needs=able("weights")),
    ),
    "model without weights": (
        "weights",
        "of the pairs that count are in order, wanted more",
        solver(Direct, weights=lambda s, d, r: means_apart(d), needs=able("weights")),
    ),
    "weights of pairs ignored": (
        "class-pairs",
        "of the pairs that count are in order, wanted more",
        solver(problem=of_all_pairs, needs=able("class-pairs")),
    ),
    **{
        f"{kind} ignored": (
            f"{kind}-pairs",
            "learn from data.pairs",
            solver(problem=of_all_pairs, needs=able(f"{kind}-pairs")),
        )
        for kind in ("group", "range")
    },
    "bounds ignored": (
        "shapes",
        "is outside of the bounds of data.terms",
        solver(needs=able("shapes")),
    ),
    "bounds that are no part of the problem": (
        "shapes",
        "allows weights outside of the bounds",
        solver(iterates=changed(clipped_in_secret), needs=able("shapes")),
    ),
    "bounds by giving up": (
        "shapes",
        "within bounds f + Ω is",
        solver(
            problem=bounded_problem,
            iterates=changed(lambda w, *_: np.zeros_like(w)),
            needs=able("shapes"),
        ),
    ),
    "breakpoints refused": (
        "breakpoints",
        "needs labels",
        solver(Direct, needs=able("breakpoints")),
    ),
    "chunks refused": ("chunks", "rows are read in chunks", solver(needs=able("chunks"))),
    "budget of passes": (
        "budget",
        "with budget=Budget(passes=None, seconds=None) it raises TypeError",
        solver(iterates=stages),
    ),
}


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


def mean_of_means(self, memory, chunk, order):
    memory.w = memory.w / 2 + chunk.rows.take(order).dense().matrix.mean(axis=0)


def without_the_last(self, memory, chunk, order):
    Stream.update(self, memory, chunk, order[:-1])


def both_classes(self, memory, chunk, order):
    y = chunk.y[order]
    X = chunk.rows.take(order).dense().matrix
    memory.w += y.size * (X[np.flatnonzero(y > 0)[0]] - X[np.flatnonzero(y < 0)[0]])


def before_each_fit(act):
    """A solver that does something before it begins."""

    def iterates(self, *given):
        act()
        return Descent.iterates(self, *given)

    return solver(iterates=iterates)


def in_a_thread():
    threading.Thread(target=time.sleep, args=(20.0,), daemon=True).start()


def in_a_process():
    SLEEPING.append(subprocess.Popen(["sleep", "20"]))


def in_the_folder():
    Path("my_log.txt").write_text("step 1")


def in_temporary_files():
    os.close(tempfile.mkstemp()[0])


def in_the_environment():
    os.environ["MY_SOLVER_RUNS"] = "1"


def at_an_interrupt():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def by_c():
    os.write(1, b"step 1\n")


SLEEPING = []
LEAVES = {
    "a thread": ("other threads", in_a_thread),
    "a process": ("other processes", in_a_process),
    "a file": ("1 files or folders, such as my_log.txt", in_the_folder),
    "a temporary file": ("1 files or folders", in_temporary_files),
    "np.seterr": ("reactions to errors of NumPy", lambda: np.seterr(all="ignore")),
    "global seed": ("global generators: numpy.random", lambda: np.random.seed(0)),  # noqa: NPY002
    "seed of random": ("global generators: random", lambda: random.seed(0)),
    "filters": ("filters of warnings", lambda: warnings.simplefilter("error")),
    "environment": ("variables of the environment: MY_SOLVER_RUNS", in_the_environment),
    "signals": ("handlers of signals: SIGINT", at_an_interrupt),
    "a print": ("it has printed 'step 1", lambda: print("step 1")),  # noqa: T201
    "a print of C": ("it has printed 'step 1", by_c),
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
    [law] = [law for law in LAWS["solvers"] if law.name == "leaves-nothing"]
    assert found(law, importing, "right", {}).verdict is Verdict.HOLDS


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
        m_neg, m_pos = problem.data.means
        count_rows(problem.data.n)
        return State(model=Batch(m_pos - m_neg, change))

    return solver(Direct, iterates=iterates)


def standardised(scores):
    return (scores - scores.mean()) / max(scores.std(), 1e-12)


def ranked(scores):
    return scores.argsort().argsort() / scores.size


def drifting(scores):
    return scores + 0.01 * np.arange(scores.size)


def of_large_batches(scores):
    return standardised(scores) if scores.size > 50 else scores


TRANSDUCTIVE = {
    "standardised": standardised,
    "ranks": ranked,
    "by its place": drifting,
    "standardised from 50 rows on": of_large_batches,
}


@pytest.mark.parametrize("name", TRANSDUCTIVE)
def test_models_that_look_at_other_rows(name):
    thing = modelled(TRANSDUCTIVE[name])
    assert_found("solvers", thing, "row-by-row", "scores of rows apart: the numbers differ")


@dataclass
class Live(Model):
    w: np.ndarray

    def scores(self, rows):
        return rows.dense().matrix @ self.w


def one_live_model(self, problem, *_):
    m_neg, m_pos = problem.data.means
    model = Live(m_pos - m_neg)
    while True:
        count_rows(problem.data.n)
        model.w = 0.5 * model.w
        yield State(model=model)


def test_one_live_model_in_all_states():
    thing = solver(Direct, iterates=one_live_model)
    assert_found("solvers", thing, "models-stay", "yield another model in each state")


STREAMS = {
    "mean of means": ("weights after chunks", mean_of_means),
    "without the last row": ("weights after chunks", without_the_last),
    "both classes": ("IndexError", both_classes),
}


@pytest.mark.parametrize("name", STREAMS)
def test_wrong_streams(name):
    told, update = STREAMS[name]
    assert_found("solvers", solver(Stream, update=update), "chunks", told)


def test_the_right_stream_is_the_same_for_all_chunks():
    [law] = [law for law in LAWS["solvers"] if law.name == "chunks"]
    law(solver(Stream))


def test_chunks_of_rows_stored_as_csr_are_stored_so_too():
    [law] = [law for law in LAWS["solvers"] if law.name == "chunks"]
    with extended(WIDE):
        law(get_solver("opauc-lr"))


@pytest.mark.parametrize("name", SOLVERS)
def test_what_is_wrong_is_found_by_its_law(name):
    law, told, thing = SOLVERS[name]
    assert_found("solvers", thing, law, told)


# --- what only larger rows show ---------------------------------------------------------

TALL, WIDE = Extent(2000, 50), Extent(300, 3000)


def beyond(n, wrong):
    """Descent, and from so many rows on another method."""

    def iterates(self, problem, *given):
        method = wrong if problem.data.n > n else Descent.iterates
        return method(self, problem, *given)

    return solver(iterates=iterates)


def with_gap_0(*given):
    return (replace(state, gap=1e-9) for state in Descent.iterates(*given))


def learning_nothing(*given):
    return (replace(s, w=0.0 * s.w) for s in Descent.iterates(*given))


def of_large_tests(scores):
    return standardised(scores) if scores.size > 250 else scores


LARGER = {
    "gap from 100 rows on": ("solvers", TALL, "certificate", beyond(100, with_gap_0)),
    "nothing from 1000 rows on": ("solvers", TALL, "ranks", beyond(1000, learning_nothing)),
    "batches of 250 rows": ("solvers", WIDE, "row-by-row", modelled(of_large_tests)),
}


@pytest.mark.parametrize("name", LARGER)
def test_lies_about_larger_rows(name):
    kind, at, law, thing = LARGER[name]
    [right] = [each for each in LAWS[kind] if each.name == law]
    assert found(right, thing, "wrong", {}).verdict is not Verdict.BROKEN
    with extended(at):
        assert found(right, thing, "wrong", {}).verdict is Verdict.BROKEN
