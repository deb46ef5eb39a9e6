"""Learning from chunks through the scikit-learn face."""

import pickle
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from nights import first
from samples import sample
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from aucbench import AUCClassifier as Scaled
from aucbench.data import Chunk, Data
from aucbench.datasets import stream
from aucbench.errors import DataError, ParameterError
from aucbench.metrics import auc, intercept_at
from aucbench.registry import get_features, get_solver, list_solvers
from aucbench.registry.lookup import find

AUCClassifier = partial(Scaled, features="none")  # so that weights are those of the columns
N, D = 120, 7
X, Y = sample(5, N, D, shift=0.2, density=0.7)
KNOWN = [n for n in list_solvers() if hasattr(find("solvers", n).factory, "update")]
# In a stream these two take published constants, a fit derives them from all rows.
FIXED = {"solam": {"xi": 1.0, "R": 1.0}, "reg-solam": {"xi": 1.0, "lam": 0.1}}
SOLVERS = [get_solver(name, shuffle=False, **FIXED.get(name, {})) for name in KNOWN]
LAYOUTS = {"dense": np.asarray, "CSR": csr_array, "frame": pd.DataFrame}
TEXT = np.where(Y > 0, "yes", "no")


def weights(model):
    return model.model_.function.weights


@pytest.mark.parametrize(
    ("solver", "layout"),
    [*product(SOLVERS, ("dense", "CSR")), (SOLVERS[0], "frame")],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_chunks_teach_what_one_pass_over_all_rows_does(solver, layout):
    whole = AUCClassifier(solver, passes=1, random_state=3).fit(LAYOUTS[layout](X), Y)
    for size in (1, 17, N):
        model = AUCClassifier(solver, random_state=3)
        for lo in range(0, N, size):
            rows, y = LAYOUTS[layout](X[lo : lo + size]), Y[lo : lo + size]
            model.partial_fit(rows, y, classes=[-1, 1])
        np.testing.assert_allclose(weights(model), whole.run_.w, rtol=1e-10, atol=1e-12)
        shown = model.decision_function(LAYOUTS[layout](X)) + model.threshold_
        np.testing.assert_allclose(shown, X @ weights(model), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("solver", first(SOLVERS, 3), ids=lambda s: type(s).__name__)
def test_a_model_goes_on_after_it_was_pickled_and_shows_a_copy(solver):
    models = [AUCClassifier(solver), AUCClassifier(solver)]
    for part in np.split(np.arange(N), 3):
        for model in models:
            model.partial_fit(X[part], Y[part], classes=[-1, 1])
        models[1] = pickle.loads(pickle.dumps(models[1]))
        if part[-1] < N - 1:
            weights(models[1])[:] += 7  # of the model, not of the memory
    np.testing.assert_array_equal(weights(models[1]), weights(models[0]))
    np.testing.assert_array_equal(models[1].predict(X), models[0].predict(X))
    assert not hasattr(clone(models[1]), "model_")


CODES = {  # negative, positive, and the options of `stream` that say so
    "signs": (-1, 1, {}),
    "0 and 1, turned": (1, 0, {"positive": "0"}),
    "negative alone named": (2, 1, {"negative": 2}),
    "truth values": (False, True, {}),
    "words, turned": ("yes", "no", {"positive": "no"}),
}


@pytest.mark.parametrize("codes", CODES.values(), ids=CODES)
def test_a_model_of_chunks_scores_labels_as_their_file_writes_them(codes, tmp_path):
    negative, positive, options = codes
    y = np.where(Y > 0, positive, negative)
    pd.DataFrame(X).assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    model = AUCClassifier("opauc")
    for chunk in stream(tmp_path / "t.csv", rows=30, **options):
        model.partial_fit(chunk)
    model.save(tmp_path / "t.model")
    for found in (model, Scaled.load(tmp_path / "t.model")):
        assert found.classes_.tolist() == sorted([negative, positive])
        assert (found.pos_label_, found.n_features_in_) == (positive, D)
        shown, sign = found.auc_score(X, y), 1 if negative < positive else -1
        assert shown == auc(Y, sign * found.decision_function(X)) > 0.6
        assert shown == pytest.approx(roc_auc_score(y, found.decision_function(X)))
        assert found.score(X, y) == np.mean(found.predict(X) == y) > 0.5
        assert found.auc_score(chunk) == auc(chunk.y, sign * found.decision_function(chunk.rows))
    model.partial_fit(X, y)  # without a chunk the same label is positive
    assert model.auc_score(X, y) > 0.6


def test_a_chunk_whose_positive_label_is_another_is_read_by_its_labels(tmp_path):
    y = np.where(Y > 0, 2, 1)
    pd.DataFrame(X).assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    one, two = (next(stream(tmp_path / "t.csv", positive=label)) for label in (1, 2))
    model = AUCClassifier("opauc").partial_fit(one)
    model.save(tmp_path / "t.model")
    for found in (model, Scaled.load(tmp_path / "t.model")):
        assert found.auc_score(one) == found.auc_score(two) == found.auc_score(X, y)
        assert found.score(one) == found.score(two)
    again = AUCClassifier("opauc").partial_fit(one).partial_fit(one)
    np.testing.assert_array_equal(model.partial_fit(two).coef_, again.coef_)
    digits = next(stream(tmp_path / "t.csv", positive=[2], negative="rest"))  # may be several
    assert AUCClassifier("opauc").partial_fit(digits).classes_.tolist() == [-1, 1]


def test_labels_are_announced_or_found_in_the_first_chunk():
    for y in (TEXT, TEXT.tolist(), pd.Series(TEXT), TEXT.astype(object)):
        model = AUCClassifier("opauc").partial_fit(X, y)
        assert {*model.predict(X)} == {*model.classes_} == {"no", "yes"}
    healthy = TEXT == "no"
    model = AUCClassifier("opauc")
    model.partial_fit(X[healthy], TEXT[healthy], classes=["yes", "no"])
    model.partial_fit(X[~healthy], TEXT[~healthy])
    assert model.classes_.tolist() == ["no", "yes"]


def test_the_threshold_is_that_of_the_latest_chunk_with_both_classes():
    model = AUCClassifier("opauc", sensitivity=0.8)
    assert model.partial_fit(X[Y > 0], Y[Y > 0], classes=[-1, 1]).threshold_ == 0.0
    model.partial_fit(X[:50], Y[:50])
    found = intercept_at(Y[:50], X[:50] @ weights(model), sensitivity=0.8)
    assert model.threshold_ == pytest.approx(found)
    assert found != 0
    assert model.partial_fit(Chunk.of(X[Y < 0], Y[Y < 0])).threshold_ == pytest.approx(found)


def test_fit_and_partial_fit_forget_each_other():
    model = AUCClassifier("opauc", passes=1).partial_fit(X, Y).fit(X[:, :3], TEXT)
    assert (weights(model).size, *model.classes_) == (3, "no", "yes")
    model.partial_fit(X, Y)
    assert not hasattr(model, "run_")
    np.testing.assert_array_equal(model.coef_, AUCClassifier("opauc").partial_fit(X, Y).coef_)


def test_a_refused_chunk_leaves_the_model_as_it_was(monkeypatch):
    fitted = AUCClassifier("opauc", passes=1).fit(X, Y)
    model = AUCClassifier("opauc").partial_fit(X, Y)
    gap = np.where(np.arange(N)[:, None] == 3, np.inf, X)
    before = [one.decision_function(X) for one in (model, fitted)]
    for learn in (model.partial_fit, model.fit, fitted.partial_fit, fitted.fit):
        with pytest.raises(DataError, match="row 3"):
            learn(gap, Y)
    for one, scores in zip((model, fitted), before, strict=True):
        np.testing.assert_array_equal(one.decision_function(X), scores)
    again = AUCClassifier("opauc").partial_fit(X, Y).partial_fit(X, Y)
    np.testing.assert_array_equal(weights(model.partial_fit(X, Y)), weights(again))
    with pytest.raises(ParameterError, match="'solam'"):
        model.set_params(solver="solam").partial_fit(X, Y)
    infinite = lambda solver, memory: np.full(D, np.inf)  # noqa: E731
    monkeypatch.setattr(type(get_solver("opauc")), "weights", infinite)
    with pytest.raises(DataError, match="finite"):
        AUCClassifier("opauc").partial_fit(X, Y)


def test_who_needs_all_rows_has_no_partial_fit():
    with pytest.raises(AttributeError, match="partial_fit"):
        AUCClassifier("sht-auc").partial_fit(X, Y)
    assert all(hasattr(AUCClassifier(name), "partial_fit") for name in KNOWN)


@pytest.mark.parametrize("layout", LAYOUTS)
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
