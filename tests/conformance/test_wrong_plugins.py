"""Plugins that are wrong on purpose: each is found, by the law that is about its mistake."""

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

from aucbench.contract import Needs, Problem, State
from aucbench.data import ALL, Labels, uncounted
from aucbench.data.arrays import rows as rows_of
from aucbench.errors import ParameterError
from aucbench.objectives import PairwiseSquare
from aucbench.optim import counted, lipschitz
from aucbench.projectors import GroupL2, TopK
from aucbench.registry import get_solver
from aucbench.testing import LAWS, Verdict, check
from aucbench.testing.laws import found
from aucbench.testing.samples import Extent, extended

pytestmark = pytest.mark.filterwarnings("ignore")


# --- solvers -----------------------------------------------------------------------------


class Descent:
    """Gradient descent, as it should be; what is wrong with the others is what they override."""

    space: ClassVar[Any] = {}
    needs: ClassVar[Any] = Needs(objective=True, projector=True)

    def problem(self, data, rng):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, rng):
        f, w = counted(problem.objective), problem.start()
        gamma = 1 / lipschitz(f, [ALL], rng)
        for t in count(1):
            w = problem.project(w - gamma * f.grad(w), gamma)
            yield State(t, w, f.rows_seen)


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

    def problem(self, data, rng):
        return Problem(None, train=data)

    def iterates(self, problem, rng):
        yield State(1, self.weights(problem.data, rng), problem.data.n, last=True)

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

    def iterates(self, problem, rng):
        for state in Descent.iterates(self, problem, rng):
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
    "step from 0": ("states", "State.step must be 1 here", {"step": lambda s: s.step - 1}),
    "step stands": ("states", "State.step must be 2 here", {"step": 1}),
    "gap below 0": ("states", "a bound of at least 0", {"gap": -1.0}),
    "residual below 0": ("states", "residual of step 1", {"residual": -1e-9}),
    "wrong value": ("states", "State.value of step 1", {"value": 7.0}),
    "info NaN": ("states", "info['a'] of step 1", {"info": {"a": np.nan}}),
    "gap 0": ("certificate", "with a gap of 0", {"gap": 0.0}),
    "gap too small": ("certificate", "with a gap of", {"gap": lambda s: 0.01 / s.step}),
    "no rows": ("states", "rows that were read for products", {"rows_seen": 0}),
    "rows stand": ("states", "rows that were read for products", {"rows_seen": 90}),
    "rows fall": (
        "states",
        "of the state before, got 3998",
        {"rows_seen": lambda s: 4000 - s.step},
    ),
    "10¹² rows": ("states", "passes more than", {"rows_seen": 10**12}),
    "rows as text": ("states", "must be the whole number of rows", {"rows_seen": "90"}),
}


@pytest.mark.parametrize("name", STATES)
def test_wrong_states(name):
    law, told, changes = STATES[name]
    assert_found("solvers", edited(**changes), law, told)


def unfrozen():
    return made(Descent, {}, frozen=False)()


def refusing(self):
    if self.k > 1:
        raise ValueError("k is too large")


K = {"k": 1, "__annotations__": {"k": int}}
DECLARED = {
    "not frozen": ("is no frozen dataclass", unfrozen),
    "no dataclass": ("is no frozen dataclass", Descent),
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
    "inert of no field": ("the inert 'lam'", lambda: solver(needs=Needs(inert=("lam",)))),
    "path of no field": ("the path 'lam'", lambda: solver(needs=Needs(path="lam"))),
    "needs as a field": (
        "needs is a field",
        lambda: solver(__annotations__={"needs": Needs}, needs=Needs()),
    ),
}


@pytest.mark.parametrize("name", DECLARED)
def test_wrong_declarations(name):
    told, make = DECLARED[name]
    assert_found("solvers", make(), "declared", told)


def ends_at_once(self, problem, rng):
    return iter(())


