"""Scorecards: the points of the table are the score of the model, in each kind of column."""

import csv
import warnings
from itertools import product
from math import log

import numpy as np
import pandas as pd
import pytest
from tables import table

from aucbench import Model, fit
from aucbench.errors import DataError
from aucbench.models.scorecard import Scaling

SCALING = Scaling()
FACTOR = SCALING.pdo / log(2.0)
NAMES = ("age", "colour", "member", "income")
HOW = {"target": "risk", "positive": "good", "solver": "rank-svm", "splits": 2}
HOW["monotone"] = "age=+1,income=-1"
pytestmark = pytest.mark.usefixtures("in_process")


TABLE = table(0, 240, "age colour member income", gaps={"age": 0.1, "colour": 0.06},
              target="risk", labels=("bad", "good"), positives=0.5)  # fmt: skip
TABLE.loc[:2, "colour"] = "rare"


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    folder = tmp_path_factory.mktemp("card")
    model = fit(TABLE, scorecard=str(folder / "points.csv"), quiet=True, **HOW)
    return model, folder / "points.csv"


def points_of(told, row):
    """The points of a row by the table alone, as a person would add them up."""
    total = 0
    for name in NAMES:
        own = [line for line in told if line["attribute"] == name]
        total += sum(int(line["points"]) for line in own if fits(line, row[name], own))
    return total + sum(int(line["points"]) for line in told if line["attribute"] == "base points")


def fits(line, cell, own):
    if cell is None or cell != cell:
        return line["value"] == "(missing)"
    if isinstance(cell, str):
        known = any(one["value"] == cell for one in own)
        return line["value"] == (cell if known else "(others)")
    if line["value"].startswith("("):
        return False
    low, high = (float(line[end] or worst) for end, worst in (("from", "-inf"), ("to", "inf")))
    return low <= cell < high


def test_the_points_of_the_table_add_up_to_the_score(card):
    model, path = card
    told = [*csv.DictReader(path.read_text(encoding="utf-8").splitlines())]
    cells = ((0.0, 44.5, None), ("red", "rare", "new", None), ("yes", "no"), (0, 1e9))
    others = [dict(zip(NAMES, each, strict=True)) for each in product(*cells)]
    some = pd.concat([TABLE, pd.DataFrame(others)], ignore_index=True)
    with warnings.catch_warnings():  # of rows that are not like those of the fit
        warnings.simplefilter("ignore")
        scores = model.predict(some)["score"]

    assert not scores.isna().any()
    cells = some.astype(object).where(some.notna(), None).to_dict("records")
    assert scores.tolist() == [points_of(told, row) for row in cells]
    assert scores.between(model.scorecard.base, model.scorecard.most).all()


def test_each_attribute_has_a_worst_line_of_no_points_and_keeps_its_shape(card):
    model, path = card
    table = model.scorecard.frame()
    assert (table[1:].groupby("attribute")["points"].min() == 0).all()
    assert [*table["points"]] == [*pd.read_csv(path)["points"]]
    assert model.provenance["monotone"] == "age=increasing,income=decreasing"
    for name, sign in (("age", 1), ("income", -1)):
        own = [line for line in model.scorecard.lines if line.attribute == name]
        rising = [line.points for line in own if not line.value.startswith("(")]
        assert (np.diff(rising) * sign >= 0).all()


def test_lines_count_the_training_rows_but_not_few(card):
    model, _ = card
    lines = {(line.attribute, line.value): line for line in model.scorecard.lines}
    of_b = TABLE[TABLE["colour"] == "blue"]
    assert lines["colour", "blue"].rows == len(of_b)
    assert lines["colour", "blue"].positives == (of_b.risk == "good").sum()
    assert lines["colour", "rare"].rows is None
    assert lines["colour", "(others)"].positives is None
    bins = [line for line in model.scorecard.lines if line.attribute == "age"]
    few = sum(line.rows is None for line in bins)
    assert len(TABLE) - 9 * few <= sum(line.rows or 0 for line in bins) <= len(TABLE)


def test_points_are_odds(card):
    model, _ = card
    told = model.predict(TABLE)
    p = told["probability"]
    points = SCALING.base_score + FACTOR * np.log(p / (1 - p) / SCALING.base_odds)
    np.testing.assert_allclose(points, told["score"], atol=1e-8)
    assert SCALING.sigmoid(np.array([600.0]))[0] == pytest.approx(50 / 51)
    assert SCALING.sigmoid(np.array([620.0]))[0] == pytest.approx(100 / 101)


def test_a_card_comes_back_from_its_file_and_points_are_whole(card, tmp_path):
    model, _ = card
    model.save(tmp_path / "card")
    again = Model.load(tmp_path / "card")
    assert again.scorecard == model.scorecard
    assert again.predict(TABLE).equals(model.predict(TABLE))
    tree = model.to_tree()
    tree["functions"][0]["score"]["weights"] += 0.5
    with pytest.raises(DataError, match="whole"):
        Model.from_tree(tree)


def test_what_rounding_costs_is_known_and_little(card):
    known = card[0].scorecard
    assert 0 < abs(known.auc - known.exact) < 0.01 < 0.7 < known.exact < 1.0
