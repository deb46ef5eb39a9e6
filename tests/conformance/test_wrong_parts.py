"""Parts, data sets, pairs and metrics that are wrong on purpose: each is found by its law."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from broken_laws import Weightless, assert_found, maker, verdict, with_lambda

from aucbench.about import metric
from aucbench.contract import Cut, FeatureMap, Projector
from aucbench.data import ALL, Data, Terms
from aucbench.data.arrays import rows as rows_of
from aucbench.metrics import auc
from aucbench.objectives import PairwiseSquare
from aucbench.pairs import Group, Members
from aucbench.testing import Verdict, check
from aucbench.testing.samples import Extent

pytestmark = pytest.mark.filterwarnings("ignore")
made = maker(globals())
UNSEEDED = np.random.default_rng()


# --- objectives --------------------------------------------------------------------------


def square(value=None, grad=None, base=PairwiseSquare, **members):
    """The pairwise square with other members; each gets the objective, and what it asks."""
    own = {
        name: lambda self, *args, made=made, name=name: made(self, getattr(base, name), *args)
        for name, made in (("value", value), ("grad", grad))
        if made
    }
    return made(base, own | members, eq=False)


KEEP = {}


def kept_gradient(f, grad, w, rows=ALL):
    return KEEP.setdefault((id(f), w.tobytes(), str(rows)), grad(f, w, rows))


def moving(f, grad, w, rows=ALL):
    g = grad(f, w, rows)
    w += 1e-3
    return g


def by_place(f, value, w):
    return float(np.mean(np.arange(f.data.n) * f.data.scores(w) ** 2))


def summed(f, value, w):
    return float(np.sum(f.data.scores(w) ** 2))


def with_deviation(f, value, w):
    return value(f, w) + float(np.std(f.data.scores(w)[f.data.y > 0], ddof=1))


def over_length(f, value, w):
    return value(f, w) / float(np.sqrt(w @ w))


def powers(f, value, w):
    return value(f, w) + 0.0 * float(np.sum(f.data.rows.stored**40))


def stored(f, value, w):
    return value(f, w) + f.data.rows.stored.size


def added_as_stored(f, value, w):
    return value(f, w) + float(f.data.rows.stored.sum())


def lost(self):
    object.__setattr__(self, "data", self.data.take(slice(None)))


def total_of_block(f, grad, w, rows=ALL):
    g = grad(f, w, rows)
    return g if isinstance(rows, slice) else g * rows.size


def half_curvature(self, v, rows=ALL):
    return 0.5 * PairwiseSquare.curvature(self, v, rows)


def by_its_array(f, grad, w, rows=ALL):
    array, _ = KEEP.get(id(f), (None, None))
    if array is not w:
        KEEP[id(f)] = w, grad(f, w, rows)
    return KEEP[id(f)][1].copy()


def without_the_step(f, grad, w, rows=ALL):
    return grad(f, w, slice(rows.start, rows.stop) if isinstance(rows, slice) else rows)


def each_once(f, grad, w, rows=ALL):
    return grad(f, w, rows if isinstance(rows, slice) else np.unique(rows).astype(np.int32))


def of_raw_arrays(f, value, w):
    s = f.data.rows.matrix @ w
    return float(np.mean(s**2) if not f.data.rows.is_sparse else s @ s / s.size)


def tangent(slope):
    def cut(self, w):
        value, g = self.value(w), self.grad(w)
        return Cut(value, slope * g, value - slope * float(g @ w))

    return cut


OBJECTIVES = {
    "wrong sign": ("gradient", "the slope of value", square(grad=lambda f, g, *a: -g(f, *a))),
    "block total": ("blocks", "the mean of 2 blocks", square(grad=total_of_block)),
    "half curvature": ("curvature", "the second derivative", square(curvature=half_curvature)),
    "by its array": ("no-memory", "changed in place", square(grad=by_its_array)),
    "steps of slices": ("blocks", "the rows of a slice", square(grad=without_the_step)),
    "rows twice": ("blocks", "came twice", square(grad=each_once)),
    "not counted": ("counts-rows", "value has counted 0 of 90 rows", square(value=of_raw_arrays)),
    "steep cut": ("cut", "it is to lie below f", square(cut=tangent(2.0))),
    "no rounding": ("rounding", "in another order", square(rounding=lambda self, w: (0.0, 0.0))),
    "other pairs": ("over-pairs", "say over_pairs = False", square(members=None)),
    "undeclared pairs": ("over-pairs", "say over_pairs = True", square(over_pairs=False)),
    "kept gradient": ("fresh-gradient", "fresh array", square(grad=kept_gradient)),
    "w in place": ("fresh-gradient", "w was changed", square(grad=moving)),
    "stored values": ("layouts", "value of CSR rows", square(value=stored)),
    "in float32": ("float32", "value of float32 rows", square(value=added_as_stored)),
    "place of rows": ("order-of-rows", "value of shuffled rows", square(value=by_place)),
    "sum of rows": ("duplicated-rows", "value of duplicated rows", square(value=summed)),
    "weights ignored": ("weights-of-rows", "require_no_weights", Weightless),
    "deviation of one": ("odd-rows", "value returned nan", square(value=with_deviation)),
    "over |w|": ("odd-rows", "ZeroDivisionError", square(value=over_length)),
    "overflow": ("scales", "value returned nan", square(value=powers)),
    "array": ("declared", "wanted a finite float", square(value=lambda f, v, w: w[:1])),
    "beyond floats": ("declared", "returned 1000", square(value=lambda f, v, w: 10**400)),
    "float32": ("declared", "float32", square(grad=lambda f, g, *a: np.float32(g(f, *a)))),
    "other data": ("declared", "data is not the Data", square(__post_init__=lost)),
    "lambda": ("pickles", "<lambda>", square(__post_init__=with_lambda)),
}


# --- projectors --------------------------------------------------------------------------


class Round(Projector):
    """The l2 ball of radius 1, as it should be."""

    def __call__(self, v, step=1.0):
        v /= max(1.0, np.linalg.norm(v))
        return v

    def contains(self, w):
        return bool(np.linalg.norm(w) <= 1.0 + 1e-12)

    def value(self, w):
        return 0.0 if np.linalg.norm(w) <= 1.0 + 1e-12 else np.inf


def ball(call=None, base=Round, **members):
    own = {"__call__": lambda self, v, step=1.0: call(v, step)} if call else {}
    return made(base, own | members)()


def overwritten(v, new):
    v[:] = new
    return v


def to(new, base=Round):
    """A projector that overwrites v by `new(v)`."""
    return ball(lambda v, step: overwritten(v, new(v)), base)


def length(v):
    return float(np.linalg.norm(v))


def soft_threshold(v):
    return np.sign(v) * np.maximum(np.abs(v) - 1, 0)


class Penalty(Round):
    """|w|₁, whose prox has the threshold `step`."""

    def contains(self, w):
        return True

    def value(self, w):
        return float(np.abs(w).sum())


def counted_ball(v, step):
    KEEP["radius"] = KEEP.get("radius", 1.0) * 0.99
    return overwritten(v, v * (min(KEEP["radius"], length(v)) / max(length(v), 1e-300)))


PROJECTORS = {
    "copy": ("in-place", "another array", ball(lambda v, s: v / max(1.0, length(v)))),
    "returns None": ("contains", "it returned None", ball(lambda v, s: None)),
    "twice as large": ("contains", "its own result", to(lambda v: 2 * v / max(1.0, length(v)))),
    "contains all": ("contains", "where value is", ball(contains=lambda self, w: True)),
    "sphere": ("idempotent", "of the set", to(lambda v: v / max(length(v), 1e-300))),
    "step ignored": ("nearest", "for a step of", to(soft_threshold, Penalty)),
    "shrinks": ("no-memory", "projected again", ball(counted_ball)),
    "empty vector": ("scales", "zero-size", to(lambda v: v / max(1.0, v.max() + length(v)))),
    "overflow": ("scales", "not finite", to(lambda v: v**40 / max(1.0, np.sum(v**40)))),
    "not frozen": ("declared", "can be changed", made(Round, {}, frozen=False)()),
    "value NaN": ("declared", "wanted a float", ball(value=lambda self, w: np.nan)),
    "lambda": ("pickles", "<lambda>", ball(__post_init__=with_lambda)),
}


# --- feature maps ------------------------------------------------------------------------


@dataclass(frozen=True)
class Centred(FeatureMap):
    """φ(x) = x − m with the means m of the training rows, as it should be."""

    mean: Any = field(default=None, compare=False, repr=False)

    def fit(self, data, rng):
        return replace(self, mean=data.rows.dense().matrix.mean(axis=0))

    def __call__(self, given):
        return rows_of(self.map(given.dense().matrix))

    def map(self, X):
        return X - self.mean

    def input_weights(self, w):
        return w, -float(w @ self.mean)


def feature_map(**members):
    return made(Centred, members)()


def mapping(function, **members):
    return feature_map(map=lambda self, X: function(self, X), input_weights=None, **members)


def moved_terms(d):
    return tuple((j if j < 3 else (j + 1) % d,) for j in range(d))


def unchanged(self, X):
    return X


def fitting(mean):
    """A fit whose means are `mean(X, data)`."""
    return lambda self, data, rng: replace(self, mean=mean(data.rows.dense().matrix, data))


def fit_in_place(self, data, rng):
    object.__setattr__(self, "mean", data.rows.dense().matrix.mean(axis=0))
    return self


def fit_scaling_rows(self, data, rng):
    data.rows.stored.setflags(write=True)
    data.rows.stored[:] *= 2.0
    return replace(self, mean=data.rows.dense().matrix.mean(axis=0))


def fit_as_stored(self, data, rng):
    stored = data.rows.dense().stored.reshape(data.n, data.d)
    return replace(self, mean=stored.mean(axis=0))


def with_terms(terms):
    return feature_map(terms=lambda self: terms)


fit_labels = fitting(lambda X, data: X[data.y > 0].mean(axis=0))
fit_half = fitting(lambda X, data: X[: data.n // 2].mean(axis=0))
fit_noise = fitting(lambda X, data: np.random.rand(data.d))  # noqa: NPY002
fit_rows = fitting(lambda X, data: X.copy())
fit_deviation = fitting(lambda X, data: X.std(axis=0))
fit_stored = fitting(lambda X, data: np.full(data.d, data.rows.stored.mean()))
fit_lambda = fitting(lambda X, data: lambda X: X)
MOVED_TERMS = replace(Terms.each(12), columns=moved_terms(12))
NO_CONE = Terms.each(12).bounded(np.ones(12), np.full(12, np.inf))

FEATURES = {
    "drops rows": ("declared", "89 rows for 90", mapping(lambda s, X: X[1:])),
    "array": ("declared", "wanted Rows", feature_map(__call__=lambda self, X: X.matrix)),
    "no intercept": ("declared", "exempt as an intercept", mapping(unchanged, exempt=1)),
    "fit in place": ("fit-returns-another", "after another fit", feature_map(fit=fit_in_place)),
    "means of the batch": ("row-by-row", "apart", mapping(lambda s, X: X - X.mean(axis=0))),
    "stored values": ("layouts", "features of CSR rows", feature_map(fit=fit_stored)),
    "in float32": ("float32", "features of float32 rows", feature_map(fit=fit_as_stored)),
    "global generator": ("same-seed", "two fits of one seed", feature_map(fit=fit_noise)),
    "shared with labels": ("shared", "other labels", feature_map(fit=fit_labels, shared=True)),
    "wrong constant": ("affine", "v · x + c", feature_map(input_weights=lambda self, w: (w, 0.0))),
    "first half of the rows": ("order-of-rows", "shuffled rows", feature_map(fit=fit_half)),
    "columns reversed": (
        "keeps-columns",
        "moved columns",
        mapping(lambda s, X: X[:, ::-1] - s.mean[::-1], keeps_columns=True),
    ),
    "terms of other columns": ("terms", "changed with column 3", with_terms(MOVED_TERMS)),
    "too few terms": ("terms", "its terms have 5 features", with_terms(Terms.each(5))),
    "bounds that are no cone": ("terms", "the bounds 1.0 and inf", with_terms(NO_CONE)),
    "rows in place": ("rows-are-left-alone", "changed", feature_map(fit=fit_scaling_rows)),
    "deviation": ("odd-rows", "not finite", mapping(lambda s, X: X / s.mean, fit=fit_deviation)),
    "overflow": ("scales", "not finite", mapping(lambda s, X: X**50)),
    "keeps rows": ("keeps-rows", "keeps_rows", mapping(lambda s, X: X @ s.mean.T, fit=fit_rows)),
    "lambda": ("pickles", "<lambda>", mapping(lambda s, X: s.mean(X), fit=fit_lambda)),
}


# --- data sets ----------------------------------------------------------------------------

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 3)), np.where(np.arange(40) % 4 == 0, 1, -1)


def right_data():
    return Data.of(X, Y)


def with_target(y):
    data = right_data()
    return replace(data, target=replace(data.target, y=y))


def by_hashes():
    order = [int(name) for name in {str(i) for i in range(40)}]
    return Data.of(X[order], Y)


def with_columns(*columns):
    return lambda: Data.of(np.column_stack([X, *columns]), Y)


def changed(**fields):
    return lambda: replace(right_data(), **{name: make() for name, make in fields.items()})


ROW = np.arange(40)
LEAK = "column 3 tells the label"
DATASETS = {
    "tuple": ("returns-data", "it is a tuple", lambda: (X, Y)),
    "NaN": ("returns-data", "NaN", changed(rows=lambda: rows_of(np.where(X > 1, np.nan, X)))),
    "folds of others": (
        "returns-data",
        "folds for 3",
        changed(folds=lambda: np.zeros(3, np.int32)),
    ),
    "names of others": ("returns-data", "and 2 names", changed(names=lambda: ("a", "b"))),
    "labels 0 and 1": ("returns-data", "-1 and 1", lambda: with_target((Y > 0).astype(np.int8))),
    "one class": ("returns-data", "NoPairsError", lambda: Data.of(X, np.ones(40))),
    "global generator": (
        "repeatable",
        "the rows differ",
        lambda: Data.of(np.random.rand(40, 3), Y),  # noqa: NPY002
    ),
    "label as a column": ("no-label-among-features", LEAK, with_columns(Y == 1)),
    "nearly the label": ("no-label-among-features", LEAK, with_columns((Y == 1) ^ (ROW == 3))),
    "label by a threshold": (
        "no-label-among-features",
        LEAK,
        with_columns(Y + 0.1 * X[:, 0]),
    ),
    "parity": ("no-label-among-features", LEAK, with_columns(2 * (ROW % 3) + (Y == 1))),
    "number of the row": ("no-row-number", "column 3 is the number", with_columns(np.sqrt(ROW))),
    "hashes": ("another-process", "other rows or labels", by_hashes),
    "one positive": ("can-be-divided", "DataError", lambda: Data.of(X, np.where(ROW == 7, 1, -1))),
}


# --- metrics ------------------------------------------------------------------------------


def by_sorting(y, scores):
    return float(np.flatnonzero(y[np.argsort(scores, kind="stable")] > 0).mean())


def of_positives(y, scores, sample_weight=None):
    if sample_weight is None:
        return auc(y, scores)
    return auc(y, scores, np.where(y > 0, sample_weight, 1.0))


def in_place(y, scores):
    if scores.flags.writeable:
        scores.sort()
    return auc(y, scores)


def binned_when_many(y, scores, sample_weight=None):
    """Scores of more than 10 000 rows fall into 50 bins, whose inside is tied."""
    if y.size > 10_000:
        scores = np.digitize(scores, np.linspace(scores.min(), scores.max(), 51)[1:-1])
    return auc(y, scores, sample_weight)


@metric(greater_is_better=False)
def gain(y, scores):
    return auc(y, scores)


@metric(low=0, high=1)
def percents(y, scores):
    return 100 * auc(y, scores)


METRICS = {
    "array": ("returns-a-number", "wanted a finite float", lambda y, s: s[:1]),
    "beyond floats": ("returns-a-number", "it returned 1000", lambda y, s: 10**400),
    "NaN": ("returns-a-number", "it returned nan", lambda y, s: float(s.mean() / s.std())),
    "single digits": ("returns-a-number", "float64", lambda y, s: np.float32(auc(y, s))),
    "percents": ("returns-a-number", "its values are in [0, 1]", percents),
    "deviation of one": ("one-positive", "nan", lambda y, s: float(np.std(s[y > 0], ddof=1))),
    "ties by place": ("order-of-rows", "shuffled scores with ties", by_sorting),
    "in place": ("arrays-are-left-alone", "changed its arrays", in_place),
    "random": ("order-of-rows", "shuffled scores", lambda y, s: auc(y, s) + UNSEEDED.random()),
    "constant": ("tells-good-from-bad", "perfect scores have 0.5", lambda y, s: 0.5),
    "a loss": ("tells-good-from-bad", "a greater value is better", lambda y, s: 1 - auc(y, s)),
    "a gain as a loss": ("tells-good-from-bad", "a smaller value is better", gain),
    "scores as float32": (
        "tells-good-from-bad",
        "almost equal perfect scores",
        lambda y, s: auc(y, s.astype(np.float32)),
    ),
    "weights of positives": ("weights-of-rows", "weights of rows", of_positives),
    "bins of many scores": ("weights-of-rows", "20 000 scores", binned_when_many),
}


# --- kinds of pairs -----------------------------------------------------------------------


@dataclass(frozen=True)
class OfGroups:
    """Pairs within groups, which the changes below make wrong."""

    kind: ClassVar = "group"
    measure: ClassVar = "gauc"

    def members(self, data, rows=ALL):
        return Group().members(data, rows)


@dataclass
class Changed:
    kind: ClassVar = "group"
    measure: ClassVar = "gauc"
    members = OfGroups.members


class OfNoKind(OfGroups):
    kind = "pairs"


class Unscaled(OfGroups):
    def members(self, data, rows=ALL):
        right = Group().members(data, rows)
        return replace(right, a=2.0 * right.a)


class BothWays(OfGroups):
    def members(self, data, rows=ALL):
        y, n = data.labels.y[rows], data.y[rows].size
        twice, block = np.tile(np.arange(n), 2), np.repeat([0, 1], n)
        upper = np.r_[y > 0, y < 0]
        weights = np.ones(data.n) if data.weights is None else data.weights
        return Members.of_blocks(n, twice, block, upper, np.tile(weights[rows], 2))


class ByPlace(OfGroups):
    def members(self, data, rows=ALL):
        y = data.labels.y[rows]
        return Members.of_blocks(
            y.size, np.arange(y.size), np.arange(y.size) // 9, y > 0, np.ones(y.size)
        )


class Unweighted(OfGroups):
    def members(self, data, rows=ALL):
        return Group().members(replace(data, target=replace(data.target, weights=None)), rows)


class OfAllRows(OfGroups):
    def members(self, data, rows=ALL):
        return Group().members(data)


PAIRS = {
    "can be changed": ("declared", "can be changed", Changed()),
    "unknown kind": ("declared", "its kind is 'pairs'", OfNoKind()),
    "sum of two": ("distribution", "the sum of all pairs", Unscaled()),
    "both ways": ("one-way", "above a row that is above it", BothWays()),
    "by the place of a row": ("order-of-rows", "shuffled rows", ByPlace()),
    "weights ignored": ("weights", "repeated rows", Unweighted()),
    "a block ignored": ("some-rows", "the members of", OfAllRows()),
}


WRONG = {
    "objectives": OBJECTIVES,
    "projectors": PROJECTORS,
    "features": FEATURES,
    "pairs": PAIRS,
    "datasets": DATASETS,
    "metrics": METRICS,
}
RIGHT = {"projector": ball(), "map": Centred(), "data set": right_data, "pairs": OfGroups()}


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_ones_obey_all_laws(name):
    assert not [f for f in check(RIGHT[name]) if f.verdict is Verdict.BROKEN]


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in WRONG for name in WRONG[kind]])
def test_what_is_wrong_is_found_by_its_law(kind, name):
    law, told, thing = WRONG[kind][name]
    assert_found(kind, thing, law, told)


def chatty(method):
    def told(*args):
        print("here")  # noqa: T201
        return method(*args)

    return told


CHATTY = {
    "objectives": lambda: square(value=lambda f, v, w: chatty(v)(f, w)),
    "projectors": lambda: ball(chatty(lambda v, s: v)),
    "features": lambda: mapping(chatty(unchanged)),
    "datasets": lambda: chatty(right_data),
    "metrics": lambda: chatty(lambda y, s: auc(y, s)),
}


@pytest.mark.parametrize("kind", CHATTY)
def test_plugins_of_each_kind_print_nothing(kind):
    assert_found(kind, CHATTY[kind](), "leaves-nothing", "it has printed 'here")


def first_columns(f, value, w):
    if f.data.rows.is_sparse or w.size <= 64:
        return value(f, w)
    return value(f, w * (np.arange(w.size) < 64))


LARGER = {
    "64 columns of dense rows": ("objectives", "layouts", square(value=first_columns)),
    "20 columns": ("projectors", "nearest", to(lambda v: v * (v.size < 20))),
}


@pytest.mark.parametrize("name", LARGER)
def test_lies_about_larger_rows(name):
    kind, law, thing = LARGER[name]
    assert verdict(kind, thing, law, Extent(300, 3000)).verdict is Verdict.BROKEN