def ends_early(self, problem, rng):
    return islice(Descent.iterates(self, problem, rng), 3)


def yields_weights(self, problem, rng):
    yield problem.start()


def noisy(draw):
    def iterates(self, problem, rng):
        for state in Descent.iterates(self, problem, rng):
            yield replace(state, w=state.w + 1e-9 * draw())

    return solver(iterates=iterates)


KEPT = {"w": np.zeros(12)}


def in_a_global(self, problem, rng):
    KEPT["w"] = problem.start()
    for t in count(1):
        KEPT["w"] = KEPT["w"] - 0.01 * problem.objective.grad(KEPT["w"])
        yield State(t, KEPT["w"], 90 * t)


def scaled_in_place(self, problem, rng):
    problem.data.rows.stored.setflags(write=True)
    problem.data.rows.stored[:] /= 2.0
    return Descent.iterates(self, problem, rng)


def start_in_place(self, problem, rng):
    w = np.zeros(problem.data.d) if problem.w0 is None else problem.w0
    for t in count(1):
        w -= 0.01 * problem.objective.grad(w)
        yield State(t, w, t * problem.data.n)


def stepping(direction, gamma=None, project=True):
    """Descent along `direction(problem, w)`."""

    def iterates(self, problem, rng):
        w, square = problem.start(), counted(PairwiseSquare(problem.data))
        length = gamma or 1 / lipschitz(square, [ALL], rng)
        first, n = square.rows_seen, problem.data.n
        for t in count(1):
            w = w - length * direction(problem, w)
            yield State(t, problem.project(w, length) if project else w, first + t * n)

    return iterates


def projecting(step):
    """Descent with a prox of another length than the step."""

    def iterates(self, problem, rng):
        other = replace(problem, project=lambda v, _: problem.project(v, step))
        return Descent.iterates(self, other, rng)

    return iterates


@dataclass(frozen=True)
class Narrow:
    """Two columns of three in units of 0.03, so that f is a long valley."""

    exempt: ClassVar = 0

    def fit(self, data, rng):
        return self

    def __call__(self, given):
        X = given.dense().matrix
        return rows_of(X * np.where(np.arange(X.shape[1]) % 3, 0.03, 1.0))


def in_a_valley(self, data, rng):
    return Problem(PairwiseSquare(data.with_rows(Narrow()(data.rows))), features=Narrow())


def ends_in_the_valley(self, problem, rng):
    return islice(Descent.iterates(self, problem, rng), 6)


def means_apart(data):
    m_neg, m_pos = of_weights(data, None).means
    return m_pos - m_neg


def of_weights(data, weights):
    return replace(data, target=Labels.of(data.y, None, None, weights))


def from_seed_0(self, problem, rng):
    own = np.random.default_rng(0)
    for state in Descent.iterates(self, problem, own):
        yield replace(state, w=state.w + 1e-6 * own.normal(size=state.w.size))


def drawn_start(self, problem, rng):
    for state in Descent.iterates(self, problem, rng):
        yield replace(state, w=state.w + 1e-6 * rng.normal(size=state.w.size))


def drawing_in_vain(self, problem, rng):
    rng.integers(10)
    return stepping(own_gradient, gamma=0.01)(self, problem, rng)


def of_every_other_row(data, rng):
    X, y = data.rows.dense().matrix[::2], data.y[::2]
    return X.T @ (y - y.mean())


def for_positives_only(data, rng):
    return data.means[1]


def with_a_parameter(**needs):
    """A solver with a parameter that it never reads."""
    own = {"__annotations__": {"momentum": float}, "momentum": 0.9}
    return solver(needs=Needs(objective=True, projector=True, **needs), **own)


def by_pairs_if_drawn(self, problem, rng):
    move = 1e-3 if self.loss == "drawn" else 0.0
    return (replace(s, w=s.w + move) for s in Descent.iterates(self, problem, rng))


