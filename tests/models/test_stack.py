"""A stack: the mean of ranks, kept in one file, and taken only where it is better."""

import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import aucbench
from aucbench.data import Data
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics import auc
from aucbench.models import Model
from aucbench.models.explain import explanation, lines
from aucbench.models.options import Making
from aucbench.models.recipe import Recipe, one_thread
from aucbench.models.saving import restore
from aucbench.models.stack import knots_of
from aucbench.models.stacking import Stacking, mean_rank
from aucbench.registry.specs import parse_spec
from aucbench.stats import Difference, Interval
from aucbench.stats.rows import Fold

RNG = np.random.default_rng(5)
X = RNG.normal(size=(400, 4))
Y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * RNG.normal(size=400) > 0, 1, -1)
DATA = Data.of(X, Y)
SPECS = tuple(map(parse_spec, ("svm-or", "hist-gradient-boosting", "roc-svm-nystrom[rank=30]")))


@pytest.fixture(scope="module")
def stack():
    return Recipe(spec=SPECS[0], others=SPECS[1:], passes=20).fitted(DATA)


def test_a_stack_is_the_mean_of_the_ranks_of_its_members(stack):
    ranks = []
    for spec, member in zip(SPECS, stack.members, strict=True):
        alone = Recipe(spec=spec, passes=20).fitted(DATA).scores(X)
        np.testing.assert_allclose(member.scores(X), alone, rtol=1e-12, atol=1e-12)
        assert member.provenance["solver"] == str(spec)
        ranks.append(np.searchsorted(np.sort(alone), alone, side="left") / (alone.size - 1))

    assert np.abs(np.mean(ranks, axis=0) - stack.scores(X)).max() < 0.02
    assert stack.provenance["solver"].startswith("stack of svm-or, hist-gradient-boosting")


def test_rows_beyond_all_training_rows_are_still_ordered(stack):
    linear = replace(stack.stack, members=stack.stack.members[:1])
    far = Data.of(np.outer(np.linspace(-50, 50, 41), [1.0, 0, 0, 0]), np.arange(41) % 2).rows
    assert (np.diff(linear.scores(far)) > 0).all()


def test_it_comes_back_from_one_file_and_says_what_it_is(stack, tmp_path):
    stack.save(tmp_path / "m.aucbench")
    again = Model.load(tmp_path / "m.aucbench")

    np.testing.assert_array_equal(again.scores(X), stack.scores(X))
    assert again.keeps_rows  # the landmarks of one member
    told = explanation(again)
    assert told["kind"] == "stack"
    assert told["features"][0]["name"] in ("column 0", "column 1", "column 2")
    assert sum(one["importance"] for one in told["features"]) == pytest.approx(1.0)
    said = "\n".join(lines(again))
    assert "the mean of the ranks of 3 models among its training rows:\n  svm-or\n" in said
    with pytest.raises(UnsupportedError, match="is a stack of several solvers"):
        restore(None, again)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"knots": np.array([1.0, 0.0])}, "do not rise"),
        ({"weights": None}, "weights or trees"),
        ({"weights": np.zeros(9)}, "one for each feature"),
    ],
)
def test_a_damaged_member_is_refused(stack, change, told):
    first, *rest = stack.stack.members
    broken = replace(stack.stack, members=(replace(first, **change), *rest))
    with pytest.raises(DataError, match=told):
        Model.from_tree(replace(stack, stack=broken).to_tree())
    with pytest.raises(DataError, match="one of them"):
        replace(stack, weights=np.zeros(4))


def test_knots_rise_where_many_scores_are_equal():
    knots, shares = knots_of(np.repeat([0.0, 1.0, 1.0, 5.0], 500))
    assert {0.0, 1.0, 5.0} <= {*knots}
    assert knots.size <= 6
    assert (np.diff(shares) > 0).all()
    assert knots_of(np.full(9, 2.0))[0].tolist() == [2.0]


def test_it_is_the_model_only_beyond_the_interval():
    def of(low):
        difference = Difference(0.003, low, 0.006, 0.01, 0.95, "DeLong")
        return Stacking((0, 1), ("a", "b"), difference, Interval(0.8, 0.7, 0.9, 0.95, "DeLong"))

    assert of(0.001).better
    assert of(0.001).sentence.endswith("+0.0060): it is the model.")
    for low in (-0.001, float("nan")):
        assert not of(low).better
        assert "is not better than a alone beyond the interval" in of(low).sentence


def test_two_members_that_err_apart_are_better_together():
    noise = np.random.default_rng(0).normal(size=(2, 3000))
    y = np.random.default_rng(1).random(3000) < 0.3
    folds = [Fold(y, np.exp(2.0 * row + 2.0 * y)) for row in noise]
    together = mean_rank(folds)
    assert auc(y, together.scores) > max(auc(y, fold.scores) for fold in folds) + 0.02


def test_a_stack_of_one_is_refused():
    with pytest.raises(ParameterError, match="--stack needs several solvers"):
        Making(solver=("svm-or",), stack=True)
    with pytest.raises(ParameterError, match="nothing is tuned"):
        Making(solver=("svm-or",), minutes=1.0)


def test_a_last_fit_has_one_thread_and_leaves_the_environment_as_it_was(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with one_thread():
        assert os.environ["OMP_NUM_THREADS"] == "1"
    assert "OMP_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with one_thread():
        assert os.environ["OMP_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "2"


@pytest.mark.slow
def test_a_fit_keeps_a_stack_that_is_better_and_predicts_by_it(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 5))
    logit = 3.0 * np.sin(2.0 * x[:, 0]) + 3.0 * x[:, 1] * x[:, 2] + 1.5 * x[:, 3]
    frame = pd.DataFrame(x, columns=list("abcde"))
    frame["y"] = (rng.random(3000) < 1 / (1 + np.exp(-logit))).astype(int)
    other = "n_estimators=3,min_samples_leaf=5"  # drawn apart by their features
    forests = [f"random-forest[max_features={m},{other}]" for m in (0.4, 0.6, 0.8)]
    model = aucbench.fit(frame, target="y", solver=tuple(forests), stack=True, splits=10)

    said = next(one for one in model.provenance["choice"] if "mean rank" in one)
    assert said.endswith("it is the model.")
    assert len(model.members) == 3
    assert model.provenance["solver"].startswith("stack of random-forest[")
    model.save(tmp_path / "m.aucbench")
    again = Model.load(tmp_path / "m.aucbench")
    told, own = again.predict(frame.head(50)), model.predict(frame.head(50))
    assert told.equals(own)
    assert ((told["score"] >= model.threshold) == (told["decision"].astype(str) == "1")).all()
