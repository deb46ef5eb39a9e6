"""Learning from chunks through the scikit-learn face."""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from nights import first, some
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from aucbench import AUCClassifier as Scaled
from aucbench.data import Chunk, Data
from aucbench.datasets import stream
from aucbench.errors import DataError, ParameterError
from aucbench.kernels import linear
from aucbench.metrics import auc, intercept_at
from aucbench.optim import passes
from aucbench.protocols import Needs, Problem, State
from aucbench.registry import get_features, get_solver, list_solvers
from aucbench.registry.lookup import find


@dataclass(slots=True)
class Sums:
    w: np.ndarray
    rng: np.random.Generator


@dataclass(frozen=True)
class SumOfRows:
    """w + the sum of y_i u_i x_i, u_i uniform: what a streaming solver must keep, and no more."""

    noise: float = 0.5

    space: ClassVar = {}
    needs: ClassVar = Needs()

    def problem(self, data: Any, rng: np.random.Generator) -> Problem:
        return Problem(None, train=data)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        return passes(self, problem, rng, shuffle=False)

    def start(self, w, rng):
        return Sums(w, rng)

    def update(self, memory, chunk, order):
        factor = chunk.y[order] * (1 + self.noise * memory.rng.random(order.size))
        linear.pullback(*chunk.rows.arrays, order, 0, order.size, factor, memory.w)

    def weights(self, memory):
        return memory.w


AUCClassifier = partial(Scaled, features="none")  # so that weights are those of the columns
RNG = np.random.default_rng(5)
N, D = 120, 7
Y = np.where(RNG.random(N) < 0.3, 1, -1)
X = RNG.normal(size=(N, D)) * (RNG.random((N, D)) < 0.7) + 0.4 * (Y > 0)[:, None]
KNOWN = [n for n in list_solvers() if hasattr(find("solvers", n).factory, "update")]
# In a stream these two take published constants, a fit derives them from all rows.
FIXED = {"solam": {"xi": 1.0, "R": 1.0}, "reg-solam": {"xi": 1.0, "lam": 0.1}}
SOLVERS = [
    SumOfRows(),
    *(get_solver(name, shuffle=False, **FIXED.get(name, {})) for name in KNOWN),
]
LAYOUTS = {"dense": np.asarray, "CSR": csr_array, "frame": pd.DataFrame}


def weights(model):
    return model.model_.function.weights


def parts(size, n=N):
    return [slice(lo, min(lo + size, n)) for lo in range(0, n, size)]


@pytest.mark.parametrize(
    ("solver", "layout"),
    [*product(SOLVERS, ("dense", "CSR")), (SOLVERS[0], "frame")],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_chunks_teach_what_one_pass_over_all_rows_does(solver, layout):
    whole = AUCClassifier(solver, passes=1, random_state=3).fit(LAYOUTS[layout](X), Y)
    for size in (1, 17, N):
        model = AUCClassifier(solver, random_state=3)
        for part in parts(size):
            model.partial_fit(LAYOUTS[layout](X[part]), Y[part], classes=[-1, 1])
        np.testing.assert_allclose(weights(model), whole.run_.w, rtol=1e-10, atol=1e-12)
        shown = model.decision_function(LAYOUTS[layout](X)) + model.threshold_
        np.testing.assert_allclose(shown, X @ weights(model), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", FIXED)
def test_a_stream_takes_the_published_constants(name):
    models = [AUCClassifier(get_solver(name)), AUCClassifier(get_solver(name, **FIXED[name]))]
    for model in models:
        model.partial_fit(X, Y)
    np.testing.assert_array_equal(weights(models[0]), weights(models[1]))


@pytest.mark.parametrize("solver", first(SOLVERS, 3), ids=lambda s: type(s).__name__)
def test_a_model_goes_on_after_it_was_pickled_and_shows_a_copy(solver):
    models = [AUCClassifier(solver), AUCClassifier(solver)]
    for part in parts(40):
        for model in models:
            model.partial_fit(X[part], Y[part], classes=[-1, 1])
        models[1] = pickle.loads(pickle.dumps(models[1]))
        weights(models[1])[:] += 7 * (part.stop < N)  # of the model, not of the memory
    np.testing.assert_array_equal(weights(models[1]), weights(models[0]))
    np.testing.assert_array_equal(models[1].predict(X), models[0].predict(X))
    assert not hasattr(clone(models[1]), "model_")


def test_the_obvious_loop_over_a_file(tmp_path):
    pd.DataFrame(X).assign(y=Y).to_csv(tmp_path / "t.csv", index=False)
    model = AUCClassifier(SumOfRows())
    for chunk in stream(tmp_path / "t.csv", rows=50):
        model.partial_fit(chunk)
    whole = AUCClassifier(SumOfRows(), passes=1).fit(X, Y)
    np.testing.assert_allclose(weights(model), whole.run_.w, rtol=1e-12)
    assert (list(model.classes_), model.n_features_in_) == ([-1, 1], D)
    shown = model.decision_function(chunk.rows) + model.threshold_
    np.testing.assert_allclose(shown, X[100:] @ weights(model))


CODES = {  # negative, positive, and the options of `stream` that say so
    "signs": (-1, 1, {}),
    "signs, turned": (1, -1, {"positive": -1}),
    "0 and 1, turned": (1, 0, {"positive": "0"}),
    "1 and 2": (1, 2, {"positive": 2}),
    "1 and 2, turned": (2, 1, {"positive": 1, "negative": 2}),
    "negative alone named": (2, 1, {"negative": 2}),
    "truth values": (False, True, {}),
    "words, turned": ("yes", "no", {"positive": "no"}),
}


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)], ids=["", "reversed"])
@pytest.mark.parametrize("codes", CODES.values(), ids=CODES)
def test_a_model_of_chunks_scores_labels_as_their_file_writes_them(codes, order, tmp_path):
    negative, positive, options = codes
    y = np.where(Y > 0, positive, negative)
    pd.DataFrame(X).assign(y=y)[order].to_csv(tmp_path / "t.csv", index=False)
    model = AUCClassifier("opauc")
    for chunk in stream(tmp_path / "t.csv", rows=30, **options):
        model.partial_fit(chunk)
    model.save(tmp_path / "t.model")
    for found in (model, Scaled.load(tmp_path / "t.model")):
        assert found.classes_.tolist() == sorted([negative, positive])
        assert found.pos_label_ == positive
        shown, sign = found.auc_score(X, y), 1 if negative < positive else -1
        assert shown == auc(Y, sign * found.decision_function(X)) > 0.6
        assert shown == pytest.approx(roc_auc_score(y, found.decision_function(X)))
        assert found.score(X, y) == np.mean(found.predict(X) == y) > 0.5
        assert found.auc_score(chunk) == auc(chunk.y, sign * found.decision_function(chunk.rows))
    model.partial_fit(X, y)  # without a chunk the same label is positive
    assert model.auc_score(X, y) > 0.6