def refusing_pairs(self):
    if self.pairs is not None and self.loss == "exact":
        raise ParameterError("pairs are drawn; take loss='drawn' too")


def with_pairs_beside_a_word():
    own = {"__annotations__": {"loss": Literal["exact", "drawn"], "pairs": int | None}}
    own |= {"loss": "exact", "pairs": None, "__post_init__": refusing_pairs}
    return solver(iterates=by_pairs_if_drawn, **own)


def by_its_step(self, problem, rng):
    return stepping(own_gradient, gamma=self.gamma)(self, problem, rng)


def clipped_in_secret(self, problem, rng):
    terms = problem.data.terms
    for state in Descent.iterates(self, problem, rng):
        yield state if terms is None else replace(state, w=np.clip(state.w, terms.low, terms.high))


def bounded_problem(self, data, rng):
    own = Descent.problem(self, data, rng)
    return replace(own, project=GroupL2(0.0, terms=data.terms))


def at_zero(self, problem, rng):
    for state in Descent.iterates(self, problem, rng):
        yield replace(state, w=np.zeros_like(state.w))


def with_an_inert_step():
    own = {"__annotations__": {"gamma": float}, "gamma": 0.1}
    return solver(iterates=by_its_step, needs=Needs(inert=("gamma",)), **own)


def by_a_set_of_names(self, problem, rng):
    """The factors of the columns come in the order of a set of names, which are many.

    Of a few names two processes may by chance have the same first one.
    """
    order = np.array([int(name) for name in {f"{j}" for j in range(99)}])
    for state in Descent.iterates(self, problem, rng):
        yield replace(state, w=state.w * (1.0 + 1e-9 * order[: state.w.size]))


def towards_the_heavy(problem, w):
    """The step ranks the heavy rows, and leaves f where it was."""
    m_neg, m_pos = problem.data.means
    return (m_neg - m_pos) * (np.linalg.norm(w) < 0.01)


def certified_without_weights(self, problem, rng):
    plain = replace(problem, f=PairwiseSquare(of_weights(problem.data, None)))
    with uncounted():
        least = min(plain.value(s.w) for s in islice(Descent.iterates(self, plain, rng), 500))
    for state in Descent.iterates(self, problem, rng):
        with uncounted():
            gap = max(0.0, plain.value(state.w) - least) + 1e-12
        yield replace(state, gap=gap)


def own_gradient(problem, w):
    return problem.objective.grad(w)


def uphill(problem, w):
    return -problem.objective.grad(w)


def of_the_square(problem, w):
    return PairwiseSquare(problem.data).grad(w)


def twice(problem, w):
    return (problem.objective.grad(w) + problem.objective.grad(w)) / 2


def of_a_copy(problem, w):
    copy = problem.data.take(np.arange(problem.data.n, dtype=np.int32))
    return problem.objective.grad(w) + PairwiseSquare(copy).grad(w)


def through_the_map(problem, w):
    problem.scorer.by_each([w], problem.data.rows)
    return problem.objective.grad(w)


def solved_before(self, data, rng):
    found = Problem(PairwiseSquare(data))
    return replace(found, w0=found.objective.grad(np.zeros(data.d)))


def stages(self, problem, rng, budget=None):
    last = budget is not None and int(budget.passes)
    for state in Descent.iterates(self, problem, rng):
        yield replace(state, last=state.step == last)


def uncounted_step_size(self, problem, rng):
    f, w = problem.objective, problem.start()
    gamma = 1 / lipschitz(f, [ALL], rng)
    for t in count(1):
        w = problem.project(w - gamma * f.grad(w), gamma)
        yield State(t, w, t * f.data.n)


def stepped_by_gamma():
    """A solver which says that its step size belongs to its projector."""

    def iterates(self, problem, rng):
        return stepping(own_gradient, gamma=self.gamma)(self, problem, rng)

    needs = Needs(projector=True, projector_parameters=("gamma",))
    members = {"__annotations__": {"gamma": float}, "gamma": 0.1, "needs": needs}
    return solver(iterates=iterates, space={"gamma": (0.1, 0.2)}, **members)


