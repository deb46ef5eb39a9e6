"""Parts of solvers, data sets and metrics that are wrong on purpose: each is found by its law."""

from dataclasses import dataclass, field, replace
from datetime import date
from itertools import count
from time import time
from typing import Any

import numpy as np
import pytest
from broken_laws import assert_found

from aucbench.about import metric
from aucbench.contract import Cut, FeatureMap, Projector
from aucbench.data import ALL, Data, Labels, Terms
from aucbench.data.arrays import rows as rows_of
from aucbench.metrics import auc
from aucbench.objectives import PairwiseSquare
from aucbench.testing import LAWS, Verdict, check
from aucbench.testing.laws import found
from aucbench.testing.samples import Extent, extended

pytestmark = pytest.mark.filterwarnings("ignore")
NUMBERS = count()
UNSEEDED = np.random.default_rng()


def with_lambda(self):
    object.__setattr__(self, "rule", lambda x: x)


def made(base, members, **options):
    """A dataclass with other members than the base; a pickle finds it in this module."""
    name = f"Made{next(NUMBERS)}"
    own = {"__module__": __name__, "__qualname__": name} | members
    cls = dataclass(**{"frozen": True, **options})(type(name, (base,), own))
    globals()[name] = cls
    return cls


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


def counting(f, value, w):
    KEEP["calls"] = KEEP.get("calls", 0) + 1
    return value(f, w) + KEEP["calls"]


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


class Weightless(PairwiseSquare):
    """The pairwise square, which takes weights and ignores them."""

    def __post_init__(self):
        if self.data.weights is not None:
            without = replace(self.data, target=Labels.of(self.data.y, None, None, None))
            object.__setattr__(self, "data", without)


