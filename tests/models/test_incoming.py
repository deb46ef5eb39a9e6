"""New tables for a model: columns by name, and no row that is dropped or guessed."""

import numpy as np
import pandas as pd
import pytest
from table_models import model_of

from aucbench.data import Data
from aucbench.datasets import load
from aucbench.datasets.formats import batches_of_cells
from aucbench.errors import DataError
from aucbench.models import prediction, score_frame

RNG = np.random.default_rng(5)
N = 300


def table():
    age = RNG.integers(18, 80, N).astype(float)
    y = np.where(age + 20 * RNG.normal(size=N) > 50, "yes", "no")
    return pd.DataFrame(
        {
            "age": np.where(RNG.random(N) < 0.1, np.nan, age),
            "colour": RNG.choice(["red", "blue", "01"], N),
            "member": RNG.choice(["true", "false"], N),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, N), "D"),
            "amount": RNG.normal(size=N).round(3),
            "y": y,
        }
    )


TABLE = table()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "train.csv"
    TABLE.to_csv(path, index=False)
    return model_of(load(path))


def scored_file(model, path, rows=1000):
    found = [
        score_frame(model, batch.X, named=batch.named, uneven=batch.uneven)
        for batch in batches_of_cells(path, rows)
    ]
    scores = np.concatenate([part.scores[:, 0] for part in found])
    return scores, [fault for part in found for fault in part.faults]


@pytest.mark.parametrize(
    ("ending", "rows"),
    [("csv", 1), ("csv", 1000), ("csv.gz", 7), ("tsv", 7), ("parquet", 1), ("parquet", 1000)],
)
def test_the_same_table_has_the_scores_of_training(tmp_path, trained, ending, rows):
    model, scores = trained
    path = tmp_path / f"new.{ending}"
    if ending == "parquet":
        TABLE.to_parquet(path)
    else:
        TABLE.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    found, faults = scored_file(model, path, rows)

    np.testing.assert_allclose(found, scores, rtol=1e-12, atol=1e-12)
    assert not any(faults)


def test_a_model_predicts_the_rows_of_a_file_or_a_folder_as_those_in_memory(
    tmp_path, trained, monkeypatch
):
    model, _ = trained
    TABLE.to_csv(tmp_path / "new.csv", index=False)
    whole = model.predict(TABLE)
    monkeypatch.setattr(prediction, "BATCH", 7)
    for path in (tmp_path / "new.csv", str(tmp_path / "*.csv")):
        pd.testing.assert_frame_equal(model.predict(path), whole)
    with pytest.raises(DataError, match=r"there is no file none\.csv"):
        model.predict("none.csv")


def test_columns_are_found_by_name_and_others_are_named(tmp_path, trained):
    model, scores = trained
    other = TABLE[["note", *TABLE.columns[::-1]]] if "note" in TABLE else TABLE.iloc[:, ::-1]
    found = score_frame(model, other.assign(note="x"))

    np.testing.assert_allclose(found.scores[:, 0], scores, rtol=1e-12, atol=1e-12)
    assert found.ignored == ("y", "note")
    positive = model.probabilities(found.scores)[:, 1]
    np.testing.assert_allclose(positive, 1 / (1 + np.exp(-scores)))
    assert model.decide(found.scores).tolist() == (scores >= 0).astype(int).tolist()


def test_absent_columns_are_listed(trained):
    with pytest.raises(DataError, match=r"2 of the 5 columns .* not in the table: 'age', 'since'"):
        score_frame(trained[0], TABLE.drop(columns=["age", "since"]))


def test_rows_that_cannot_be_read_are_marked_and_the_others_are_not(tmp_path, trained):
    model, _scores = trained
    new = TABLE.astype(object).iloc[:6].copy()
    new.loc[0, "amount"] = "ten"
    new.loc[1, "since"] = "yesterday"
    new.loc[2, "member"] = "perhaps"
    new.loc[3, "colour"] = "never seen"
    new.loc[4, "amount"] = np.inf
    new.loc[5, ["age", "amount", "since"]] = None
    path = tmp_path / "new.csv"
    new.to_csv(path, index=False)
    found, faults = scored_file(model, path)

    assert faults == [
        "column 'amount' has 'ten', which is no number",
        "column 'since' has 'yesterday', which is no date",
        "column 'member' has 'perhaps', which is no truth value",
        "",
        "column 'amount' has 'inf', which is no number",
        "",
    ]
    assert np.isnan(found).tolist() == [True, True, True, False, True, False]


def test_lines_with_too_few_or_too_many_cells_are_marked(tmp_path, trained):
    model, scores = trained
    path = tmp_path / "new.csv"
    TABLE.iloc[:4].to_csv(path, index=False)
    lines = path.read_text().splitlines()
    lines[2] = lines[2].rsplit(",", 2)[0]
    lines[3] += ",7"
    path.write_text("\n".join(lines) + "\n")
    found, faults = scored_file(model, path)

    assert faults == [
        "",
        "the row has 4 cells, and the table has 6 columns",
        "the row has 7 cells, and the table has 6 columns",
        "",
    ]
    np.testing.assert_allclose(found[[0, 3]], scores[[0, 3]])
    assert np.isnan(found[[1, 2]]).all()


def test_without_an_encoding_there_is_no_rule_for_a_missing_cell():
    X = RNG.normal(size=(60, 2))
    data = Data.of(pd.DataFrame(X, columns=["a", "b"]), X[:, 0] > 0)
    model, scores = model_of(data)
    new = pd.DataFrame({"b": [*X[:2, 1], ""], "a": [X[0, 0], "", "x"]})
    found = score_frame(model, new)

    assert found.scores[0, 0] == pytest.approx(scores[0])
    assert list(found.faults) == [
        "",
        "column 'a' is missing, and no training row lacked a cell",
        "column 'a' has 'x', which is no number",
    ]


def test_a_table_without_names_has_the_columns_of_training(tmp_path):
    X = RNG.normal(size=(60, 2))
    model, scores = model_of(Data.of(X, X[:, 0] > 0))
    path = tmp_path / "new.csv"
    np.savetxt(path, X, delimiter=",", fmt="%.17g")
    found, faults = scored_file(model, path)

    np.testing.assert_allclose(found, scores, rtol=1e-12, atol=1e-12)
    assert not any(faults)
    np.savetxt(path, X[:, :1], delimiter=",")
    with pytest.raises(DataError, match="has 1 columns without names, and the model reads 2"):
        scored_file(model, path)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"there is no file .* give the path of a table"):
        next(batches_of_cells(tmp_path / "none.csv", 10))
    (tmp_path / "a.csv").write_text("a,b\n")
    with pytest.raises(DataError, match="no row below the header"):
        next(batches_of_cells(tmp_path / "a.csv", 10))
    np.savez(tmp_path / "a.npz", X=np.zeros((2, 2)))
    with pytest.raises(DataError, match="its ending is not that of a table"):
        next(batches_of_cells(tmp_path / "a.npz", 10))
