"""A model of rows in parts: what it holds out, what it learns, and that it goes on where it was."""

import json

import numpy as np
import pytest

import aucbench
from aucbench.bench.options import make_options
from aucbench.data import Data
from aucbench.errors import DataError
from aucbench.metrics import auc
from aucbench.models import Model, parted_held
from aucbench.models.choosing import ModelPlan
from aucbench.models.classes import explanation, lines
from aucbench.models.journal import Journal, answers_in
from aucbench.models.options import FitOptions
from aucbench.models.parted import fitted_by_parts
from aucbench.models.parted_held import parted, why_unlike
from aucbench.models.parted_telling import Lines, Watched
from aucbench.scale import ChunkedData, Here, InMemory

W = np.array([1.0, 0.5, 0.0, -1.0])
FEW = {"solver": ("svm-or[lam=0.001]",), "tune": False}


def table(n=4000, seed=0, scale=1.0, offset=0.0, share=1.2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    y = np.where(X @ W + rng.standard_normal(n) > share, 1, -1)
    return X * scale + offset, y


def in_parts(X, y, size=200, names=("a", "b", "c", "d")):
    return InMemory(Data.of(X, y), size)


def fitted(parts, engine=None, tell=None, **plan):
    wanted = ModelPlan(source="rows", options=make_options(FitOptions, {**FEW, **plan}))
    more = () if tell is None else (tell,)
    return fitted_by_parts(wanted, parts, engine or Here(), *more)


class Heard:
    """Keeps what a fit says."""

    def __init__(self):
        self.stages, self.readings, self.points = [], [], []

    def stage(self, sentence):
        self.stages.append(sentence)

    def reading(self, rows):
        self.readings.append(rows)

    def read(self, rows):
        pass

    def evaluation(self, solver, point, state):
        self.points.append((solver, point.objective, point.gap))


@pytest.fixture(scope="module")
def model():
    return fitted(in_parts(*table()), flags=1, per=10)


def test_the_last_fit_is_that_of_all_rows_in_memory(model):
    X, y = table(scale=3.0, offset=50.0)
    other = fitted(in_parts(X, y))
    v = other.weights / other.maps[0].spread
    whole = aucbench.AUCClassifier("svm-or[lam=0.001]", gap_tol=1e-8).fit(X, y)
    np.testing.assert_allclose(v, whole.coef_[0], rtol=2e-2, atol=2e-3)
    np.testing.assert_allclose(other.weights, model.weights, rtol=1e-2, atol=2e-3)


def test_it_holds_a_fifth_of_the_rows_out_as_whole_parts(model):
    assert model.auc_rows == "800 of 800 rows held out"
    X, y = table()
    whole = ChunkedData(in_parts(X, y))
    train, held = parted(whole, None, 0)
    assert {*train.numbers}.isdisjoint(held.numbers)
    assert len(held.numbers) == 4
    rows = np.concatenate([np.arange(200) + 200 * i for i in held.numbers])
    other = aucbench.AUCClassifier("svm-or[lam=0.001]").fit(
        np.delete(X, rows, 0), np.delete(y, rows)
    )
    assert model.auc.estimate == pytest.approx(
        auc(y[rows], other.decision_function(X[rows])), abs=2e-3
    )


def test_the_model_is_an_ordinary_one(model, tmp_path):
    X, y = table(seed=9, n=2000)
    model.save(tmp_path / "m.json")
    again = Model.load(tmp_path / "m.json")
    answer = again.predict(X)
    assert auc(y, answer["score"]) > 0.85
    assert abs((answer["decision"] == 1).mean() - 0.1) < 0.03
    assert ((answer["probability"] > 0.5) == (y > 0)).mean() > 0.8
    assert explanation(again)["provenance"]["n"] == 4000
    assert any("svm-or" in line for line in lines(again))
    assert {one.column for one in again.assessment.importance} == {f"column {j}" for j in range(4)}


def test_few_parts_give_single_rows():
    heard = Heard()
    model = fitted(in_parts(*table(), size=2000), tell=heard)
    assert model.auc.estimate > 0.85
    train, held = parted(ChunkedData(in_parts(*table(), size=2000)), 0.25, 0)
    assert train.numbers == held.numbers == (0, 1)
    assert abs(held.n / 4000 - 0.25) < 0.03


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (lambda X, y: y, "the share of positives differs between parts"),
        (lambda X, y: X @ W, "the share of positives differs between parts"),
        (lambda X, y: X[:, 2], "'column 2' differs between parts"),
    ],
)
def test_of_sorted_rows_single_ones_are_held_out(by, said):
    X, y = table(n=6000)
    order = np.argsort(by(X, y), kind="stable")
    heard = Heard()
    model = fitted(in_parts(X[order], y[order]), tell=heard)
    assert any(said in sentence and "single rows" in sentence for sentence in heard.stages)
    plain = fitted(in_parts(X, y))
    assert model.auc.estimate == pytest.approx(plain.auc.estimate, abs=0.03)


def test_one_part_with_all_positives_is_divided_by_rows():
    X, y = table(n=4000)
    order = np.argsort(-y, kind="stable")
    rare = (y[order] > 0).sum() - 60  # only the first part has positives
    X, y = X[order][rare:], y[order][rare:]
    heard = Heard()
    train, held = parted(ChunkedData(in_parts(X, y, 300)), 0.2, 0, heard)
    assert "some parts lack a class: single rows are held out" in heard.stages[0]
    assert train.n_pos > held.n_pos > 0