OBJECTIVES = {
    "wrong sign": ("gradient", "the slope of value", square(grad=lambda f, g, *a: -g(f, *a))),
    "block total": ("blocks", "the mean of 2 blocks", square(grad=total_of_block)),
    "half curvature": ("curvature", "the second derivative", square(curvature=half_curvature)),
    "by its array": ("no-memory", "changed in place", square(grad=by_its_array)),
    "steps of slices": ("slices", "the rows of slice", square(grad=without_the_step)),
    "rows twice": ("blocks", "came twice", square(grad=each_once)),
    "not counted": ("counts-rows", "value has counted 0 of 90 rows", square(value=of_raw_arrays)),
    "steep cut": ("cut", "it is to lie below f", square(cut=tangent(2.0))),
    "no rounding": ("rounding", "in another order", square(rounding=lambda self, w: (0.0, 0.0))),
    "other pairs": ("over-pairs", "say over_pairs = False", square(members=None)),
    "undeclared pairs": ("over-pairs", "say over_pairs = True", square(over_pairs=False)),
    "kept gradient": ("fresh-gradient", "fresh array", square(grad=kept_gradient)),
    "w in place": ("fresh-gradient", "w was changed", square(grad=moving)),
    "counts its calls": ("no-memory", "weights changed in place", square(value=counting)),
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
    "float32": (
        "declared",
        "float32",
        square(grad=lambda f, g, *a: g(f, *a).astype(np.float32)),
    ),
    "other data": ("declared", "data is not the Data", square(__post_init__=lost)),
    "lambda": (
        "pickles",
        "<lambda>",
        square(__post_init__=with_lambda),
    ),
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


def test_the_right_projector_obeys_all_laws():
    assert not [f for f in check(ball()) if f.verdict is Verdict.BROKEN]


def ball(call=None, base=Round, **members):
    own = {"__call__": lambda self, v, step=1.0: call(v, step)} if call else {}
    return made(base, own | members)()


def overwritten(v, new):
    v[:] = new
    return v


def length(v):
    return float(np.linalg.norm(v))


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
    "twice as large": (
        "contains",
        "contains is false for its own result",
        ball(lambda v, s: overwritten(v, 2 * v / max(1.0, length(v)))),
    ),
    "contains all": ("contains", "where value is", ball(contains=lambda self, w: True)),
    "sphere": (
        "idempotent",
        "a point of the set, projected",
        ball(lambda v, s: overwritten(v, v / max(length(v), 1e-300))),
    ),
    "step ignored": (
        "nearest",
        "for a step of",
        ball(lambda v, s: overwritten(v, np.sign(v) * np.maximum(np.abs(v) - 1, 0)), Penalty),
    ),
    "shrinks": ("no-memory", "projected again", ball(counted_ball)),
    "empty vector": (
        "scales",
        "zero-size",
        ball(lambda v, s: overwritten(v, v / max(1.0, length(v)) + 0.0 * v.max())),
    ),
    "overflow": (
        "scales",
        "not finite",
        ball(lambda v, s: overwritten(v, v**40 / max(1.0, np.sum(v**40)))),
    ),
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


def test_the_right_map_obeys_all_laws():
    broken = [f for f in check(Centred()) if f.verdict is Verdict.BROKEN]
    assert not broken


def feature_map(**members):
    return made(Centred, members)()


def mapping(function, **members):
    return feature_map(map=lambda self, X: function(self, X), input_weights=None, **members)


def moved_terms(d):
    return tuple((j if j < 3 else (j + 1) % d,) for j in range(d))


def unchanged(self, X):
    return X


def fit_in_place(self, data, rng):
    object.__setattr__(self, "mean", data.rows.dense().matrix.mean(axis=0))
    return self


def fit_labels(self, data, rng):
    return replace(self, mean=data.rows.dense().matrix[data.y > 0].mean(axis=0))


def fit_half(self, data, rng):
    return replace(self, mean=data.rows.dense().matrix[: data.n // 2].mean(axis=0))


def fit_noise(self, data, rng):
    return replace(self, mean=np.random.rand(data.d))  # noqa: NPY002


def fit_rows(self, data, rng):
    return replace(self, mean=data.rows.dense().matrix.copy())


def fit_scaling_rows(self, data, rng):
    data.rows.stored.setflags(write=True)
    data.rows.stored[:] *= 2.0
    return replace(self, mean=data.rows.dense().matrix.mean(axis=0))


def fit_deviation(self, data, rng):
    return replace(self, mean=data.rows.dense().matrix.std(axis=0))


def fit_stored(self, data, rng):
    return replace(self, mean=np.full(data.d, data.rows.stored.mean()))


def fit_as_stored(self, data, rng):
    dense = data.rows.dense()
    return replace(self, mean=dense.stored.reshape(data.n, data.d).mean(axis=0))


def fit_lambda(self, data, rng):
    return replace(self, mean=lambda X: X)


FEATURES = {
    "drops rows": ("declared", "it returned 89 rows for 90", mapping(lambda s, X: X[1:])),
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
        "features of moved columns",
        mapping(lambda s, X: X[:, ::-1] - s.mean[::-1], keeps_columns=True),
    ),
    "terms of other columns": (
        "terms",
        "feature 3 has changed with column 3, and is of (4,)",
        feature_map(terms=lambda self: replace(Terms.each(12), columns=moved_terms(12))),
    ),
    "too few terms": (
        "terms",
        "its terms have 5 features",
        feature_map(terms=lambda s: Terms.each(5)),
    ),
    "bounds that are no cone": (
        "terms",
        "has the bounds 1.0 and inf",
        feature_map(terms=lambda s: Terms.each(12).bounded(np.ones(12), np.full(12, np.inf))),
    ),
    "rows in place": ("rows-are-left-alone", "changed", feature_map(fit=fit_scaling_rows)),
    "over deviation": (
        "odd-rows",
        "not finite",
        mapping(lambda s, X: X / s.mean, fit=fit_deviation),
    ),
    "overflow": ("scales", "not finite", mapping(lambda s, X: X**50)),
    "keeps rows": (
        "keeps-rows",
        "declare keeps_rows = True",
        mapping(lambda s, X: X @ s.mean.T, fit=fit_rows),
    ),
    "lambda": ("pickles", "<lambda>", mapping(lambda s, X: s.mean(X), fit=fit_lambda)),
}


# --- data sets and metrics ---------------------------------------------------------------

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 3)), np.where(np.arange(40) % 4 == 0, 1, -1)


def right_data():
    return Data.of(X, Y)


def test_the_right_data_set_obeys_all_laws():
    assert {f.verdict for f in check(right_data)} == {Verdict.HOLDS}


def with_target(y):
    data = right_data()
    return replace(data, target=replace(data.target, y=y))


