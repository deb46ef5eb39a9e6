"""New tables for a model: columns by name, and no row that is dropped or guessed."""

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused
from saved_models import learnt, read
from tables import matrix, table, written

from aucbench.data import Data
from aucbench.datasets.formats import batches_of_cells
from aucbench.errors import DataError
from aucbench.models import prediction, score_frame

N = 200
TABLE = table(5, N, "age colour member since dose", gaps={"age": 0.1})


@pytest.fixture(scope="module")
def trained():
    scores, model = learnt(data=read(TABLE, "y"))
    return model, scores


def scored_file(model, path, rows=1000):
    found = [
        score_frame(model, batch.X, named=batch.named, uneven=batch.uneven)
        for batch in batches_of_cells(path, rows)
    ]
    scores = np.concatenate([part.scores[:, 0] for part in found])
    return scores, [fault for part in found for fault in part.faults]


@pytest.mark.parametrize(
    ("ending", "rows"), [("csv", 9), ("csv.gz", 7), ("tsv", 1000), ("parquet", 9)]
)
def test_the_same_table_has_the_scores_of_training(tmp_path, trained, ending, rows):
    model, scores = trained
    found, faults = scored_file(model, written(TABLE, tmp_path / f"new.{ending}"), rows)
    np.testing.assert_allclose(found, scores, rtol=1e-12, atol=1e-12)
    assert not any(faults)


def test_a_model_predicts_the_rows_of_a_file_or_a_folder_as_those_in_memory(
    tmp_path, trained, monkeypatch
):
    model, _ = trained
    written(TABLE, tmp_path / "new.csv")
    whole = model.predict(TABLE)
    monkeypatch.setattr(prediction, "BATCH", 7)
    for path in (tmp_path / "new.csv", str(tmp_path / "*.csv")):
        pd.testing.assert_frame_equal(model.predict(path), whole)


def test_columns_are_found_by_name_and_others_are_named(trained):
    model, scores = trained
    found = score_frame(model, TABLE.iloc[:, ::-1].assign(note="x"))
    np.testing.assert_allclose(found.scores[:, 0], scores, rtol=1e-12, atol=1e-12)
    assert found.ignored == ("y", "note")
    assert model.decide(found.scores).tolist() == (scores >= 0).astype(int).tolist()
    few = TABLE.drop(columns=["age", "since"])
    assert_refused(lambda: score_frame(model, few), DataError, "'age', 'since'")


def test_rows_that_cannot_be_read_are_marked_and_the_others_are_not(tmp_path, trained):
    new = TABLE.astype(object).iloc[:6].copy()
    new.loc[0, "dose"] = "ten"
    new.loc[1, "since"] = "yesterday"
    new.loc[2, "member"] = "perhaps"
    new.loc[3, "colour"] = "never seen"
    new.loc[4, "dose"] = np.inf
    new.loc[5, ["age", "dose", "since"]] = None
    found, faults = scored_file(trained[0], written(new, tmp_path / "new.csv"))
    assert faults == [
        "column 'dose' has 'ten', which is no number",
        "column 'since' has 'yesterday', which is no date",
        "column 'member' has 'perhaps', which is no truth value",
        "",
        "column 'dose' has 'inf', which is no number",
        "",
    ]
    assert np.isnan(found).tolist() == [True, True, True, False, True, False]


def test_lines_with_too_few_or_too_many_cells_are_marked(tmp_path, trained):
    model, scores = trained
    lines = written(TABLE.iloc[:4], tmp_path / "new.csv").read_text().splitlines()
    lines[2] = lines[2].rsplit(",", 2)[0]
    lines[3] += ",7"
    found, faults = scored_file(model, written("\n".join(lines) + "\n", tmp_path / "new.csv"))
    assert faults[::3] == ["", ""]
    assert ("4 cells" in faults[1], "7 cells" in faults[2]) == (True, True)
    np.testing.assert_allclose(found[[0, 3]], scores[[0, 3]])
    assert np.isnan(found[[1, 2]]).all()


def test_without_an_encoding_there_is_no_rule_for_a_missing_cell():
    X, y = matrix(5, 60, 2)
    scores, model = learnt(data=Data.of(pd.DataFrame(X, columns=["a", "b"]), y))
    found = score_frame(model, pd.DataFrame({"b": [*X[:2, 1], ""], "a": [X[0, 0], "", "x"]}))
    assert found.scores[0, 0] == pytest.approx(scores[0])
    assert list(found.faults) == [
        "",
        "column 'a' is missing, and no training row lacked a cell",
        "column 'a' has 'x', which is no number",
    ]


def test_a_table_without_names_has_the_columns_of_training(tmp_path):
    X, y = matrix(5, 60, 2)
    scores, model = learnt(data=Data.of(X, y))
    path = tmp_path / "new.csv"
    np.savetxt(path, X, delimiter=",", fmt="%.17g")
    found, faults = scored_file(model, path)
    np.testing.assert_allclose(found, scores, rtol=1e-12, atol=1e-12)
    assert not any(faults)
    np.savetxt(path, X[:, :1], delimiter=",")
    assert_refused(lambda: scored_file(model, path), DataError, "reads 2")
    written("a,b\n", path)
    assert_refused(lambda: scored_file(model, path), DataError, "header")
    rows = written((X, y), tmp_path / "a.npz")
    assert_refused(lambda: scored_file(model, rows), DataError, "ending")