def sparse_problem(self, data, rng):
    return Problem(PairwiseSquare(data), TopK(3))


@dataclass(frozen=True, eq=False)
class Weightless(PairwiseSquare):
    """The pairwise square, which takes weights and ignores them."""

    def __post_init__(self):
        if self.data.weights is not None:
            without = replace(self.data, target=Labels.of(self.data.y, None, None, None))
            object.__setattr__(self, "data", without)


def weightless(self, data, rng):
    return Problem(Weightless(data))


def of_all_pairs(self, data, rng):
    return Problem(PairwiseSquare(replace(data, pairs=None)))


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


UNSEEDED = np.random.default_rng()
OBJECTIVE, BOTH = Needs(objective=True), Needs(objective=True, projector=True)
SOLVERS = {
    "ends at once": ("states", "it ended without one", solver(iterates=ends_at_once)),
    "ends early": ("optimum", "and a feasible point has", solver(iterates=ends_early)),
    "yields weights": (
        "states",
        "must yield a State, got an array",
        solver(iterates=yields_weights),
    ),
    "global generator": ("same-seed", "w of step 1", noisy(lambda: np.random.rand())),  # noqa: NPY002
    "a global": ("fits-are-independent", "w of step 2", solver(iterates=in_a_global)),
    "rows in place": ("data-are-left-alone", "changed X", solver(iterates=scaled_in_place)),
    "start in place": ("start-is-left-alone", "Problem.w0", solver(iterates=start_in_place)),
    "draws in vain": (
        "seeds-differ",
        "declare Needs(inert=('seed',))",
        solver(iterates=drawing_in_vain, needs=Needs()),
    ),
    "inert seed that matters": (
        "seeds-differ",
        "declares seed as inert",
        solver(iterates=drawn_start, needs=Needs(inert=("seed",))),
    ),
    "parameter without effect": (
        "parameters",
        "momentum = 0.9 and 0.0009",
        with_a_parameter(),
    ),
    "parameter beside a word": (
        "parameters",
        "pairs = None and True give the same",
        with_pairs_beside_a_word(),
    ),
    "inert parameter that matters": (
        "parameters",
        "declares gamma as inert",
        with_an_inert_step(),
    ),
    "every other row": (
        "any-order",
        "scores after shuffled rows",
        direct(of_every_other_row),
    ),
    "positives only": (
        "exchanged-classes",
        "scores after exchanged classes",
        direct(for_positives_only),
    ),
    "order of a set": (
        "another-process",
        "differs in another process",
        solver(iterates=by_a_set_of_names),
    ),
    "seed 0": ("seeds-differ", "three seeds give the same", solver(iterates=from_seed_0)),
    "lambda": (
        "pickles",
        "<lambda>",
        solver(__post_init__=with_lambda),
    ),
    "threads": ("threads", "one thread and two", noisy(lambda: 1e9 * thread_count())),
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
    "uphill": ("objective-falls", "at the start", solver(iterates=stepping(uphill, 0.001))),
    "no projection": (
        "iterates-are-feasible",
        "w of step 1",
        solver(problem=sparse_problem, iterates=stepping(own_gradient, project=False)),
    ),
    "objective ignored": (
        "needs-objective",
        "minimise problem.objective",
        solver(iterates=stepping(of_the_square), needs=OBJECTIVE),
    ),
    "prox of the length 1": (
        "needs-projector",
        "with an l1 penalty f + Ω is",
        solver(iterates=projecting(1.0)),
    ),
    "ends in a valley": (
        "optimum",
        "and a feasible point has",
        solver(problem=in_a_valley, iterates=ends_in_the_valley),
    ),
    "projector ignored": (
        "needs-projector",
        "call problem.project",
        solver(iterates=stepping(own_gradient, project=False)),
    ),
    "parameter of the projector used": (
        "own-parameters",
        "gamma=0.1 and gamma=0.2 with another projector",
        stepped_by_gamma(),
    ),
    "weights ignored": (
        "needs-weights",
        "with weight 2",
        solver(problem=weightless, needs=Needs(weights=True)),
    ),
    "weights of half the rows": (
        "needs-weights",
        "beside light rows that lie f + Ω is",
        solver(iterates=stepping(towards_the_heavy, gamma=0.002), needs=Needs(weights=True)),
    ),
    "gap without weights": (
        "certificate",
        "with weights of rows f + Ω is",
        solver(iterates=certified_without_weights, needs=Needs(weights=True)),
    ),
    "model without weights": (
        "needs-weights",
        "the AUC on heavy rows is",
        solver(Direct, weights=lambda s, d, r: means_apart(d), needs=Needs(weights=True)),
    ),
    "pairs ignored": (
        "needs-pairs",
        "of the pairs that count are in order",
        solver(problem=of_all_pairs, needs=Needs(pairs=("group",))),
    ),
    "bounds ignored": (
        "needs-shapes",
        "is outside of the bounds of data.terms",
        solver(needs=Needs(shapes=True)),
    ),
    "bounds that are no part of the problem": (
        "needs-shapes",
        "allows weights outside of the bounds",
        solver(iterates=clipped_in_secret, needs=Needs(shapes=True)),
    ),
    "bounds by giving up": (
        "needs-shapes",
        "within bounds f + Ω is",
        solver(problem=bounded_problem, iterates=at_zero, needs=Needs(shapes=True)),
    ),
    "breakpoints refused": (
        "needs-breakpoints",
        "needs labels",
        solver(Direct, needs=Needs(breakpoints=True)),
    ),
    "budget required": (
        "budget",
        "with budget=None it raises TypeError",
        solver(problem=lambda self, data, rng, budget: Problem(PairwiseSquare(data))),
    ),
    "budget of passes": (
        "budget",
        "with budget=Budget(passes=None, seconds=None) it raises TypeError",
        solver(iterates=stages),
    ),
    "uncounted step size": (
        "states",
        "read for products with weights until step 1, got 90",
        solver(iterates=uncounted_step_size),
    ),
    "uncounted work in problem": (
        "states",
        "at least the 180 rows that were read",
        solver(problem=solved_before, iterates=stepping(own_gradient, 0.01), needs=Needs()),
    ),
}
SOLVERS |= {
    f"uncounted {way.__name__}": (
        "states",
        "at least the 180 rows that were read",
        solver(iterates=stepping(way, 0.01), needs=Needs()),
    )
    for way in (twice, of_a_copy, through_the_map)
}


@dataclass(slots=True)
class Total:
    w: np.ndarray
    n: int = 0


class Stream(Direct):
    """w = Σ y x / n of the rows so far."""

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

    def iterates(self, problem, rng):
        act()
        return Descent.iterates(self, problem, rng)

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
class Batch:
    """Scores of means, changed by a function of the batch."""

    w: np.ndarray
    change: Any

    def scores(self, rows):
        return self.change(rows.dense().matrix @ self.w)


def modelled(change):
    """A solver whose model changes its scores by a function of all of them."""

    def iterates(self, problem, rng):
        m_neg, m_pos = problem.data.means
        yield State(1, None, problem.data.n, model=Batch(m_pos - m_neg, change), last=True)

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

    def iterates(self, problem, rng):
        method = wrong if problem.data.n > n else Descent.iterates
        return method(self, problem, rng)

    return solver(iterates=iterates)


def with_gap_0(self, problem, rng):
    return (replace(state, gap=1e-9) for state in Descent.iterates(self, problem, rng))


def learning_nothing(self, problem, rng):
    return (replace(s, w=0.0 * s.w) for s in Descent.iterates(self, problem, rng))


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