def test_a_chunk_whose_positive_label_is_another_is_read_by_its_labels(tmp_path):
    pd.DataFrame(X).assign(y=np.where(Y > 0, 2, 1)).to_csv(tmp_path / "t.csv", index=False)
    one, two = (next(stream(tmp_path / "t.csv", positive=label)) for label in (1, 2))
    model = AUCClassifier("opauc").partial_fit(one)
    assert model.auc_score(one) == model.auc_score(two) == model.auc_score(X, one.labels)
    assert model.score(one) == model.score(two)
    again = AUCClassifier("opauc").partial_fit(one).partial_fit(one)
    np.testing.assert_array_equal(model.partial_fit(two).coef_, again.coef_)
    digits = next(stream(tmp_path / "t.csv", positive=[2], negative="rest"))  # may be several
    assert AUCClassifier("opauc").partial_fit(digits).classes_.tolist() == [-1, 1]


def test_labels_are_announced_or_found_in_the_first_chunk():
    text = np.where(Y > 0, "yes", "no")
    for y in (text, text.tolist(), pd.Series(text), text.astype(object)):
        model = AUCClassifier(SumOfRows()).partial_fit(X, y)
        assert list(model.classes_) == ["no", "yes"]
        assert {*model.predict(X)} == {"no", "yes"}
    healthy = text == "no"
    with pytest.raises(DataError, match="there are 1 labels at the first call"):
        AUCClassifier(SumOfRows()).partial_fit(X[healthy], text[healthy])
    model = AUCClassifier(SumOfRows())
    model.partial_fit(X[healthy], text[healthy], classes=["yes", "no"])
    model.partial_fit(X[~healthy], text[~healthy])
    for later in ({"y": ["dead"] * N}, {"y": text, "classes": ["no", "dead"]}):
        with pytest.raises(DataError, match=r"label 'dead' and the known ones are \['no', 'yes'\]"):
            model.partial_fit(X, **later)
    for announced in (["a", "b", "c"], ["yes", "dead"]):
        with pytest.raises(DataError, match="label 'no' and the known ones"):
            AUCClassifier(SumOfRows()).partial_fit(X, text, classes=announced)


def test_a_chunk_brings_the_labels_minus_one_and_one():
    chunk = Chunk.of(X, Y)
    model = AUCClassifier(SumOfRows()).partial_fit(chunk, classes=(-1, 1)).partial_fit(X, Y)
    for given in ((chunk, Y), (X,)):
        with pytest.raises(DataError, match="without y"):
            model.partial_fit(*given)
    with pytest.raises(DataError, match="label 0 and the known ones are"):
        model.partial_fit(X, np.zeros(N, dtype=int))
    model = AUCClassifier(SumOfRows(), pos_label=1).partial_fit(X, np.where(Y > 0, 0, 1))
    with pytest.raises(DataError, match="label -1 and the known ones are"):
        model.partial_fit(chunk)