def test_parts_of_rows_in_random_order_are_alike():
    for seed in range(5):
        whole = ChunkedData(in_parts(*table(n=3000, seed=seed), size=100))
        assert why_unlike(whole) is None


def test_of_several_points_those_rows_judge_that_did_not_choose():
    heard = Heard()
    model = fitted(
        in_parts(*table(n=8000)), solver=("svm-or[lam=10]", "svm-or[lam=0.001]"), tell=heard
    )
    assert model.provenance["solver"] == "svm-or[lam=0.001]"
    assert "has the highest AUC on the rows held out that choose" in model.provenance["choice"][0]
    judged, _, held = model.auc_rows.split(" ")[:3]
    assert abs(int(judged) / int(held) - 0.5) < 0.05
    assert sum("AUC" in sentence for sentence in heard.stages) == 2


def test_the_grid_is_tried_but_for_what_is_given():
    heard = Heard()
    fitted(in_parts(*table()), solver=("svm-or",), tune=True, tell=heard, passes=3)
    tried = [s for s in heard.stages if "AUC" in s]
    assert 2 <= len(tried) <= 6
    assert len({*tried}) == len(tried)


class Ends(Exception):
    pass


class Fragile(Here):
    """Ends after so many readings."""

    def __init__(self, most):
        super().__init__()
        self.left = most

    def reduce(self, *args, **kwargs):
        if not self.left:
            raise Ends
        self.left -= 1
        return super().reduce(*args, **kwargs)


@pytest.mark.parametrize("most", [1, 3, 5])
def test_a_fit_that_was_ended_goes_on_and_ends_with_the_same_bits(model, tmp_path, most):
    parts = in_parts(*table())
    with pytest.raises(Ends):
        fitted(parts, Journal(Fragile(most), tmp_path), flags=1, per=10)
    assert answers_in(tmp_path) == most
    engine = Fragile(100)
    again = fitted(parts, Journal(engine, tmp_path), flags=1, per=10)
    assert again.weights.tobytes() == model.weights.tobytes()
    assert again.threshold == model.threshold
    assert answers_in(tmp_path) - most == 100 - engine.left


def test_constant_columns_weigh_nothing():
    X, y = table()
    model = fitted(in_parts(np.column_stack([X, np.full(y.size, 7.0)]), y))
    assert model.weights[4] == 0.0
    assert model.spread[4] == 0.0
    np.testing.assert_allclose(model.spread[:4], 1.0)


def test_without_a_map_the_columns_are_as_they_are():
    X, y = table(scale=2.0)
    model = fitted(in_parts(X, y), features="none")
    assert model.maps == ()
    np.testing.assert_allclose(model.spread, X.std(axis=0))


def test_what_is_said_is_a_line_each():
    parts, said = in_parts(*table()), []
    tell = Lines(said.append)
    tell.opened(parts)
    fitted(parts, Watched(Here(tell.read), tell.reading), tell)
    assert said[0] == {"opened": {"n": 4000, "d": 4, "parts": 20, "bytes": None}}
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    points = [line["evaluation"] for line in said if "evaluation" in line]
    assert points[0]["step"] == 1
    assert points[-1]["gap"] <= 1e-6
    assert points[-1]["auc_low"] <= 1.0 <= points[-1]["auc_high"] + 1.0
    assert {line["reading"] for line in said if "reading" in line} == {1400, 3200, 800, 4000}


def test_one_class_is_refused():
    X, _ = table()
    with pytest.raises(DataError, match="give rows of both classes"):
        fitted(InMemory(Data(Data.of(X, table()[1]).rows, type_of_one(4000)), 200))


def type_of_one(n):
    from aucbench.data.targets import Labels

    return Labels(np.full(n, 1, np.int8))


def test_the_sample_has_enough_of_a_rare_class(monkeypatch):
    monkeypatch.setattr(parted_held, "SAMPLE", 100)
    monkeypatch.setattr(parted_held, "RARE", 40)
    X, y = table(n=20_000, share=3.5)
    whole = ChunkedData(in_parts(X, y, 1000))
    train, held = parted(whole, 0.5, 0)
    run = aucbench.solve("svm-or[lam=0.01]", train)
    rows = parted_held.held_rows(held, run, train, 0, alone=True)
    assert rows.sample.n < held.n
    assert (rows.sample.y > 0).sum() >= 20
    np.testing.assert_array_equal(rows.sample.y, rows.y[rows.sampled])
    np.testing.assert_allclose(
        run.decision_function((rows.sample.rows.matrix - train.centre) / train.scale),
        rows.scores[rows.sampled],
    )


def test_outliers_are_named_though_no_sample_has_them():
    X, y = table(20_000)
    X[12_345, 1] = 1e9
    model = fitted(in_parts(X, y, 2000), passes=1)
    [warning] = model.provenance["warnings"]
    assert "because of a few cells (1e+09), its standard deviation is larger" in warning
    with pytest.warns(UserWarning, match=r"a few cells \(1e\+09\)"):
        aucbench.AUCClassifier("logistic", passes=1).fit(in_parts(X, y, 2000))
