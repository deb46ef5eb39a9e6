"""`fit` with pairs within groups: what it trains, refuses, says and keeps."""

import numpy as np
import pandas as pd
import pytest

from aucbench import Model, fit
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import AucbenchError, UnsupportedError
from aucbench.models.choosing import auto_solvers
from aucbench.models.explain import summary_lines
from aucbench.models.options import FitOptions
from aucbench.pairs import Group

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    user = np.repeat(np.arange(40), 4)
    taste, level = rng.normal(size=160), rng.normal(size=40)[user]
    bought = taste - level + 0.5 * rng.normal(size=160) > 0.0
    columns = {"price": taste + 5.0 * level, "level": level, "user": user}
    return pd.DataFrame({**columns, "bought": bought.astype(int)})


@pytest.fixture(scope="module")
def model(table):
    pairs = "group[column=user]"
    return fit(table, target="bought", pairs=pairs, solver="rank-svm", splits=2, quiet=True)


def test_the_model_trains_on_the_pairs_and_keeps_which(model, table, tmp_path):
    names = [*model.feature_names()]
    weights = dict(zip(names, np.asarray(model.function.weights), strict=True))
    assert weights["price"] > 0.0
    assert weights["level"] == 0.0
    model.save(tmp_path / "m")
    said = [*summary_lines(Model.load(tmp_path / "m"))]
    assert "Pairs that count: group." in said
    assert any(line.startswith("grouped AUC 0.") for line in said)
    new = table.drop(columns=["bought", "user"])  # no group is needed to score a row
    assert len(model.predict(new)) == len(new)


def test_an_object_is_as_good_as_its_name(model, table):
    options = {"target": "bought", "solver": "rank-svm", "splits": 2, "quiet": True}
    again = fit(table, pairs=Group("user"), **options)
    np.testing.assert_array_equal(again.function.weights, model.function.weights)


def test_a_solver_that_cannot_is_refused_before_any_fit(table):
    with pytest.raises(UnsupportedError, match="does not train on pairs within groups"):
        fit(table, target="bought", pairs="group[column=user]", solver="logistic", quiet=True)
    lone = table.drop(columns="user")
    with pytest.raises(AucbenchError, match="groups"):
        fit(lone, target="bought", pairs="group", solver="rank-svm", splits=2, quiet=True)


def test_auto_takes_solvers_of_these_pairs():
    grouped = auto_solvers(FitOptions(pairs="group", read=ReadOptions(groups="user")))
    assert {"svm-or", "rank-svm"} <= {*grouped}
    assert "logistic" not in grouped
    assert "rank-svm" not in auto_solvers(FitOptions(pairs="fpr[max=0.1]"))
    assert "logistic" in auto_solvers(FitOptions())
