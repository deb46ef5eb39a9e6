"""Shapes of effects in models: from an option of a fit to the model in a file."""

import numpy as np
import pandas as pd
import pytest
from command_line import done

from aucbench import AUCClassifier, Model, fit
from aucbench.errors import AucbenchError, DataError, ParameterError, UnsupportedError
from aucbench.models.explain import summary_lines

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture(scope="module")
def table():
    """Rows whose label falls in the first column and rises in the second."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(2)
    y = X @ [-1.0, 1.0, 0.0] + rng.normal(size=80) > 0
    kind = rng.choice(["x", "y"], 80)
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=kind, bad=np.where(y, "yes", "no"))


def weight(model, name):
    return dict(zip(model.feature_names(), model.function.weights, strict=True))[name]


@pytest.mark.slow
def test_a_model_keeps_its_shapes_and_says_so(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table.to_csv("rows.csv", index=False)
    done(
        *("fit", "--data", "rows.csv", "--target", "bad", "--splits", "2", "--no-tune"),
        *("--solver", "rank-svm", "--monotone", "b=-1,a=+1", "-o", "m.aucbench"),
    )
    model = Model.load("m.aucbench")

    assert model.provenance["monotone"] == "a=increasing,b=decreasing"
    assert model.provenance["solver"] == "rank-svm"
    assert weight(model, "a") >= 0 >= weight(model, "b")
    constraints = "Constraints on effects: a=increasing, b=decreasing."
    assert constraints in [*summary_lines(model)]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"monotone": "kind=+1"}, DataError, "'kind' cannot be increasing: it is a category"),
        ({"monotone": "age=+1"}, DataError, "no column 'age'"),
        ({"monotone": "a=up"}, AucbenchError, "unknown shape of an effect"),
        ({"monotone": "a=+1", "solver": "svm-or"}, UnsupportedError, "rank-svm"),
        ({"monotone": "a=convex"}, UnsupportedError, "--features splines"),
        ({"monotone": "a=+1", "features": "unit"}, UnsupportedError, "mix columns or rows"),
    ],
)
def test_what_cannot_be_kept_is_refused_before_the_first_fit(table, options, error, said):
    with pytest.raises(error, match=said):
        fit(table, target="bad", splits=2, quiet=True, tune=False, **options)


def test_a_classifier_keeps_shapes(table, tmp_path):
    X, y = table[["a", "b", "c"]], (table.bad == "yes").astype(int)
    free = AUCClassifier("rank-svm").fit(X, y)
    by_name = AUCClassifier("rank-svm", monotone="a=+1").fit(X, y)
    by_sign = AUCClassifier("rank-svm", monotone=[1, 0, 0]).fit(X, y)
    by_number = AUCClassifier("rank-svm", monotone={0: "increasing"}).fit(X.to_numpy(), y)

    assert free.coef_[0, 0] < 0 <= by_name.coef_[0, 0]
    assert by_name.coef_.tolist() == by_sign.coef_.tolist() == by_number.coef_.tolist()
    for model in (by_name, by_sign):
        model.save(tmp_path / "m")
        assert Model.load(tmp_path / "m").provenance["monotone"] == "a=increasing"
        again = AUCClassifier.load(tmp_path / "m")
        assert again.monotone == model.monotone
        assert again.decision_function(X).tolist() == model.decision_function(X).tolist()


def test_a_classifier_refuses_what_it_cannot_keep(table):
    X, y = table[["a", "b", "c"]], (table.bad == "yes").astype(int)
    with pytest.raises(UnsupportedError, match="rank-svm"):
        AUCClassifier("svm-or", monotone="a=+1").fit(X, y)
    with pytest.raises(ParameterError, match="1, -1 or 0 for each of 3 columns"):
        AUCClassifier("rank-svm", monotone=[1]).fit(X, y)
    with pytest.raises(ParameterError, match="monotone is for fit"):
        AUCClassifier("opauc", monotone="a=+1").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(DataError, match="three or more classes"):
        AUCClassifier("rank-svm", monotone="a=+1").fit(X, np.arange(80) % 3)
