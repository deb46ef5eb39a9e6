"""What a solver is given: parameters and the seed change something, and it learns from any rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from functools import lru_cache
from itertools import islice
from time import process_time
from typing import Any, Literal, get_args, get_origin, get_type_hints
from unittest.mock import Mock, patch
from warnings import catch_warnings, simplefilter

import numpy as np
from threadpoolctl import threadpool_limits

from aucbench.contract import Budget, Streaming
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.tally import counting
from aucbench.errors import AucbenchError, DataError
from aucbench.kernels.parallel import threads as own_threads
from aucbench.optim.classifiers import FromEstimator
from aucbench.ranges import DEFAULT_PASSES, samples
from aucbench.solving.loop import states_of
from aucbench.solving.points import mappings
from aucbench.testing.laws import Laws, not_asked, require, warn
from aucbench.testing.samples import (
    Extent,
    csr,
    extent,
    features,
    labels,
    locked,
    require_close,
    sample,
)
from aucbench.testing.solvers.fits import (
    ASKED,
    Same,
    learnt,
    require_fit,
    require_ranked,
    require_ranks,
)

laws = Laws("solvers")

SEED = "seed"
BUDGET = Budget(passes=DEFAULT_PASSES)
EARLY = 8  # states of a fit: most parameters change the first, and many fits are made
GUESSED = (True, False, 1, 2, 5, 0.1, 10.0)  # in place of None
Fit = tuple[list[Any], bool]  # what each state says, and whether random numbers were drawn


@laws("some number differs", once=True)
def seeds_differ(solver: Any) -> None:
    """Where a solver draws random numbers, another seed gives other iterates; else it is warned.

    Then the spread over seeds is no spread. It may differ for another value of one parameter, or
    for fewer rows than columns.
    """
    drawn = False

    def seeded(one: Any, data: Data) -> bool:
        nonlocal drawn
        first, draws = _fit(one, data)
        drawn |= draws
        return draws and any(_fit(one, data, seed)[0] != first for seed in (1, 2))

    differs = _somewhere(solver, seeded, SEED)
    if not drawn:
        not_asked("it draws nothing")
    if not differs:
        warn("three seeds give the same iterates, and it draws random numbers; draw from the rng "
             "that it gets")  # fmt: skip


@laws("some number differs", once=True)
def parameters(solver: Any) -> None:
    """Each parameter changes something; of one that changes nothing it is warned.

    A parameter without effect makes two names of one result, and costs tuning its trials. One that
    matters only beside another value of another parameter has an effect. A text is asked where its
    other values are known: from the grid, or as words of a `Literal`.
    """
    own = {f.name: values_somewhere(solver, f.name) for f in fields(solver) if f.init}
    asked = {name: values for name, values in own.items() if values}
    if not asked:
        not_asked("it has no parameter that could have another value")
    known: dict[int, list[Any]] = {}
    idle = []

    def as_it_is(data: Data) -> list[Any]:
        if data.n not in known:
            known[data.n] = _fit(solver, data)[0]
        return known[data.n]

    for name, values in asked.items():

        def moved(one: Any, data: Data, name: str = name, values: list[Any] = values) -> bool:
            here = as_it_is(data) if one is solver else _fit(one, data)[0]
            return any(_fit(other, data)[0] != here for other in _moved(one, name, values))

        if not _somewhere(solver, moved, name):
            idle.append(f"{name} = {getattr(solver, name)!r} and {values[0]!r}")
    if idle:
        warn(f"{'; '.join(idle)} give the same iterates, and so do all other values that were "
             "tried; use it, or leave it out")  # fmt: skip


def _somewhere(solver: Any, differs: Callable[[Any, Data], bool], name: str) -> bool:
    """Whether something differs: on the sample, on fewer rows, or beside another parameter."""
    few = np.r_[np.flatnonzero(labels() > 0)[:4], np.flatnonzero(labels() < 0)[:5]]
    with threadpool_limits(1), own_threads(1), catch_warnings():  # threads wait on few rows
        simplefilter("ignore")  # an odd value may end a fit too early
        if differs(solver, sample(rows=few)) or differs(solver, sample()):
            return True
        return any(differs(one, sample()) for one in _variants(solver, name))


def _fit(solver: Any, data: Data, seed: int = 0) -> Fit:
    """What the first states say, as bytes; and whether random numbers were drawn."""
    rngs = np.random.default_rng(seed).spawn(2)
    before = [_drawn_from(rng) for rng in rngs]
    said: list[Any] = []
    with patch.object(np.random, "default_rng", Mock(wraps=np.random.default_rng)) as own:
        try:
            with counting() as read:
                problem = solver.problem(data, rngs[0], BUDGET)
                w0 = np.zeros(problem.data.d)
                states = states_of(solver.iterates(problem, w0, rngs[1], BUDGET), solver)
                early = islice(states, EARLY)
                said.extend((read.rows, learnt(problem, state).tobytes()) for state in early)
        except AucbenchError as refusal:
            said.append(type(refusal).__name__)
    return said, own.called or before != [_drawn_from(rng) for rng in rngs]


def _drawn_from(rng: np.random.Generator) -> tuple[str, int]:
    """What changes when numbers are drawn from a generator, or others are made of it."""
    bits: Any = rng.bit_generator
    return str(bits.state), bits.seed_seq.n_children_spawned


def _variants(solver: Any, without: str) -> Iterator[Any]:
    """The solver with another value of one parameter, for each of them."""
    for f in fields(solver):
        if f.init and f.name != without:
            yield from islice(_moved(solver, f.name, _values(solver, f.name)), 2)


def values_somewhere(solver: Any, name: str) -> list[Any]:
    """Other values of a parameter: of the solver, else beside another value of another one."""
    beside = (_values(one, name) for one in _variants(solver, name))
    return _values(solver, name) or next(filter(None, beside), [])


def _moved(solver: Any, name: str, values: list[Any]) -> Iterator[Any]:
    """The solver with each of these values that it takes."""
    for value in values:
        with suppress(AucbenchError, TypeError, ValueError):
            yield replace(solver, **{name: value})


def _values(solver: Any, name: str) -> list[Any]:
    """Other values of a parameter that it takes: of the grid, of its type, and guessed ones."""
    now, hint = getattr(solver, name), _hint(solver, name)
    listed = [v for each in mappings(solver.space) if name in each for v in samples(each[name])]
    listed += [v for part in (hint, *get_args(hint)) if get_origin(part) is Literal
               for v in get_args(part)]  # fmt: skip
    if isinstance(now, bool):
        listed.append(not now)
    elif isinstance(now, int):
        listed += [now + 1, 1, 2]
    elif isinstance(now, float):
        listed += [1e-3 * now, 1e3 * now, 0.0, 1.0, 10.0]
    elif now is None:
        listed += GUESSED
    others = [value for value in listed if type(value) is not type(now) or value != now]
    return [getattr(one, name) for one in _moved(solver, name, others)]


def _hint(solver: Any, name: str) -> Any:
    try:
        return get_type_hints(type(solver)).get(name)
    except NameError:  # a name that is imported for type checking only
        return None


SEEDS, LONG = 20, 20  # of distributions, and passes of their fits
SLOW, FEWEST_SEEDS, BRIEF = 0.03, 8, 5  # CPU seconds of a fit, beyond which there are fewer
RARE, LIKELY = 5e-4, 0.2  # p-values: of other scores; of those of a few seeds, that are enough
ROUNDS, SHIFTED = 9999, 0.01  # permutations; of the size of the scores
REPEATED = 1e-5  # iterative methods end within their tolerance, and trees add in float32


@laws(ASKED)
def ranks(solver: Any) -> None:
    """It ranks easy rows much better than chance, and scores CSR rows as dense ones."""
    run = require_fit("the sample", solver, sample(), passes=20)
    for layout in (np.asarray, csr):
        require_ranked("", labels(), run.decision_function(layout(features())))


@laws("1e-6 of the largest score")
def row_by_row(solver: Any) -> None:
    """A row has the same score alone, with others, and in another order.

    Scores of test rows must not depend on which other test rows there are. A run asks for this on
    a few of its test rows too.
    """
    run = require_fit("the sample", solver, sample())
    rows = sample().rows
    whole = run.decision_function(rows)
    atol = 1e-6 * float(np.abs(whole).max())
    for some in (np.array([4]), np.arange(10, 40), np.arange(extent().n)[::-1]):
        apart = run.decision_function(rows.take(some.astype(np.int32)))
        require_close("scores of rows apart", apart, whole[some], atol=atol)


@laws(f"{REPEATED:g} of the largest score; of drawn ones, the distribution over {SEEDS} seeds")
def any_order(solver: Any) -> None:
    """Rows in another order give the same scores; where it draws, the same distribution of them.

    What streams in the order of the rows need only rank well.
    """
    shuffled = sample(rows=np.random.default_rng(2).permutation(extent().n))
    _require_same_scores("shuffled rows", solver, shuffled, sign=1.0)


@laws(f"{REPEATED:g} of the largest score; of drawn ones, the distribution over {SEEDS} seeds")
def exchanged_classes(solver: Any) -> None:
    """With the classes exchanged, scores have the other sign but for a constant.

    Where it draws, they have the same distribution. Which class a file calls positive is a
    convention.
    """
    exchanged = locked(features(), -labels())
    _require_same_scores("exchanged classes", solver, exchanged, sign=-1.0)


def _require_same_scores(what: str, solver: Any, other: Data, sign: float) -> None:
    """Raise `LawBroken` unless the scores on the sample and on other rows are the same.

    Where seeds differ, the energy distance of their scores is compared with those of random
    permutations of the seeds (Székely & Rizzo, "Testing for equal distributions in high
    dimension", InterStat 2004). A slow solver has fewer seeds, and shorter fits. Others have more
    seeds where the first ones leave a doubt.
    """
    passes = _passes(one := Same(solver), extent())
    own = [_own_scores(one, extent(), seed, passes) for seed in (0, 1)]
    if np.array_equal(own[0], own[1]):
        if isinstance(solver, Streaming | FromEstimator):
            require_ranks(what, solver, other)  # the order of rows may matter
            return
        there = sign * _scores(solver, other, 0, passes)
        atol = REPEATED * float(np.abs(own[0]).max())
        require_close(f"scores after {what}", there, own[0], atol=atol)
        return
    others: list[Vector] = []
    for seeds, likely in ((FEWEST_SEEDS, LIKELY if passes == LONG else RARE), (SEEDS, RARE)):
        more = range(SEEDS + len(others), SEEDS + seeds)
        others += [sign * _scores(solver, other, seed, passes) for seed in more]
        own = [_own_scores(one, extent(), seed, passes) for seed in range(seeds)]
        means = np.mean(own, axis=0), np.mean(others, axis=0)
        size = max(float(np.linalg.norm(means[0])), np.finfo(float).tiny)
        share = float(np.linalg.norm(means[0] - means[1])) / size
        if share <= SHIFTED or _equality(np.array(own), np.array(others)) > likely:
            return
        if passes < LONG:
            break
    require(
        False,
        f"scores after {what} have another distribution over {seeds} seeds; their means differ by "
        f"{share:.1%}, which random numbers do in less than {RARE:g} of all cases",
    )


@lru_cache(maxsize=1)
def _passes(one: Same, _: Extent) -> float:
    """Passes of a fit, which are few where it is slow."""
    begin = process_time()
    _own_scores(one, extent(), 0, LONG)
    return BRIEF if process_time() - begin > SLOW else LONG


@lru_cache(maxsize=SEEDS)
def _own_scores(one: Same, _: Extent, seed: int, passes: float) -> Vector:
    """Scores of the sample, less their mean, which two laws compare with others."""
    return _scores(one.solver, sample(), seed, passes)


def _equality(one: Vector, other: Vector) -> float:
    """The p-value of two samples, (m, n) each, having one distribution."""
    both, m = np.concatenate([one, other]), len(one)
    distance = np.linalg.norm(both[:, np.newaxis] - both, axis=2)
    rng = np.random.default_rng(0)
    side = np.where(np.arange(len(both)) < m, 1.0, -1.0)
    sides = np.array([side, *(rng.permutation(side) for _ in range(ROUNDS))])
    energy = -np.einsum("ri,ij,rj->r", sides, distance, sides, optimize=True)
    return float(np.mean(energy >= energy[0] * (1.0 - 1e-12)))


def _scores(solver: Any, data: Data, seed: int, passes: float) -> Vector:
    """Scores of the sample, less their mean."""
    with threadpool_limits(1), own_threads(1):
        run = require_fit("the rows", solver, data, passes=passes, seed=seed)
    scores: Vector = run.decision_function(features())
    return scores - float(scores.mean())


@laws("scores are finite")
def one_positive(solver: Any) -> None:
    """It learns from rows with one positive, or one negative; a holdout has none, and refuses."""
    y = labels()
    some = np.r_[np.flatnonzero(y > 0)[:1], np.flatnonzero(y < 0)]
    for name, sign in (("one positive", 1), ("one negative", -1)):
        try:
            require_fit(name, solver, locked(features()[some], sign * y[some]))
        except DataError as refusal:
            not_asked(f"it refuses them: {refusal}")


@laws("scores are finite")
def odd_rows(solver: Any) -> None:
    """Constant columns, ties, rows that occur twice, also with both labels, do no harm."""
    X, twice = features(), np.repeat(np.arange(extent().n), 2)
    flat, y = X.copy(), labels()[twice]
    flat[:, 3 % X.shape[1]], flat[:, 5:6] = 1.0, 0.0
    require_fit("ties in columns of two values", solver, locked(np.sign(X), labels()))
    require_fit("a constant column and one of zeros", solver, locked(flat, labels()))
    require_fit("duplicated rows", solver, locked(X[twice], y))
    y[:8:2] = -y[:8:2]
    require_fit("equal rows of both classes", solver, locked(X[twice], y))


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