def by_the_clock():
    return Data.of(X * (int(time()) // 86400), Y)


def by_hashes():
    order = [int(name) for name in {str(i) for i in range(40)}]
    return Data.of(X[order], Y)


DATASETS = {
    "tuple": ("returns-data", "it is a tuple, wanted Data", lambda: (X, Y)),
    "NaN": (
        "returns-data",
        "NaN or infinite",
        lambda: replace(right_data(), rows=rows_of(np.where(X > 1, np.nan, X))),
    ),
    "folds of others": (
        "returns-data",
        "40 rows, and folds for 3",
        lambda: replace(right_data(), folds=np.zeros(3, np.int32)),
    ),
    "names of others": (
        "returns-data",
        "3 columns and 2 names",
        lambda: replace(right_data(), names=("a", "b")),
    ),
    "labels 0 and 1": (
        "returns-data",
        "wanted -1 and 1",
        lambda: with_target((Y > 0).astype(np.int8)),
    ),
    "one class": ("returns-data", "DataError", lambda: Data.of(X, np.ones(40))),
    "global generator": (
        "repeatable",
        "the rows differ",
        lambda: Data.of(np.random.rand(40, 3), Y),  # noqa: NPY002
    ),
    "label as a column": (
        "no-label-among-features",
        "column 3 tells the label",
        lambda: Data.of(np.c_[X, Y == 1], Y),
    ),
    "nearly the label": (
        "no-label-among-features",
        "column 3 tells the label",
        lambda: Data.of(np.c_[X, (Y == 1) ^ (np.arange(40) == 3)], Y),
    ),
    "label by a threshold": (
        "no-label-among-features",
        "column 0 tells the label",
        lambda: Data.of(np.c_[Y + 0.1 * X[:, 0], X], Y),
    ),
    "parity of the label": (
        "no-label-among-features",
        "column 3 tells the label",
        lambda: Data.of(np.c_[X, 2 * (np.arange(40) % 3) + (Y == 1)], Y),
    ),
    "number of the row": (
        "no-row-number",
        "column 3 is the number of the row",
        lambda: Data.of(np.c_[X, np.sqrt(np.arange(40))], Y),
    ),
    "of today": ("another-day", "the rows differ", lambda: Data.of(X + date.today().year, Y)),
    "by the clock": ("another-day", "the rows differ", by_the_clock),
    "hashes": ("another-process", "other rows or labels", by_hashes),
    "one positive": (
        "can-be-divided",
        "DataError",
        lambda: Data.of(X, np.where(np.arange(40) == 7, 1, -1)),
    ),
}


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


METRICS = {
    "array": ("returns-a-number", "wanted a finite float", lambda y, s: s[:1]),
    "beyond floats": ("returns-a-number", "it returned 1000", lambda y, s: 10**400),
    "NaN": ("returns-a-number", "it returned nan", lambda y, s: float(s.mean() / s.std())),
    "deviation of one": (
        "one-positive",
        "it returned nan",
        lambda y, s: float(np.std(s[y > 0], ddof=1)),
    ),
    "ties by place": ("order-of-rows", "shuffled scores with ties", by_sorting),
    "in place": ("arrays-are-left-alone", "changed its arrays", in_place),
    "random": ("repeatable", "two calls differ", lambda y, s: auc(y, s) + UNSEEDED.random()),
    "constant": ("tells-good-from-bad", "perfect scores have 0.5", lambda y, s: 0.5),
    "a loss": ("tells-good-from-bad", "a greater value is better", lambda y, s: 1 - auc(y, s)),
    "a gain as a loss": (
        "tells-good-from-bad",
        "a smaller value is better",
        metric(greater_is_better=False)(lambda y, s: auc(y, s)),
    ),
    "percents": (
        "returns-a-number",
        "says that its values are in [0, 1]",
        metric(low=0, high=1)(lambda y, s: 100 * auc(y, s)),
    ),
    "single digits": (
        "returns-a-number",
        "compute in float64",
        lambda y, s: np.float32(auc(y, s)),
    ),
    "scores as float32": (
        "tells-good-from-bad",
        "almost equal perfect scores",
        lambda y, s: auc(y, s.astype(np.float32)),
    ),
    "weights of positives": ("weights-of-rows", "weights of rows", of_positives),
    "weights as counts": (
        "equal-weights",
        "weights of 2.5",
        lambda y, s, sample_weight=None: (
            auc(y, s) * (1.0 if sample_weight is None else sample_weight.mean())
        ),
    ),
}


WRONG = {
    "objectives": OBJECTIVES,
    "projectors": PROJECTORS,
    "features": FEATURES,
    "datasets": DATASETS,
    "metrics": METRICS,
}


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
    "20 columns": ("projectors", "nearest", ball(lambda v, s: overwritten(v, v * (v.size < 20)))),
}


@pytest.mark.parametrize("name", LARGER)
def test_lies_about_larger_rows(name):
    kind, law, thing = LARGER[name]
    [right] = [each for each in LAWS[kind] if each.name == law]
    with extended(Extent(300, 3000)):
        assert found(right, thing, "wrong", {}).verdict is Verdict.BROKEN
