"""What a solver says it can do, one law for each word of `CAPABILITIES`, which has its name."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import numpy as np

from aucbench.contract import Identity, NoMap, Streaming
from aucbench.data import Breakpoints, Chunk, Data, Grades, Survival, Terms, uncounted
from aucbench.data.arrays import Index, Vector
from aucbench.data.summaries import whole_chunk
from aucbench.metrics.pairs import quality_of
from aucbench.objectives import Logistic
from aucbench.pairs import Fpr, Group
from aucbench.pairs.classes import Weighted
from aucbench.projectors import ElasticNet, L2Ball
from aucbench.scale import ChunkedData, InMemory
from aucbench.solving.descent import attained, lowered
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import recast
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import (
    csr,
    extent,
    features,
    labels,
    locked,
    require_close,
    sample,
)
from aucbench.testing.solvers.aims import FROM_ZEROS, LONG, SHORT, require_minimum
from aucbench.testing.solvers.fits import (
    RANKED,
    Opposite,
    fitted,
    learnt,
    require_fit,
    require_ranked,
    started,
    trajectory,
)

laws = Laws("solvers")

SHARE = 0.4  # of what a plain method gains in f + Ω
SMALL_BALL = 1e-3
SIZE, SHIFT = 6, 5.0  # rows of a group, and standard deviations of the groups
FEWEST = 360  # rows, from which trees of few rows grow
COARSE = 1e-3  # gap at which a fit ends that need only rank
EXACT = 1e-6  # of max(1, |f + Ω|), at which a state is at the minimum
LIGHT = 1e-3  # weight of a row that lies


def _require_named(solver: Any, capability: str) -> None:
    if capability not in solver.needs.capabilities:
        not_asked(f"it does not name the capability {capability}")


def _require_falls(what: str, solver: Any, data: Data) -> None:
    """Raise `LawBroken` unless f + Ω falls in 50 passes, by a share of what a plain method gains.

    Of the built-in solvers the slowest, which draws rows, gains 59 % on 300 rows of 3000 features,
    and 92 % on the small sample. Another objective than that of the problem need not fall at all.
    """
    fit = fitted(solver, data, (50,), LONG)
    if fit.problem.early_stopping:
        not_asked("its weights are not meant to minimise its objective")
    require_minimum(f"{what} ", fit, 1.0 - SHARE, missed={50.0: 1.0 - SHARE, 0.0: 1.0})


@laws(f"{SHARE:.0%} of what a plain method gains")
def any_objective(solver: Any) -> None:
    """Whatever f is put into its problem falls.

    It falls as a plain method makes it fall, for the logistic loss and for the pairwise square of
    the opposite labels. `--objective` would else change the name of a result and not the result.
    """
    _require_named(solver, "any-objective")
    objectives = {"the logistic loss": Logistic, "the opposite labels": Opposite}
    for name, objective in objectives.items():
        try:
            _require_falls(f"with {name}", recast(solver, objective=objective), sample())
        except LawBroken as broken:
            raise LawBroken(
                f"{broken}; minimise problem.objective, or leave out any-objective"
            ) from broken


@laws(f"as `contains` of the projector; {SHARE:.0%} of what a plain method gains")
def any_projector(solver: Any) -> None:
    """The iterates stay in a small ball that is put into its problem.

    With a penalty, f + Ω falls as a plain method makes it fall.
    """
    _require_named(solver, "any-projector")
    small = L2Ball(SMALL_BALL)
    _, states = trajectory(recast(solver, projector=small), sample(), 8)
    for t, _, w in states:
        require(
            small.contains(w),
            f"w of step {t} has the length {np.linalg.norm(w):.3g} outside of the ball of "
            f"{SMALL_BALL}; call problem.project, or leave out any-projector",
        )
    problem, free = trajectory(recast(solver, projector=Identity()), sample(), 8)
    require(
        not np.allclose(free[-1][2], states[-1][2], rtol=1e-9, atol=0),
        "the same w came with a ball and without; call problem.project",
    )
    if problem.f is not None:
        steepest = float(np.abs(problem.f.grad(np.zeros(problem.data.d))).max())
        penalty = ElasticNet(l1=0.5 * steepest, l2=0.0)
        _require_falls("with an l1 penalty", recast(solver, projector=penalty), sample())


@laws("half of what a plain method gains, or what a start at zeros comes to", once=True)
def warm_start(solver: Any) -> None:
    """It starts from w0: the first state depends on it, and keeps what a good w0 has gained.

    A method may take long first steps from there, and one that ends in a single state need not
    depend on w0.
    """
    _require_named(solver, "warm-start")
    problem, [(_, _, cold)] = trajectory(solver, sample(), 1)
    zeros = np.zeros(problem.data.d)
    if problem.f is None:
        near, excess = np.linspace(-1.0, 1.0, problem.data.d), np.inf
    else:
        with uncounted():
            near, least = lowered(problem, zeros, FROM_ZEROS, seconds=SHORT)
            excess, gain = attained(problem, cold) - least, attained(problem, zeros) - least
    warm = learnt(problem, next(started(solver, sample(), w0=near.copy())[1]))
    require(
        not np.array_equal(warm, cold) or excess <= EXACT * max(1.0, abs(least)),
        "the first state does not depend on w0; start from it, or leave out warm-start",
    )
    if problem.f is not None and not problem.early_stopping:
        came = attained(problem, warm) - least
        require(
            came <= max(0.5 * gain, excess),
            f"from a w0 near the minimum the first state has f + Ω = {least + came:.6g}, and w0 "
            f"has {least:.6g}; start from w0, or leave out warm-start",
        )


@laws("scores are finite")
def breakpoints(solver: Any) -> None:
    """It learns from error functions, where `y` is refused."""
    _require_named(solver, "breakpoints")
    data = Data(sample().rows, Breakpoints.of_labels(sample().y, "count"))
    require_fit("error functions", solver, data)


@laws(f"f: 1e-8 of its size; {SHARE:.0%} of what a plain method gains; AUC above {RANKED}")
def weights(solver: Any) -> None:
    """f counts a row of weight 2 like two rows, and f falls.

    It learns to rank, although each row occurs once more, of the other class, five times as long
    and with a weight of 0.001. Who ignores the weights, or those of one class, learns from these.
    """
    _require_named(solver, "weights")
    v = np.where(np.arange(extent().n) % 3 == 0, 2.0, 1.0)
    problem, _ = started(solver, locked(features(), labels(), weights=v))
    if problem.f is not None and isinstance(problem.features, NoMap):
        twice = started(solver, sample(rows=np.repeat(np.arange(extent().n), v.astype(int))))[0]
        w = np.linspace(-1.0, 1.0, problem.data.d)
        values = [each.objective.value(w) for each in (problem, twice)]
        require_close("f with weight 2 and with rows twice", *values, rtol=1e-8)
    lying, light = _lying()
    weighted = locked(lying.rows, lying.y, weights=light)
    _require_in_order(solver, "weights", weighted, sample())
    if problem.f is not None:
        _require_falls("beside light rows that lie", solver, weighted)


@laws(f"AUC above {RANKED}")
def class_pairs(solver: Any) -> None:
    """It draws pairs by their weights: it ranks heavy rows, beside light rows that lie."""
    _require_named(solver, "class-pairs")
    lying, light = _lying()
    weighted = replace(lying, pairs=Weighted(light))
    _require_in_order(solver, "class-pairs", weighted, sample())


def _lying() -> tuple[Data, Vector]:
    """Each row once more, of the other class and five times as long; and the weights of all."""
    X, y = features(), labels()
    light = np.r_[np.ones(y.size), np.full(y.size, LIGHT)]
    return locked(np.r_[X, 5.0 * X], np.r_[y, -y]), light


@laws(f"exact; {SHARE:.0%} of what a plain method gains")
def shapes(solver: Any) -> None:
    """No weight leaves its bounds, and f falls within them.

    The bounds keep the sign of half of the weights apart from that of their class means.
    """
    _require_named(solver, "shapes")
    bounded = _bounded(sample())
    problem, states = trajectory(solver, bounded)
    terms = problem.data.terms  # of the solver's own features, where it makes some
    require(
        terms is not None and terms.are_bounded,
        "the rows of its problem have no bounds; make them of those of data.terms, or leave out "
        "shapes",
    )
    low, high = (cast(Vector, getattr(terms, name)) for name in ("low", "high"))
    for t, _, w in states:
        require(
            bool(np.all((w >= low) & (w <= high))),
            f"a weight of step {t} is outside of the bounds of data.terms; keep them, or leave out "
            "shapes",
        )
    outside = np.where(np.isfinite(low), -1.0, 1.0)
    require(
        not problem.project.contains(outside),
        "the projector of the problem allows weights outside of the bounds of data.terms, so that "
        "nobody can see whether f is at its minimum within them",
    )
    _require_falls("within bounds", solver, bounded)


def _bounded(data: Data) -> Data:
    """The rows with bounds of all weights but the last one; those of even ones are uphill."""
    m_neg, m_pos = data.means
    upwards = (m_pos > m_neg) ^ (np.arange(data.d) % 2 == 0)
    low, high = np.where(upwards, 0.0, -np.inf), np.where(upwards, np.inf, 0.0)
    low[-1], high[-1] = -np.inf, np.inf
    return replace(data, terms=Terms.each(data.d).bounded(low, high))


@laws("1e-10 of each weight; AUC as `ranks`")
def chunks(solver: Any) -> None:
    """It ranks rows that are read in chunks, of which the last one has a row or a class alone.

    A method that learns row by row has the same weights wherever chunks end.
    """
    _require_named(solver, "chunks")
    if isinstance(solver, Streaming):
        _require_same_weights(solver)
    by_class = np.argsort(labels(), kind="stable")
    for name, order in (("in their order", slice(None)), ("positives last", by_class)):
        rows = sample(rows=order)
        run = solve(solver, ChunkedData(InMemory(rows, extent().n // 4 + 1)), passes=20)
        scores = run.decision_function(rows.rows.matrix)
        require_ranked(f"in chunks, {name}: ", rows.y, scores)


def _require_same_weights(solver: Streaming) -> None:
    cuts = [0, 1, 20, 21, 60, extent().n]
    for layout in (np.asarray, csr):  # the whole and parts alike
        whole, parts = (
            solver.start(np.zeros(extent().d), np.random.default_rng(5)) for _ in range(2)
        )
        solver.update(whole, whole_chunk(sample(layout)), _first(extent().n))
        for lo, hi in pairwise(cuts):
            chunk = Chunk.of(layout(features()[lo:hi]), labels()[lo:hi])
            solver.update(parts, chunk, _first(hi - lo))
        once, cut = solver.weights(whole), solver.weights(parts)
        require_close("weights after chunks", cut, once, rtol=1e-10, atol=1e-13)


def _first(count: int) -> Index:
    return np.arange(count, dtype=np.int32)


@laws(f"share of pairs in order above {RANKED}")
def group_pairs(solver: Any) -> None:
    """It learns the order inside groups.

    Inside each group a larger first feature is more positive. Over all rows a smaller one is, so
    that who learns from all pairs learns the opposite.
    """
    _require_named(solver, "group-pairs")
    X, rng = _ordered(solver)
    group = np.arange(len(X)) // SIZE
    shift = rng.normal(size=group[-1] + 1)[group]
    y = np.where(X[:, 0] - 2.0 * shift + 0.3 * rng.normal(size=len(X)) > 1.0, 1, -1)
    X[:, 0] += SHIFT * shift
    _require_in_order(solver, "group-pairs", locked(X, y, groups=group, pairs=Group()))


@laws(f"share of pairs in order above {RANKED}")
def order_pairs(solver: Any) -> None:
    """It learns the order of survival times, and of grades."""
    _require_named(solver, "order-pairs")
    X, rng = _ordered(solver)
    level = np.floor(2.0 * X[:, 0] + rng.normal(size=len(X)))
    _require_in_order(solver, "order-pairs", locked(X.copy(), Grades.of(level - level.min())))
    times = Survival.of(np.exp(-X[:, 0] + 0.3 * rng.normal(size=len(X))), rng.random(len(X)) < 0.7)
    _require_in_order(solver, "order-pairs", locked(X, times))


@laws(f"share of pairs in order above {RANKED}")
def range_pairs(solver: Any) -> None:
    """It learns the order in a range of the ROC curve.

    The negatives in the range are few: over all rows a larger first feature is more positive, and
    in the range a smaller one is. So a range changes the scores.
    """
    _require_named(solver, "range-pairs")
    X, rng = _ordered(solver)
    kind = rng.choice(3, size=len(X), p=(0.4, 0.5, 0.1))  # positives, negatives, hard negatives
    X[:, 0] = 0.3 * X[:, 0] + np.array([0.0, -1.0, 1.0])[kind]
    X[:, 1] = 0.3 * X[:, 1] + np.array([1.0, 0.5, 0.0])[kind]
    data = locked(X, np.where(kind == 0, 1, -1), pairs=Fpr(max=0.2, rest=0.1))
    scores = _require_in_order(solver, "range-pairs", data)
    run = require_fit("all pairs", solver, replace(data, pairs=None), passes=20, gap=COARSE)
    require(
        not np.allclose(scores, run.decision_function(X), rtol=1e-6),
        "the same scores came with a range and without; learn from data.pairs, or leave out "
        "range-pairs",
    )


def _ordered(solver: Any) -> tuple[Vector, np.random.Generator]:
    """Random features, and what draws the rest."""
    rng, linear = np.random.default_rng(8), started(solver, sample())[0].f is not None
    n = max(FEWEST // 3 if linear else FEWEST, extent().n // SIZE * SIZE)
    return rng.normal(size=(n, extent().d)), rng


def _require_in_order(
    solver: Any, capability: str, data: Data, judged: Data | None = None
) -> Vector:
    """Raise `LawBroken` unless the pairs of rows that count are in order; return the scores."""
    run = require_fit("rows with pairs or weights", solver, data, passes=20, gap=COARSE)
    judged = judged or data
    scores: Vector = run.decision_function(judged.rows.matrix)
    share = quality_of(judged, scores)
    require(
        share > RANKED,
        f"{share:.3f} of the pairs that count are in order, wanted more than {RANKED}; learn from "
        f"data.pairs and with the weights, or leave out {capability}",
    )
    return scores