def test_the_threshold_is_that_of_the_latest_chunk_with_both_classes():
    model = AUCClassifier(SumOfRows())
    assert model.partial_fit(X[Y > 0], Y[Y > 0], classes=[-1, 1]).threshold_ == 0.0
    model.partial_fit(X[:50], Y[:50])
    found = intercept_at(Y[:50], X[:50] @ weights(model))
    assert model.threshold_ == pytest.approx(found)
    assert found != 0
    assert model.partial_fit(X[Y < 0], Y[Y < 0]).threshold_ == pytest.approx(found)


def test_fit_and_partial_fit_forget_each_other():
    model = AUCClassifier(SumOfRows(), passes=1)
    model.partial_fit(X[:50], Y[:50]).partial_fit(X[50:], Y[50:])
    model.fit(X[:, :3], np.where(Y > 0, "y", "n"))
    assert weights(model).size == 3
    model.partial_fit(X, Y)
    assert not hasattr(model, "run_")
    fresh = AUCClassifier(SumOfRows()).partial_fit(X, Y)
    np.testing.assert_array_equal(weights(model), weights(fresh))


def test_a_refused_chunk_leaves_the_model_as_it_was():
    fitted = AUCClassifier("opauc", passes=1).fit(X, Y)
    model = AUCClassifier(SumOfRows(), random_state=0).partial_fit(X, Y)
    gap = np.where(np.arange(N)[:, None] == 3, np.inf, X)
    before = [one.decision_function(X) for one in (model, fitted)]
    for one in (model, fitted):
        for learn in (one.partial_fit, one.fit):
            with pytest.raises(DataError, match="inf in row 3"):
                learn(gap, Y)
    with pytest.raises(DataError, match="X has 4 features, but AUCClassifier is expecting 7"):
        model.partial_fit(X[:, :4], Y)
    for one, scores in zip((model, fitted), before, strict=True):
        np.testing.assert_array_equal(one.decision_function(X), scores)
    again = AUCClassifier(SumOfRows()).partial_fit(X, Y).partial_fit(X, Y)
    np.testing.assert_array_equal(weights(model.partial_fit(X, Y)), weights(again))
    with pytest.raises(ParameterError, match=r"solver became .*noise=2.* began with .*noise=0\.5"):
        model.set_params(solver=SumOfRows(noise=2.0)).partial_fit(X, Y)
    huge = np.tile([[1e308], [-1e308]], (2, 1))
    with pytest.raises(DataError, match="not finite after this chunk"):
        AUCClassifier(SumOfRows()).partial_fit(huge, [1, -1, 1, -1])


def test_solvers_that_need_all_rows_name_those_that_do_not():
    with pytest.raises(AttributeError, match="no attribute 'partial_fit'") as told:
        AUCClassifier("sht-auc").partial_fit(X, Y)
    sentence = str(told.value.__cause__)
    assert sentence.startswith("'sht-auc' needs all rows at once")
    assert all(name in sentence for name in KNOWN)
    assert "logistic" not in sentence
    assert all(hasattr(AUCClassifier(name), "partial_fit") for name in KNOWN)
    with pytest.raises(NotFittedError):
        AUCClassifier(SumOfRows()).predict(X)
    for name, value in {"validation": 0.2, "warm_start": True, "calibration": "sigmoid"}.items():
        with pytest.raises(ParameterError, match=f"{name} is for fit"):
            AUCClassifier("opauc", **{name: value}).partial_fit(X, Y)


@pytest.mark.parametrize("layout", some(LAYOUTS, {"dense", "frame"}))
def test_the_map_of_a_stream_is_that_of_its_first_chunk(layout):
    begin, later = (LAYOUTS[layout](part) for part in (X[:60], X[60:]))
    model = Scaled("opauc").partial_fit(begin, Y[:60]).partial_fit(later, Y[60:])
    phi = get_features("auto").fit(Data.of(begin, Y[:60]), np.random.default_rng(0))
    plain = AUCClassifier("opauc")
    for part, y in ((begin, Y[:60]), (later, Y[60:])):
        plain.partial_fit(phi(Data.of(part, y).rows).matrix, y)
    np.testing.assert_array_equal(weights(model), weights(plain))
    shown = np.asarray(X @ model.coef_[0] + model.intercept_[0])
    np.testing.assert_allclose(model.decision_function(LAYOUTS[layout](X)), shown, atol=1e-12)
